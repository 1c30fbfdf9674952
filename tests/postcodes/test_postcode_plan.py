"""Postcodes in plans: a recode by component, and a hierarchy that search uses, whole or place by place."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from people import SECRET

import incrowd as ic
from incrowd.errors import InputError, PlanError
from incrowd.keys.hierarchies import postcodes, validate
from incrowd.keys.postcodes import COMPONENTS, Postcode, parse

DENSE, SPARSE = ("NE3 1", "NE3 2", "NE35 2", "N1 1"), ("TD1 1", "TD2 1", "TD3 4", "N1C 4")


def homes(number: int = 400) -> list[str]:
    """Many people in a few sectors, a few people in others; no spelling is sure."""
    draw = random.Random(8)
    places = [draw.choice(DENSE) if draw.random() < 0.95 else draw.choice(SPARSE) for _ in range(number)]
    codes = [place + draw.choice("ABD") + draw.choice("EF") for place in places]
    return [code if draw.random() < 0.8 else code.lower().replace(" ", "") for code in codes]


def write_plan(folder: Path, steps: list[dict[str, Any]], values: list[str] | None = None, k: int = 5) -> Path:
    lines = values if values is not None else homes()
    (folder / "people.csv").write_text(
        "home,sex\n" + "".join(f"{code},{'fm'[i % 2]}\n" for i, code in enumerate(lines))
    )
    plan = {
        "title": "Homes", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
        "variables": {"home": {"role": "key", "reason": "known"}, "sex": {"role": "other", "reason": "harmless"}},
        "steps": steps, "requirements": [{"model": "k", "k": k}], "release": {"name": "homes"},
    }  # fmt: skip
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    return path


def released(plan: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    done = ic.run(plan)
    with next(done.release.glob("homes.csv")).open(newline="") as file:
        return Counter(row["home"] for row in csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("component", COMPONENTS[:4])
def test_recode_by_component(component: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [{"step": "recode", "variable": "home", "postcode": component}, {"step": "suppress_records"}]
    found = released(write_plan(tmp_path, steps), monkeypatch)
    read = (parse(code) for code in homes())
    wanted = Counter(one.component(component) for one in read if isinstance(one, Postcode))  # type: ignore[arg-type]
    assert found == {code: number for code, number in wanted.items() if number >= 5}


def test_values_that_are_no_postcodes_are_refused_with_a_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [*homes(), "CANARY", "SW1A OAA"]
    steps = [{"step": "recode", "variable": "home", "postcode": "area"}]
    with pytest.raises(InputError) as raised:
        released(write_plan(tmp_path, steps, values), monkeypatch)
    assert raised.value.code == "D180"
    assert raised.value.message.startswith("2 of the ")
    assert "CANARY" not in str(raised.value)


def test_values_that_are_no_postcodes_can_get_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [*homes(), *["nowhere", "SW1A OAA"] * 4]
    steps = [{"step": "recode", "variable": "home", "postcode": "area", "others": "unknown"},
             {"step": "suppress_records"}]  # fmt: skip
    found = released(write_plan(tmp_path, steps, values), monkeypatch)
    assert found["unknown"] == 8
    assert set(found) <= {"unknown", "NE", "N", "TD"}


def test_search_chooses_a_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [{"step": "search", "hierarchies": {"home": "postcode"}, "suppression": 0.1}]
    found = released(write_plan(tmp_path, steps), monkeypatch)
    assert min(found.values()) >= 5
    assert set(found) <= {part for code in homes() for part in components(code)}


def test_dense_places_keep_sectors_and_sparse_ones_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [{"step": "search", "hierarchies": {"home": {"postcode": ["sector", "district", "area"]}}, "local": True,
              "suppression": 0.05}]  # fmt: skip
    found = released(write_plan(tmp_path, steps, k=15), monkeypatch)
    assert min(found.values()) >= 15
    fine = {label for label in found if " " in label}
    assert fine <= {part for code in homes() for part in components(code)}
    assert fine, found
    assert set(found) - fine, found
    assert not set(SPARSE) & set(found)  # none of them has 15 people


def components(code: str) -> set[str]:
    one = parse(code)
    assert isinstance(one, Postcode)
    return {code, *(one.component(name) for name in COMPONENTS)}


def test_regions_go_on_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "regions.csv").write_text("area,region\nNE,North\nTD,North\nN,London\n")
    rule = {"postcode": ["district", "area"], "regions": "regions.csv"}
    steps = [{"step": "search", "hierarchies": {"home": rule}, "levels": {"home": 3}}]
    found = released(write_plan(tmp_path, steps), monkeypatch)
    assert set(found) == {"North", "London"}
    (tmp_path / "regions.csv").write_text("area,region\nNE,North\n")
    with pytest.raises(InputError) as raised:
        released(tmp_path / "plan.yaml", monkeypatch)
    assert raised.value.code == "D181"


def test_a_missing_file_of_regions_is_a_fault_of_the_plan(tmp_path: Path) -> None:
    rule = {"postcode": ["area"], "regions": "nowhere.csv"}
    path = write_plan(tmp_path, [{"step": "search", "hierarchies": {"home": rule}}])
    with pytest.raises(PlanError) as raised:
        ic.load_plan(path)
    assert [fault.code for fault in raised.value.faults] == ["P020"]


@pytest.mark.parametrize(
    "rule",
    [{"prefixes": [2], "regions": "r.csv"}, {"prefixes": [2], "others": "x"}, {"postcode": ["street"]},
     {"postcode": []}, {"postcode": ["area"], "auto": "true"}],
)  # fmt: skip
def test_rules_that_make_no_sense_are_refused(rule: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        ic.load_plan(write_plan(tmp_path, [{"step": "search", "hierarchies": {"home": rule}}]))


def test_the_hierarchy_is_sound_and_its_levels_have_fixed_numbers() -> None:
    values = sorted(set(homes()))
    built = postcodes(values, "home")
    assert validate(built, values) == []
    assert built.height == 5
    assert postcodes(["ne31ed", "nowhere"], "home", ["unit", "area"], others="?").rows == (
        ("ne31ed", "NE3 1ED", "NE", "*"), ("nowhere", "?", "?", "*"),
    )  # fmt: skip
    with pytest.raises(InputError) as raised:
        postcodes(values, "home", ["area", "sector"])
    assert raised.value.code == "D052"
