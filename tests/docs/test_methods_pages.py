"""The pages on requirements and hierarchies: their code runs, what it prints is what they show, nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from incrowd.keys import hierarchies
from incrowd.keys.requirements import model_names

PAGES = Path(__file__).resolve().parents[2] / "docs" / "methods"


@pytest.mark.parametrize("page", ["requirements.md", "hierarchies.md"])
def test_the_code_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
        assert capsys.readouterr().out in text


def test_every_model_is_explained() -> None:
    text = (PAGES / "requirements.md").read_text(encoding="utf-8")
    assert [name for name in model_names() if not re.search(rf"`{name}[:`]", text)] == []


def test_every_builder_is_explained() -> None:
    text = (PAGES / "hierarchies.md").read_text(encoding="utf-8")
    hidden = {"require_valid"}  # validate with an exception
    assert [name for name in hierarchies.__all__ if name not in text and name not in hidden] == []
