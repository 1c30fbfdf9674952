"""README and docs say what the code has: nothing that is there is called missing, and no command is kept quiet."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path

import pytest
import typer

import incrowd.cli
from incrowd.attack import ATTACKS
from incrowd.keys.requirements import model_names
from incrowd.plan.steps import STEPS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
STEP_NAMES = STEPS.names
#: What a page may say is missing, since it is: (page, what stands around the words).
MISSING = {
    ("docs/engines.md", "remote file systems"),
}
#: Words that call something missing.
ABSENT = re.compile(
    r"not there yet|not yet|no models yet|none yet|so far it|so far the|not implemented|is planned", re.I
)
#: The same words of a moment in a run, or of a file.
OF_A_MOMENT = re.compile(r"not attested yet|not yet placed|rows so far|numbers so far|best so far|fits yet", re.I)


def section(title: str) -> str:
    return README.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def commands() -> list[str]:
    def walk(group: typer.core.TyperGroup, path: str) -> list[str]:
        found = []
        for name, one in group.commands.items():
            inside = isinstance(one, typer.core.TyperGroup)
            found += walk(one, f"{path}{name} ") if inside else [path + name]  # type: ignore[arg-type]
        return found

    return sorted(walk(typer.main.get_command(incrowd.cli.load()), ""))  # type: ignore[arg-type]


def rows(text: str) -> list[list[str]]:
    """The cells of the tables of a text, without heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if not line.startswith("| ---")]


def test_every_command_is_in_the_table_of_the_readme() -> None:
    told = [re.findall(r"`([^`]+)`", row[0]) for row in rows(section("The commands"))]
    named = set()
    for spans in told:
        words = [span.removeprefix("incrowd ").split() for span in spans]
        group = words[0][0] if words else ""
        for parts in words:
            named |= {" ".join(parts[:2]), parts[0], f"{group} {parts[0]}"}
    assert [command for command in commands() if command not in named] == []


def test_the_readme_calls_nothing_missing_that_is_there() -> None:
    """The words for what exists must not stand in a sentence that denies something."""
    there = [step.replace("_", " ").rstrip("e") for step in STEP_NAMES]  # swap, swapping; noise
    there += ["microaggregation", "swapping", "intruder", "population model", "local recoding", "attack", "report"]
    sentences = re.split(r"(?<=[.:])\s|\n- ", section("What it does not do"))
    denied = [one for one in sentences if re.search(r"\bno\b|not there|not yet|missing|lacks", one)]
    assert denied
    for sentence in denied:
        for word in there:
            assert not re.search(rf"\b{re.escape(word)}", sentence, re.I), (word, sentence)
    assert not ABSENT.search(README)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_says_not_yet_of_what_is_there(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    name = str(page.relative_to(ROOT))
    for found in ABSENT.finditer(text):
        around = text[max(found.start() - 60, 0) : found.end() + 160]
        excused = OF_A_MOMENT.search(around) or any(name == where and what in around for where, what in MISSING)
        assert excused, f"{name}: ...{around}..."


def test_the_comparison_is_fair_to_ourselves() -> None:
    table = rows(section("How it compares"))
    assert len({len(row) for row in table}) == 1
    ours = {row[0]: row[1] for row in table}
    assert all(cell for row in table[1:] for cell in row)
    facts = {
        "microaggregation": "microaggregate" in STEP_NAMES,
        "noise, swapping, PRAM": {"noise", "swap", "rank_swap", "pram"} <= set(STEP_NAMES),
        "suppresses cells": "suppress_cells" in STEP_NAMES,
        "simulated intruders, with baseline and control": bool(ATTACKS),
        "a test with human intruders": any(command.startswith("intruder-test") for command in commands()),
        "pseudonyms under a secret": "pseudonymise" in STEP_NAMES,
        "differential privacy": any("differential" in name or name == "dp" for name in model_names()),
        "synthetic data": any("synth" in name for name in (*STEP_NAMES, *commands())),
    }
    for row, there in facts.items():
        assert ours[row].startswith("yes" if there else "no"), row
    models = importlib.util.find_spec("incrowd.risk.population") is not None
    assert ("models" in ours["risk in the population"]) == models


def test_every_step_attack_and_model_has_its_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    attacks = "".join((ROOT / "docs" / name).read_text() for name in ("attacks.md", "attacks-inference.md"))
    assert [step for step in STEP_NAMES if step not in ("search", "attack") and step not in index] == []
    assert [name for name in ATTACKS if f"`{name}`" not in attacks] == []
