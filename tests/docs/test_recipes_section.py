"""The recipe for a section of a report, followed on a toy: a template and a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from board import Sections
from jinja2 import ChoiceLoader, DictLoader
from people import write_case
from recipes import ROOT, files_of, recipe

import incrowd as ic
from incrowd.report import sections
from incrowd.report.internal import points
from incrowd.report.render import environment
from incrowd.report.sections import InternalSection, PublicSection

TEMPLATES = {
    "internal/tea_break.html": "<p>{{ cups }} cups for {{ log.end.records | count }} records.</p>\n",
    "public/tea_break.html": "<p>{{ cups }} cups for {{ facts.records }} records.</p>\n",
}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template for each report, and a line for each."""
    loader = environment().loader
    assert loader is not None
    monkeypatch.setattr(environment(), "loader", ChoiceLoader([DictLoader(TEMPLATES), loader]))
    inside = InternalSection(
        "tea-break", "Who made the tea", lambda log: {"cups": len(log.steps)}, lambda log: ["a biscuit"]
    )
    outside = PublicSection("tea-break", "Who had the tea", lambda facts: {"cups": 2})
    monkeypatch.setattr(sections, "SECTIONS", (*sections.SECTIONS, inside, outside))


def test_the_recipe_names_files_that_are_there() -> None:
    named = files_of(recipe("A section of the report"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_section_is_in_both_reports(toy: None, tmp_path: Path) -> None:
    done = ic.run(write_case(tmp_path))
    text = (done.audit / "report.html").read_text(encoding="utf-8")
    number = len(sections.internal())
    assert Sections(text).heads["tea-break"] == f"{number} Who made the tea missing"
    assert Sections(text).texts["tea-break"].endswith("Missing: a biscuit. 4 cups for 60 records.")
    assert '<li><a href="#tea-break">Who made the tea</a>' in text  # the contents list follows
    assert points(done.log)["tea-break"].missing == ("a biscuit",)
    public = Sections((done.release / "report.html").read_text(encoding="utf-8"))
    assert public.heads["tea-break"] == "Who had the tea"
    assert public.texts["tea-break"].endswith("2 cups for 60 records.")


def test_every_section_has_its_template_and_no_template_lacks_its_section() -> None:
    folder = ROOT / "src" / "incrowd" / "report" / "templates"
    there = {f"{part.name}/{file.name}" for part in folder.iterdir() if part.is_dir() for file in part.iterdir()}
    claims = "internal/intruder_claims.html"  # of the report of a test alone, which goes when the test is erased
    assert {one.template for one in sections.SECTIONS} | {claims} == there
    assert len(sections.internal()) == len({one.name for one in sections.internal()})
    assert len(sections.public()) == len({one.name for one in sections.public()})
