"""People who have several records: each is counted once, at every level, and no place gets more than it has."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import need_spark

import incrowd as ic
from incrowd.errors import InputError
from incrowd.keys.postcodes import Postcode, parse
from incrowd.postcodes import count_places, merge_places
from incrowd.rows import Rows, open_source
from incrowd.rows.engine import connect
from incrowd.rows.postcodes import sum_postcodes

HOMES = ["NE3 1ED", "ne3 1ee", "NE3 2AB", "NE35 2FG", "TD1 1AA", "CANARY", ""]


def write(path: Path, lines: list[tuple[str, str]]) -> Path:
    path.write_text("patient,home\n" + "".join(f"{who},{home}\n" for who, home in lines))
    return path


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """30 patients with 400 visits each, all from one sector."""
    return write(tmp_path / "visits.csv", [(f"p{i}", "NE3 1ED") for i in range(30) for _ in range(400)])


def test_visits_are_no_people(visits: Path) -> None:
    rows, people = (count_places(visits, "home", unit=unit) for unit in (None, "patient"))
    assert (rows.at("sector").sizes["records"].tolist(), people.at("sector").sizes["people"].tolist()) == (
        [12_000],
        [30],
    )
    assert people.counted("people") == "People are told apart by the column 'patient', and each is counted once."
    found = ic.postcode_analyse(visits, "home", threshold=1_000, unit="patient").analysis
    assert (found.finest("people"), found.lines[0].smallest) == (None, 30)
    merged = ic.postcode_merge(visits, "home", threshold=30, unit="patient").merged
    assert merged.smallest == 30
    with pytest.raises(InputError, match="D177"):
        ic.postcode_merge(visits, "home", threshold=31, unit="patient")


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(HOMES)), min_size=1, max_size=40))
@settings(max_examples=examples(80))
def test_people_are_those_of_a_loop(lines: list[tuple[str, str]]) -> None:
    by_person: dict[str, Counter[str]] = {}
    for who, home in lines:
        one = parse(home)
        by_person.setdefault(who, Counter()).update([one.sector] if isinstance(one, Postcode) else [])
    homes = {who: min(found, key=lambda code: (-found[code], code)) for who, found in by_person.items() if found}
    if not homes:
        return
    names, texts = zip(*lines, strict=True)
    places = count_places(open_source(pd.DataFrame({"who": names, "home": texts})), "home", unit="who")
    counted = dict(zip(places.codes, places.sizes["people"].tolist(), strict=True))
    assert {code: number for code, number in counted.items() if number} == Counter(homes.values())
    assert places.left_out == {"people": len(by_person) - len(homes)}
    several = sum(len(found) > 1 for found in by_person.values())
    assert ("several places" in places.counted("people")) == bool(several)
    there: dict[str, set[str]] = {}
    for who, found in by_person.items():
        for code in found:
            there.setdefault(code, set()).add(who)
    assert set(counted) == set(there)
    assert all(counted[code] <= len(people) for code, people in there.items())
    assert merge_places(places, "area", 1).smallest >= 1  # places in which nobody is counted go, too


def test_records_of_nobody_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "visits.csv", [("a", "NE3 1ED"), ("", "NE3 1ED"), ("", "")])
    with pytest.raises(InputError, match=r"D013.*2 records"):
        count_places(path, "home", unit="patient")


def test_a_column_of_counts_and_people_told_apart_exclude_each_other(tmp_path: Path, visits: Path) -> None:
    with pytest.raises(InputError, match="D189"):
        count_places(visits, "home", ["patient"], unit="patient")
    with pytest.raises(InputError, match="D012"):
        count_places(visits, "home", unit="person")


def test_codes_and_zip_codes_of_people_who_have_several(tmp_path: Path) -> None:
    sectors = write(tmp_path / "sectors.csv", [("a", "NE3 1"), ("a", "NE3 1"), ("b", "NE3 1"), ("b", "NE3 2")])
    places = count_places(sectors, "home", unit="patient")
    assert dict(zip(places.codes, places.sizes["people"].tolist(), strict=True)) == {"NE3 1": 2, "NE3 2": 0}
    zips = write(tmp_path / "zips.csv", [("a", "02139"), ("a", "02138"), ("b", "10001")])
    places = count_places(zips, "home", zip_codes=True, unit="patient")
    assert dict(zip(places.codes, places.sizes["people"].tolist(), strict=True)) == {"021": 1, "100": 1}


def test_repairs_are_counted_as_people_too(tmp_path: Path) -> None:
    path = write(tmp_path / "slips.csv", [("a", "SW1A OAA"), ("a", "SW1A 0AA"), ("b", "SW1A OAA")])
    assert count_places(path, "home", unit="patient").sizes["people"].tolist() == [1]
    assert count_places(path, "home", unit="patient", repair=True).sizes["people"].tolist() == [2]


@pytest.mark.slow
def test_spark_counts_people_as_duckdb_does(tmp_path: Path) -> None:
    need_spark()
    names = {"who": [f"p{i % 7}" for i in range(60)], "home": [HOMES[i * i % 11 % len(HOMES)] for i in range(60)]}
    found = []
    for name in ("duckdb", "spark"):
        engine = connect(name, spill=tmp_path)
        sums = sum_postcodes(Rows(engine, engine.lookup(pa.table(names)), "visits"), "home", [], unit="who")
        found.append((sums.codes, sums.populations["people"].tolist(), sums.left_out, sums.several))
        engine.close()
    assert found[0] == found[1]
