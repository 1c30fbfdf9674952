"""The recipe "A protection step" of CONTRIBUTING.md, followed: a plan type and a method, and all else finds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from commands import call
from people import plan_with, write_case
from recipes import plan_page, recipe, registered

import incrowd as ic
from incrowd.plan import inspect_plan
from incrowd.plan.steps import STEPS
from incrowd.plan.steps.numbers import OneVariable
from incrowd.protect import State
from incrowd.protect.methods import METHODS, carries_out
from incrowd.protect.state import Change, Context
from incrowd.protect.values import changed_cells, relabel, value_records

WITH_TOY = plan_with(
    steps=[
        {"step": "drop", "variables": ["name"]},
        {"step": "shout", "variable": "sex"},
        {"step": "recode", "variable": "age", "bands": ["0", "40"]},
        {"step": "suppress_records"},
    ]
)


@pytest.fixture
def shout() -> Iterator[None]:
    class Shout(OneVariable):
        """Say a variable in capitals."""

        step: Literal["shout"]

    @carries_out(Shout)
    def shout(step: Shout, number: int, state: State, context: Context) -> tuple[State, Change]:
        counts = value_records(state, step.variable)
        named = {value: None if value is None else value.upper() for value in counts}
        change = Change(f"shout {step.variable}", cells_changed=changed_cells(counts, named))
        return relabel(state, step.variable, named), change

    with registered(lambda: STEPS.remove(Shout), lambda: METHODS.pop(Shout)):
        yield


@pytest.mark.usefixtures("shout")
def test_a_toy_step_runs_and_is_seen(tmp_path: Path) -> None:
    done = ic.run(write_case(tmp_path, WITH_TOY))
    lines = (done.release / "people.csv").read_text().splitlines()
    assert {line.split(",")[1] for line in lines[1:]} == {"F", "M"}
    assert any("shout sex" in page.read_text() for page in done.audit.glob("*.html"))
    assert "### step: `shout`" in plan_page()
    code, _, faults = call(f"incrowd check {tmp_path}/plan.yaml")
    assert code == 0, faults


@pytest.mark.usefixtures("shout")
def test_the_check_asks_the_toy_what_it_alters(tmp_path: Path) -> None:
    late: list[Any] = [*WITH_TOY["steps"], {"step": "shout", "variable": "sex"}]
    text = write_case(tmp_path, {**WITH_TOY, "steps": late}).read_text()
    assert [(fault.code, fault.place) for fault in inspect_plan(text, tmp_path).faults] == [("P017", "steps.4")]


def test_without_the_toy_nobody_knows_it(tmp_path: Path) -> None:
    (fault,) = inspect_plan(write_case(tmp_path, WITH_TOY).read_text(), tmp_path).faults
    assert fault.code == "P006"
    assert "shout" not in (fault.hint or "")
    assert "'drop'" in (fault.hint or "")


def test_every_step_has_its_method_and_no_method_is_left_over() -> None:
    assert set(STEPS.all) == set(METHODS)


def test_two_steps_cannot_have_one_name() -> None:
    with pytest.raises(TypeError, match="there is a step 'drop' already"):

        class _Again(OneVariable):
            """A second drop."""

            step: Literal["drop"]


def test_the_recipe_names_the_two_files() -> None:
    text = recipe("A protection step")
    assert "plan/steps/" in text
    assert "protect/" in text
    assert "carries_out" in text
