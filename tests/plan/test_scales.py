"""A variable that is declared nominal, ordinal or numeric is treated as such, in check and in a run."""

from __future__ import annotations

import copy
import csv
from pathlib import Path
from typing import Any

import pytest
from people import PLAN, write_case

import incrowd as ic


def declared(scales: dict[str, str], **changes: Any) -> dict[str, Any]:
    plan = {**copy.deepcopy(PLAN), **changes}
    for name, scale in scales.items():
        plan["variables"][name]["scale"] = scale
    return plan


def faults(folder: Path, plan: dict[str, Any]) -> list[tuple[str, str]]:
    return [(fault.code, fault.place) for fault in ic.check(write_case(folder, plan)).faults]


DROP = {"step": "drop", "variables": ["name"]}


@pytest.mark.parametrize(
    ("step", "place", "ordinal"),
    [
        ({"step": "top_code", "variable": "age", "at": "60"}, "variable", True),
        ({"step": "bottom_code", "variable": "age", "percentile": 5}, "variable", True),
        ({"step": "round", "variable": "age", "base": "5"}, "variable", True),
        ({"step": "noise", "variables": ["age"], "share": 0.1}, "variables.0", True),
        ({"step": "microaggregate", "variables": ["age"], "k": 3}, "variables.0", True),
        ({"step": "recode", "variable": "age", "bands": ["0", "40"]}, "bands", False),
        ({"step": "search", "hierarchies": {"age": {"widths": ["5"]}}}, "hierarchies.age", False),
        ({"step": "search", "hierarchies": {"age": {"groups": [2]}}}, "hierarchies.age", False),
    ],
)
def test_reckoning_with_names_is_a_fault(tmp_path: Path, step: dict[str, Any], place: str, ordinal: bool) -> None:
    steps = [DROP, step]
    assert ("P095", f"steps.1.{place}") in faults(tmp_path, declared({"age": "nominal"}, steps=steps))
    assert (("P095", f"steps.1.{place}") in faults(tmp_path, declared({"age": "ordinal"}, steps=steps))) == ordinal
    assert "P095" not in {code for code, _ in faults(tmp_path, declared({"age": "numeric"}, steps=steps))}


def test_an_ordered_distance_needs_an_order(tmp_path: Path) -> None:
    ordered = [{"model": "t", "sensitive": "ill", "t": "0.3", "distance": "ordered", "order": ["n", "y"]}]
    assert faults(tmp_path, declared({"ill": "nominal"}, requirements=ordered)) == [("P094", "requirements.0.distance")]
    assert faults(tmp_path, declared({"ill": "ordinal"}, requirements=ordered)) == []


def test_a_file_must_not_hide_the_regions(tmp_path: Path) -> None:
    steps = [DROP, {"step": "recode", "variable": "note", "lookup": "itl1"}, {"step": "suppress_records"}]
    assert faults(tmp_path, declared({}, steps=steps)) == []
    (tmp_path / "itl1").write_text("a,b\n1,2\n")
    assert faults(tmp_path, declared({}, steps=steps)) == [("P096", "steps.1.lookup")]
    steps[1]["lookup"] = {"file": "itl1"}
    assert faults(tmp_path, declared({}, steps=steps)) == []


def test_a_lookup_from_a_column_needs_its_goal(tmp_path: Path) -> None:
    steps = [DROP, {"step": "recode", "variable": "note", "lookup": {"file": "x.csv", "from": "a"}}]
    with pytest.raises(ic.PlanError, match="from needs to"):
        ic.run(write_case(tmp_path, declared({}, steps=steps)))


def test_a_search_says_what_its_levels_hold(tmp_path: Path) -> None:
    """The scale of the plan decides, and the audit has the words."""
    job = {"1": "farming", "2": "mining", "3": "retail", "4": "banking", "-9": "no code required"}
    people = {"1": 2, "2": 2, "3": 9, "4": 9, "-9": 5}
    lines = "".join(f"n,{code},f,y,0\n" for code, many in people.items() for _ in range(many))
    plan = declared({"age": "nominal"}, steps=[DROP, {"step": "search", "hierarchies": {"age": "auto"}}])
    plan["variables"]["age"]["codes"] = job
    plan["requirements"] = [{"model": "k", "k": "3"}]
    done = ic.run(write_case(tmp_path, plan, lines))
    notes = [note for step in done.log.steps for note in step.notes]
    assert "age: 4 groups; 1|2 (farming, mining); 2 values as they are; -9 (no code required) apart" in notes
    with (done.release / "people.csv").open(newline="") as file:
        assert {row["age"] for row in csv.DictReader(file)} == {"1|2", "3", "4", "-9"}


def test_a_numeric_variable_that_was_banded_is_no_longer_numeric(tmp_path: Path) -> None:
    steps = [
        DROP,
        {"step": "recode", "variable": "age", "bands": ["0", "30", "40", "50"]},
        {"step": "search", "hierarchies": {"age": "auto"}, "suppression": 0.1},
    ]
    assert ic.run(write_case(tmp_path, declared({"age": "numeric"}, steps=steps))).release.exists()
