"""A distance along a hierarchy is measured between released values: they must stand in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from people import PLAN, plan_with, write_case

from incrowd.plan import inspect_plan

FINE, COARSE = "y;sick;*\nn;well;*\n", "sick;*\nwell;*\n"
RECODE = {"step": "recode", "variable": "ill", "hierarchy": "fine.csv", "level": "1"}
BACK = {"step": "recode", "variable": "ill", "mapping": {"sick": "y", "well": "n"}}


def faults(folder: Path, *more: dict[str, Any], hierarchy: str) -> list[tuple[str, str]]:
    write_case(folder)
    (folder / "fine.csv").write_text(FINE)
    (folder / "coarse.csv").write_text(COARSE)
    (folder / "partly.csv").write_text("sick;*\nother;*\n")
    (folder / "broken.csv").write_text('"sick;*\n')
    wanted = {"model": "t", "sensitive": "ill", "t": "0.5", "distance": "hierarchical", "hierarchy": hierarchy}
    plan = plan_with(steps=[*PLAN["steps"][:2], *more, PLAN["steps"][2]], requirements=[wanted])
    return [(fault.code, fault.place) for fault in inspect_plan(yaml.safe_dump(plan), folder).faults]


def test_a_hierarchy_of_values_that_were_recoded_away_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, RECODE, hierarchy="fine.csv") == [("P088", "requirements.0.hierarchy")]


@pytest.mark.parametrize("hierarchy", ["coarse.csv", "partly.csv", "broken.csv"])  # the last is told when it is opened
def test_one_that_starts_from_recoded_values_is_none(tmp_path: Path, hierarchy: str) -> None:
    assert faults(tmp_path, RECODE, hierarchy=hierarchy) == []


@pytest.mark.parametrize("more", [(), (RECODE, BACK)])
def test_nor_is_one_of_values_that_are_there_at_the_end(tmp_path: Path, more: tuple[dict[str, Any], ...]) -> None:
    assert faults(tmp_path, *more, hierarchy="fine.csv") == []
