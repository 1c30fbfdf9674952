"""A plan that keeps to its folder, and ways out of it that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from incrowd.errors import InputError
from incrowd.plan.confined import refuse_outside

PLAN = {
    "title": "One",
    "tier": "controlled",
    "data": {"source": "people.csv", "kind": "survey"},
    "variables": {"area": {"role": "key", "reason": "Known."}},
    "steps": [],
    "requirements": [{"model": "k", "k": 3}],
}
AWAY = ("/etc/passwd", "../other/people.csv", "inside/../../people.csv", "link/people.csv")
RECODE = {"step": "recode", "variable": "area", "reason": "x"}
K = [{"model": "k", "k": 3}]


def ways(name: str) -> dict[str, dict]:
    """The same plan with a file named at each place that can name one."""
    tier = {"tier": "open", "steps": [{**RECODE, "lookup": name}], "requirements": K}
    return {
        "data.source": {"data": {"source": name, "kind": "survey"}},
        "data.population": {"data": {**PLAN["data"], "population": {"source": name}}},
        "data.codes": {"data": {**PLAN["data"], "codes": name}},
        "variables.area.codes": {"variables": {"area": {"role": "key", "reason": "Known.", "codes": name}}},
        "lookup": {"steps": [{**RECODE, "lookup": name}]},
        "hierarchy": {"steps": [{**RECODE, "hierarchy": name, "level": 1}]},
        "a step that is off": {"steps": [{**RECODE, "lookup": name, "off": True}]},
        "attack": {"attack": [{"attacks": ["linkage"], "register": name, "off": True, "reason": "x"}]},
        "tiers": {"tier": None, "tiers": [tier]},
        "scenarios": {"scenarios": [{"name": "a", "keys": ["area"], "geography": {"key": "area", "hierarchy": name}}]},
        "intruder_test": {"intruder_test": name},
    }


def text(change: dict) -> str:
    content = {**PLAN, **change}
    return yaml.safe_dump({name: value for name, value in content.items() if value is not None})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "link").symlink_to(tmp_path)
    return home


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("place", ways(""))
def test_no_way_leads_out(place: str, away: str, home: Path) -> None:
    with pytest.raises(InputError) as refused:
        refuse_outside(text(ways(away)[place]), home)
    assert refused.value.code == "D425"
    assert away not in str(refused.value)


@pytest.mark.parametrize("place", ways(""))
def test_a_file_beside_the_plan_may_be_named(place: str, home: Path) -> None:
    refuse_outside(text(ways("lookups/areas.csv")[place]), home)


def test_neither_a_database_nor_another_machine_nor_code(home: Path) -> None:
    source = "postgresql://host/base?table=people"
    for change in (
        {"data": {"source": source, "kind": "survey"}},
        {"data": {**PLAN["data"], "engine": "spark", "master": "spark://elsewhere"}},
        {"release": {"table": source}},
        {"use_cases": [{"name": "mine", "test": "python", "function": "mine:test", "columns": ["area"]}]},
    ):
        with pytest.raises(InputError, match="by its owner only"):
            refuse_outside(text(change), home)


def test_what_is_no_plan_is_left_to_the_check(home: Path) -> None:
    refuse_outside("a: [", home)
    refuse_outside("", home)
