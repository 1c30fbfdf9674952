"""Ladders by a rule of the plan, and of real files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from census import CENSUS, census_codes
from examples import quick_only
from shared import SHARED, needs_shared
from tests.proposals.test_ladder_promise import climbed

from incrowd.demo.write import write_demo
from incrowd.keys.codebook import Codebook
from incrowd.plan.hierarchies import HierarchyRule, _short
from incrowd.proposals.ladder import Ladder

AGES: list[str | None] = [str(n) for n in range(16, 96)]
TOWNS = "code,name,county,region\nE1,Aldby,North,Up\nE2,Bexton,North,Up\nW1,Carn,West,Down\n"
REGIONS = "area,region\nNE,North\nAL,South\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "towns.csv").write_text(TOWNS, encoding="utf-8")
    (tmp_path / "regions.csv").write_text(REGIONS, encoding="utf-8")
    (tmp_path / "homes.csv").write_text("boat;afloat;*\nship;afloat;*\nhouse;ashore;*\n-9;-9;*\n", encoding="utf-8")
    return tmp_path


def ruled(rule: Any, values: list[Any], folder: Path, **options: Any) -> Ladder:
    return climbed(values, rule=HierarchyRule.model_validate(_short(rule)), folder=folder, **options)


POSTCODES = ["NE3 1ED", "NE3 2AB", "NE35 2FG", "AL1 1AA"]
BY_COLUMNS = {"file": "towns.csv", "from": "code", "to": ["county", "region"]}
RULES: list[tuple[Any, list[str | None], list[str]]] = [
    ("homes.csv", ["boat", "ship", "house"], ["1"]),
    (BY_COLUMNS, ["E1", "E2", "W1"], ["county", "region"]),
    ({"file": "towns.csv", "to": ["region"]}, ["E1", "E2", "W1"], ["region"]),
    ({"cuts": [[16, 30, 45, 60], [30, 60]]}, AGES, ["1", "2"]),
    ({"widths": [5, 10, 40]}, AGES, ["5", "10", "40"]),
    ({"widths": ["2.5"]}, ["0.5", "7", "-3"], ["2.5"]),
    ({"quantiles": [10, 4, 2]}, AGES, ["10", "4", "2"]),
    ({"date_parts": ["month", "year"]}, ["1984-07-05", "1984-08-01", "1990-01-01"], ["month", "year"]),
    ({"date_parts": ["year"], "date_format": "%d/%m/%Y"}, ["05/07/1984", "01/08/1990"], ["year"]),
    ({"date_parts": []}, ["1984-07-05", "1984-08-01", "1990-01-01"], ["month", "year", "decade"]),
    ({"prefixes": [3, 1]}, ["A123", "A124", "B1"], ["first 3", "first 1"]),
    ({"prefixes": []}, ["A123", "A124", "B123"], ["first 1"]),
    ({"mappings": [{"a": "vowel", "e": "vowel"}]}, ["a", "b", "e"], ["1"]),
    ({"groups": [2, 2], "order": ["low", "mid", "high", "top", "over"]}, ["low", "mid", "high"], ["1", "2"]),
    ("postcode", [*POSTCODES], ["sector", "subdistrict", "district", "area"]),
    ({"postcode": ["area"], "others": "none"}, [*POSTCODES, "abroad"], ["area"]),
    ({"postcode": ["district", "area"], "regions": "regions.csv"}, [*POSTCODES], ["district", "area", "region"]),
    ({"postcode": ["area"], "regions": {"file": "regions.csv", "from": "area", "to": "region"}}, [*POSTCODES],
     ["area", "region"]),
    ({"postcode": ["area"], "regions": "regions.csv", "others": "NE"}, ["AL1 1AA", "abroad"], ["area", "region"]),
    ("itl", ["York", "Leeds", "Derby"], ["itl3", "itl2", "itl1"]),
    ({"itl": ["itl1"], "others": "Islands"}, ["York", "Jersey", "Guernsey"], ["itl1"]),
]  # fmt: skip


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("rule", "values", "names"), RULES)
def test_a_rule_of_the_plan_is_a_ladder(
    rule: Any, values: list[str | None], names: list[str], missing: bool, folder: Path
) -> None:
    book = Codebook(missing={"x": ("-9",)}) if missing else Codebook()
    extra = [None, "-9"] if missing else []
    made = ruled(rule, [*values, *extra], folder, book=book)
    assert [rung.name for rung in made.rungs] == ["as it is", *names, "dropped"]
    assert made.how == "rule of the plan"


def test_a_rule_reads_as_the_step_that_says_it(folder: Path) -> None:
    made = ruled({"widths": [40]}, AGES, folder)
    assert made.rungs[1].steps == ({"step": "recode", "variable": "x", "bands": [0, 40, 80, 120]},)
    made = ruled("homes.csv", ["boat", "ship", "house"], folder)
    assert made.rungs[1].steps == ({"step": "recode", "variable": "x", "hierarchy": "homes.csv", "level": 1},)
    made = ruled(BY_COLUMNS, ["E1", "W1"], folder)
    assert made.rungs[2].steps[0]["lookup"] == {"file": "towns.csv", "from": "code", "to": "region"}


def test_a_rule_decides_for_named_values_and_auto_does_not(folder: Path) -> None:
    made = ruled("homes.csv", ["boat", "ship", "house"], folder, named=["boat"])
    assert made.hierarchy.groups(1)["afloat"] == ("boat", "ship")
    assert ruled("auto", AGES, folder, named=["40"]).how == "bands at round numbers"


def test_codes_for_no_value_alone_have_a_mapping(folder: Path) -> None:
    book = Codebook(missing={"x": ("-9", "-8")})
    ruled({"widths": [5, 10]}, ["-9", "-8"], folder, book=book)
    ruled({"prefixes": [1]}, ["-9", "-8", None], folder, book=book)


def test_the_demo_has_ladders(tmp_path: Path) -> None:
    write_demo(tmp_path / "people.csv", rows=600)
    with (tmp_path / "people.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    made = {name: climbed([row[name] or None for row in rows]) for name in rows[0]}
    assert [rung.name for rung in made["area"].rungs] == ["as it is", "itl3", "itl2", "itl1", "dropped"]
    assert [rung.name for rung in made["postcode"].rungs] == ["as it is", "sector", "district", "area", "dropped"]
    assert [rung.name for rung in made["age"].rungs] == ["as it is", "16", "8", "4", "2", "dropped"]


ADULT = SHARED / "data/adult"
ADULT_KEYS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


@needs_shared
@pytest.mark.parametrize("key", quick_only(["age", "education"], ADULT_KEYS))
def test_the_hierarchies_of_adult_are_ladders(key: str) -> None:
    with (ADULT / "adult.csv").open(encoding="utf-8") as file:
        values = [row[key] for row in csv.DictReader(file, delimiter=";")]
    ruled(f"adult_hierarchy_{key}.csv", [*values], ADULT)
    climbed(values)


@needs_shared
def test_the_census_teaching_file_has_ladders() -> None:
    with (CENSUS / "teaching_file_10k.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:3000]
    columns = [name for name in rows[0] if name and name != "Person ID"]
    codes = census_codes(columns)
    for name in columns:
        climbed([row[name] for row in rows], book=Codebook(codes={"x": codes.get(name, {})}))


@needs_shared
def test_every_local_authority_of_the_lookup_has_its_regions() -> None:
    with (SHARED / "data/geography/LAD23_to_ITL_Jan2021.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for column in ("LAD23CD", "LAD23NM"):
        made = climbed([row[column] for row in rows])
        assert [rung.name for rung in made.rungs] == ["as it is", "itl3", "itl2", "itl1", "dropped"]
