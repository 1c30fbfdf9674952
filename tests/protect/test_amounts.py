"""A code for 'no value' is no amount: no step reckons with it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from people import plan_with, write_case

import incrowd as ic

LINES = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},y,{-9 if i % 4 == 0 else 1000 + 10 * i}\n" for i in range(60))
DROP = {"step": "drop", "variables": ["name"]}
STEPS: list[dict[str, Any]] = [
    {"step": "noise", "variables": ["note"], "sd": "5"},
    {"step": "round", "variable": "note", "base": "50"},
    {"step": "microaggregate", "variables": ["note"], "k": "3"},
    {"step": "top_code", "variable": "note", "at": "1500"},
]


def plan(steps: list[dict[str, Any]], more: dict[str, Any] | None = None) -> dict[str, Any]:
    content = plan_with(steps=steps, requirements=[{"model": "k", "k": "1"}])
    content["variables"]["note"] = {"role": "other", "reason": "harmless", "missing_codes": ["-9"]}
    content["variables"] |= more or {}
    return content


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["step"])
def test_a_step_that_reckons_refuses_codes_for_no_value(tmp_path: Path, step: dict[str, Any]) -> None:
    path = write_case(tmp_path, plan([DROP, step]), LINES)
    with pytest.raises(ic.InputError, match="D378: 15 records have a code for no value in 'note'") as error:
        ic.run(path)
    assert "-9" not in str(error.value)
    path = write_case(tmp_path, plan([DROP, step]), LINES.replace(",-9\n", ",1000\n"))
    assert ic.run(path).log.end.records == 60


def test_the_way_out_is_one(tmp_path: Path) -> None:
    steps = [
        {"step": "derive", "into": "amount", "expression": "`note` + 0"},
        {"step": "drop", "variables": ["name", "note"]},
        {"step": "round", "variable": "amount", "base": "50"},
    ]
    done = ic.run(write_case(tmp_path, plan(steps, {"amount": {"role": "other", "reason": "harmless"}}), LINES))
    with (done.release / "people.csv").open() as file:
        amounts = [row["amount"] for row in csv.DictReader(file)]
    assert amounts.count("") == 15
    assert all(int(one) % 50 == 0 for one in amounts if one)
