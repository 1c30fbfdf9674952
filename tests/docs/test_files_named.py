"""Every file that a document, or a docstring, names is there: a guide to what does not exist is worse than none."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: A path in backticks, or the target of a link, with an ending that our files have.
NAMED = re.compile(r"(?:`|\]\()((?:[\w.-]+/)*[\w*-]+\.(?:py|md|html|toml|lock|yaml|svg))(?=`|\)|#)")
#: Where a path may start: guides name files from the package, from the repository, or from the page's own folder.
STARTS = (
    ROOT, ROOT / "src" / "incrowd", ROOT / "src" / "incrowd" / "demo" / "ons", ROOT / "docs", ROOT / "examples",
    ROOT / "examples" / "ons",
)  # fmt: skip
#: Not ours: what a user writes or a run makes, and names in recipes.
THEIRS = re.compile(
    r"your|/X\.py$|(^|/)(plan|plan-\w+|cautious|review|report|decision|series|starter|generous|other)\.\w+$|^runs/"
)
GUIDES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


def missing(text: str, home: Path) -> list[str]:
    """The files that a text names and that are nowhere."""
    named = {name for name in NAMED.findall(text) if not THEIRS.search(name)}
    return sorted(name for name in named if not any(list(start.glob(name)) for start in (home, *STARTS)))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name == "CHANGELOG.md":  # the past may speak of the past
        text = text.split("\n## ")[1]
    assert missing(text, page.parent) == []


def test_every_file_that_a_docstring_names_is_there() -> None:
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            speaks = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            if speaks and (gone := missing(ast.get_docstring(node) or "", path.parent)):
                found[str(path.relative_to(ROOT))] = gone
    assert found == {}


def test_a_file_that_is_not_there_is_found() -> None:
    assert missing("see `rows/nowhere.py` and [this](docs/architecture.md)", ROOT) == ["rows/nowhere.py"]
