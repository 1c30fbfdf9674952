"""A plan's data in memory: what it answers is what a run and a fresh count give, whatever was asked before."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import IncrowdError
from incrowd.pipeline.live import Live, open_live
from incrowd.plan import Plan

STEPS: list[dict[str, Any]] = [
    {"step": "drop", "variables": ["name"]},
    {"step": "recode", "variable": "age", "bands": ["0", "30", "50"]},
    {"step": "recode", "variable": "sex", "mapping": {"f": "any", "m": "any"}},
    {"step": "pram", "variable": "sex", "rate": "0.2"},
    {"step": "sample", "fraction": "0.6"},
    {"step": "suppress_records"},
    {"step": "suppress_cells", "k": "3"},
]


def made(folder: Path, **changes: Any) -> Plan:
    return parse_plan_text(folder, plan_with(**changes))


def parse_plan_text(folder: Path, plan: dict[str, Any]) -> Plan:
    return ic.load_plan(write_case(folder, plan))


def test_a_changed_plan_gives_what_a_fresh_one_gives(tmp_path: Path) -> None:
    """Steps come, go, move and are switched off: the classes are those of somebody who opens the data anew."""
    chance = random.Random(5)
    plan = made(tmp_path)
    private = tmp_path / "private"
    private.mkdir()
    with open_live(plan, tmp_path, private) as live:
        for number in range(14):
            steps = [dict(one) for one in STEPS if one["step"] == "drop" or chance.random() < 0.5]
            for one in steps:
                if chance.random() < 0.2:
                    one["off"] = True
            steps[0].pop("off", None)
            k = chance.choice(["2", "3", "4"])
            try:
                changed = made(tmp_path, steps=steps, requirements=[{"model": "k", "k": k}])
            except IncrowdError:
                continue  # a plan with faults is not tried
            fresh = private / f"fresh-{number}"
            fresh.mkdir()
            with open_live(changed, tmp_path, fresh) as alone:
                assert live.fits(changed)
                assert _outcome(live, changed) == _outcome(alone, changed)


def _outcome(live: Live, plan: Plan) -> object:
    try:
        begun = live.after(plan)
        told = [(one.number, one.name, one.after, one.records_removed, one.cells_changed) for one in begun.steps]
        return told, live.verdicts(begun)
    except IncrowdError as error:
        return error.code


def test_the_end_is_the_end_of_a_run(tmp_path: Path) -> None:
    plan = made(tmp_path)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        begun = live.after(plan)
        held = live.verdicts(begun)
    done = ic.run(tmp_path / "plan.yaml")
    assert begun.steps[-1].after == done.log.steps[-1].after
    assert [(one.words, one.passed) for one in held] == [("every class has at least 3 people", True)]
    written = ic.verify(done.release / "people.csv", ["age", "sex"])
    assert (written.k, written.classes) == (begun.steps[-1].after.smallest, begun.steps[-1].after.classes)


def test_what_does_not_hold_is_counted(tmp_path: Path) -> None:
    steps = [{"step": "drop", "variables": ["name"]}]
    plan = made(tmp_path, steps=steps)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        (held,) = live.verdicts(live.after(plan))
    found = ic.verify(tmp_path / "people.csv", ["age", "sex"], [ic.K(3)])
    assert not held.passed
    assert (held.failing_people, held.failing_classes) == (found.failing_people, found.failing_classes)
    assert held.achieved == found.k


def test_any_columns_can_be_asked_for(tmp_path: Path) -> None:
    plan = made(tmp_path)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        for keys in (["age"], ["sex", "ill"], ["note", "age", "sex", "ill"], ["sex"]):
            found, table = ic.verify(tmp_path / "people.csv", keys), live.by(keys)
            assert (table.classes, table.uniques, table.smallest) == (found.classes, found.uniques, found.k)
            measured = live.measure(keys, ["tables", "record"])
            assert measured.records == 60
        with pytest.raises(IncrowdError, match="D410"):
            live.by(["nothing"])


def test_other_roles_or_data_are_opened_anew(tmp_path: Path) -> None:
    plan = made(tmp_path)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        assert live.fits(made(tmp_path, title="Another", tier="safeguarded"))
        variables = plan_with()["variables"]
        variables["note"] = {"role": "key", "reason": "known"}
        assert not live.fits(made(tmp_path, variables=variables))


def test_a_population_is_asked_for_the_same_columns(tmp_path: Path) -> None:
    lines = "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(600))
    (tmp_path / "everybody.csv").write_text("age,sex\n" + lines)
    data = {"source": "people.csv", "kind": "survey", "population": {"source": "everybody.csv"}}
    steps = [{"step": "drop", "variables": ["name"]}]
    plan = made(tmp_path, data=data, steps=steps)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        measured = live.measure(["age", "sex"], ["tables"])
        assert measured.tables is not None
        assert measured.tables.has_population
        assert measured.fraction == pytest.approx(0.1)
        alone = live.measure(["age", "note"], ["tables"])  # which the population does not have
        assert alone.tables is not None
        assert not alone.tables.has_population


def test_people_with_several_records_are_counted_once(tmp_path: Path) -> None:
    lines = "".join(f"n{i % 25},{20 + i % 5},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(60))
    plan = plan_with(data={"source": "people.csv", "kind": "survey", "unit": "name"})
    loaded = ic.load_plan(write_case(tmp_path, plan, lines))
    with open_live(loaded, tmp_path, tmp_path / "private") as live:
        for keys in (["age", "sex"], ["sex", "ill"], ["note"]):
            found, table = ic.verify(tmp_path / "people.csv", keys, unit="name"), live.by(keys)
            assert (table.people, table.classes, table.uniques, table.smallest) == (
                found.people, found.classes, found.uniques, found.k,
            )  # fmt: skip


VARIANTS: dict[str, dict[str, Any]] = {
    "cells": {"steps": [STEPS[0], {"step": "suppress_cells", "k": "3"}]},
    "chance": {"steps": [STEPS[0], STEPS[1], {"step": "pram", "variable": "sex", "rate": "0.3"}, STEPS[5]]},
    "sample": {"steps": [STEPS[0], STEPS[1], {"step": "sample", "fraction": "0.7"}, STEPS[5]]},
    "swap": {"steps": [STEPS[0], STEPS[1], {"step": "swap", "geography": ["sex"], "rate": "0.4"}, STEPS[5]]},
    "unit": {"data": {"source": "people.csv", "kind": "survey", "unit": "name"}},
    "missing": {"variables": {**plan_with()["variables"],
                              "sex": {"role": "key", "reason": "visible", "missing_codes": ["m"]}}},
    "neutralised": {"release": {"format": "csv", "name": "people", "formulas": "neutralise"}},
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_it_ends_where_a_run_ends_whatever_the_method(name: str, tmp_path: Path) -> None:
    lines = "".join(f"n{i % 45},{20 + i % 9},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(90))
    path = write_case(tmp_path, plan_with(**VARIANTS[name]), lines)
    plan = ic.load_plan(path)
    with open_live(plan, tmp_path, tmp_path / "private") as live:
        begun = live.after(plan)
        assert all(one.passed for one in live.verdicts(begun))
    done = ic.run(path)
    assert [one.after for one in begun.steps] == [one.after for one in done.log.steps][: len(begun.steps)]
    assert begun.steps[-1].after == done.log.end
