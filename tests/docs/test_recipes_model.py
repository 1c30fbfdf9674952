"""The recipe "A privacy model" of CONTRIBUTING.md, followed: the model, its plan type and the gate's own formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from commands import call
from people import plan_with, write_case
from recipes import plan_page, recipe, registered

import incrowd as ic
from incrowd.errors import NotReleasable
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements import MODELS, Requirement, model_names
from incrowd.keys.requirements.base import Numbers
from incrowd.keys.requirements.form import Form
from incrowd.keys.table import KeyTable, Mask
from incrowd.plan import inspect_plan
from incrowd.plan.requirements import REQUIREMENTS, AnyModel
from incrowd.release.judge import FORMULAS, Case, Judgement, judges, most

WITH_TOY = plan_with(
    steps=[
        {"step": "drop", "variables": ["name"]},
        {"step": "recode", "variable": "age", "bands": ["0", "40"]},
        {"step": "suppress_records", "for": ["at_most"]},
    ],
    requirements=[{"model": "k", "k": "3"}, {"model": "at_most", "n": "50"}],
)


@pytest.fixture
def at_most() -> Iterator[type[AnyModel]]:
    @dataclass(frozen=True)
    class AtMost(Requirement):
        """Is no crowd too large?"""

        n: int
        model: ClassVar[str] = "at_most"
        forms: ClassVar[Mapping[str, Form]] = {"at_most": Form("N", lambda f, _: AtMost(int(f[0])))}
        measured: ClassVar[str] = "people in the largest class"

        @property
        def survives_merging(self) -> bool:
            return False

        def measure(self, table: KeyTable) -> Numbers:
            return table.sizes

        def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
            return figures > self.n

        def words(self) -> str:
            return f"no class has more than {self.n} people"

    class AsksAtMost(AnyModel):
        """No class has more than n people."""

        model: Literal["at_most"]
        n: int

        def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> Requirement:
            return AtMost(self.n, **common)

    @judges(AsksAtMost)
    def at_most(requirement: AsksAtMost, case: Case) -> Judgement:
        return most(requirement.n, [float(n) for n in case.count.people(case.keys).values()])

    undo = (lambda: MODELS.pop("at_most"), lambda: REQUIREMENTS.remove(AsksAtMost), lambda: FORMULAS.pop(AsksAtMost, 0))
    with registered(*undo):
        yield AsksAtMost


@pytest.mark.usefixtures("at_most")
def test_a_toy_model_runs_and_is_seen(tmp_path: Path) -> None:
    done = ic.run(write_case(tmp_path, WITH_TOY))
    verdict = next(one for one in done.log.verdicts if one.model == "at_most")
    assert (verdict.passed, verdict.asked) == (True, 50)
    internal = "".join(page.read_text() for page in done.audit.glob("*.html"))
    assert "no class has more than 50 people" in internal
    assert "people in the largest class" in internal
    assert "at most 50" in internal
    assert "### model: `at_most`" in plan_page()
    verify = f"incrowd verify {tmp_path}/people.csv --keys sex --model"
    code, told, _ = call(f"{verify} at_most:5")
    assert code == 3
    assert "no class has more than 5 people" in told
    code, told, _ = call(f"{verify} help")
    assert code == 0
    assert "at_most:N" in told.splitlines()


def test_a_model_that_the_gate_has_no_formula_for_is_never_released(tmp_path: Path, at_most: type[AnyModel]) -> None:
    FORMULAS.pop(at_most)
    with pytest.raises(NotReleasable, match="R009"):
        ic.run(write_case(tmp_path, WITH_TOY))


def test_without_the_toy_nobody_knows_it(tmp_path: Path) -> None:
    faults = inspect_plan(write_case(tmp_path, WITH_TOY).read_text(), tmp_path).faults
    assert {fault.code for fault in faults} == {"P004", "P006"}
    assert "at_most" not in model_names()


def test_every_model_has_its_plan_type_and_every_plan_type_its_formula() -> None:
    assert set(REQUIREMENTS.names) == set(MODELS)
    assert set(REQUIREMENTS.all) == set(FORMULAS)


def test_a_model_without_words_is_refused() -> None:
    with pytest.raises(TypeError, match="does not say its measured"):

        class _Silent(Requirement):
            model: ClassVar[str] = "silent"
            forms: ClassVar[Mapping[str, Form]] = {}

    assert "silent" not in MODELS


def test_the_recipe_names_the_three_files() -> None:
    text = recipe("A privacy model")
    for file in ("keys/requirements/", "plan/requirements.py", "release/formulas.py"):
        assert file in text
