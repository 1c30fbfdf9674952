"""The recipe for a use case, followed on a toy: a class in the plan, and a file that compares."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from board import Sections
from people import plan_with, write_case
from pydantic import Field
from recipes import ROOT, files_of, generator, recipe
from typer.testing import CliRunner

import incrowd as ic
from incrowd.cli import load
from incrowd.plan import Plan
from incrowd.plan.use_cases import KINDS, Places, Share, UseCase
from incrowd.utility.needs import Need
from incrowd.utility.outcome import Estimate, Figure, Outcome
from incrowd.utility.registry import Around, Sides, use_case
from incrowd.utility.use_cases import USE_CASES

CASE = {"name": "Are enough left?", "test": "records_kept", "of": "sex", "at_least": 0.5}


@pytest.fixture
def toy() -> Iterator[None]:
    """What a class of plan/use_cases.py and a file of utility/use_cases/ would hold."""

    class RecordsKept(UseCase):
        """Are enough records left? Passes when they are."""

        test: Literal["records_kept"]
        of: str = Field(description="A column, by which they are counted.")
        at_least: Share = Field(0.9, description="The smallest share that will do.")

        def named(self) -> Places:
            return [("of", self.of)]

    def needs(case: RecordsKept, around: Around) -> list[Need]:
        return [Need((case.of,))]

    @use_case(RecordsKept, needs)
    def records_kept(case: RecordsKept, sides: Sides) -> Outcome:
        need = needs(case, sides.around)[0]
        before, after = sides.original.get(need).total, sides.released.get(need).total
        figure = Figure("records", Estimate(before), Estimate(after), after / before - 1, None, None)
        rule, passed = f"at least {case.at_least:g} of the records are left", after / before >= case.at_least
        return Outcome(case.name, case.test, rule, passed, f"{after} of {before} are left", "share lost", (figure,))

    Plan.model_rebuild(force=True)
    yield
    del USE_CASES[KINDS.pop("records_kept")]
    Plan.model_rebuild(force=True)


def test_the_recipe_names_files_that_are_there() -> None:
    named = files_of(recipe("A use case"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize(("at_least", "verdict"), [(0.5, "stays"), (1.0, "stays"), (0.9, "changes")])
def test_a_use_case_has_its_verdict_in_the_reports(toy: None, tmp_path: Path, at_least: float, verdict: str) -> None:
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},1\n" for i in range(60))
    lines += "" if verdict == "stays" else "".join(f"r{i},30,x{i},y,1\n" for i in range(20))  # who are suppressed
    case = {**CASE, "at_least": at_least}
    done = ic.run(write_case(tmp_path, plan_with(use_cases=[case]), lines))
    assert done.log.utility is not None
    assert [one.verdict for one in done.log.utility.outcomes] == [verdict]
    page = Sections((done.audit / "report.html").read_text(encoding="utf-8"))
    assert "Are enough left? records_kept" in page.texts["consultation"]
    assert "60 of " in page.texts["utility"]
    public = Sections((done.release / "report.html").read_text(encoding="utf-8"))
    assert f"at least {at_least:g} of the records are left" in public.texts["use-cases"]


def test_a_plan_with_it_is_checked(toy: None, tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(use_cases=[{**CASE, "of": "age"}, {**CASE, "of": "nobody", "name": "b"}]))
    with pytest.raises(ic.PlanError, match="'nobody' is not in the release"):
        ic.run(path)
    done = CliRunner().invoke(load(), ["check", "--schema"])
    assert '"records_kept"' in done.stdout


@pytest.mark.slow
def test_the_docs_check_misses_it_until_they_are_made_again(toy: None) -> None:
    made = generator()
    page = made.DOCS / "plan.md"
    text = made.pages()[page]
    assert "### test: `records_kept`" in text
    assert text != page.read_text(encoding="utf-8")


def test_every_kind_that_a_plan_may_have_can_be_compared() -> None:
    assert set(KINDS.values()) == set(USE_CASES)
    assert "records_kept" not in KINDS
