"""The limits of a plan for an attack that was tried by itself."""

from __future__ import annotations

from pathlib import Path

from people import plan_with, write_case

import incrowd as ic
from incrowd.attack.limits import limits_of
from incrowd.attack.value import Attacked, Rate

SCENARIOS = [{"name": "neighbour", "keys": ["age", "sex"]}, {"name": "stranger", "keys": ["sex"]}]


def _tried(attack: str, scenario: str, hits: int | None) -> Attacked:
    success = None if hits is None else Rate(hits, 100)
    return Attacked(attack, scenario, "", "", success, 0.1, None, "", why="no table" if hits is None else "")


def test_each_limit_that_speaks_of_it_judges_it(tmp_path: Path) -> None:
    asked = [
        {"attacks": ["linkage"], "scenarios": ["neighbour"], "limit": 0.3, "residual": 0.5},
        {"attacks": ["linkage", "gap"], "limit": 0.9},
        {"attacks": ["linkage"], "limit": 0.0, "off": True},
    ]
    plan = ic.load_plan(write_case(tmp_path, plan_with(scenarios=SCENARIOS, attack=asked)))
    assert [(v.asked, v.passed) for v in limits_of(plan, _tried("linkage", "neighbour", 10))] == [
        (0.3, True),
        (0.5, True),
        (0.9, True),
    ]
    assert [(v.asked, v.passed) for v in limits_of(plan, _tried("linkage", "stranger", 95))] == [(0.9, False)]
    assert limits_of(plan, _tried("nearest", "stranger", 95)) == ()
    assert [v.passed for v in limits_of(plan, _tried("gap", "stranger", None))] == [False]  # not tried is not passed
