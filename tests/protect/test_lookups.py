"""Lookups: by named columns, by regions that ship with incrowd; and codes for 'no value', which stay out of groups."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from people import SECRET
from shared import SHARED, needs_shared
from steps import STEP, rows_of

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import validate
from incrowd.keys.table import from_records
from incrowd.plan.hierarchies import HierarchyRule, _short
from incrowd.plan.steps.recode import Recode
from incrowd.protect import Context, State, protect
from incrowd.protect.drawing import canonical
from incrowd.protect.hierarchies import make_hierarchy
from incrowd.rows.areas import LEVELS, regions_of
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

ONS = SHARED / "data/geography/LAD23_to_ITL_Jan2021.csv"
TABLE = "\ufeffcode,name,county,region\nE1,Aldby,North,Up\nE2,Bexton,North,Up\nW1,Carn,West,Down\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "areas.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def recoded(folder: Path, values: list[str | None], book: Codebook | None = None, **step: Any) -> list[str | None]:
    rows = rows_of({"x": values})
    context = Context(folder, Secret(bytes.fromhex(SECRET)), ("test",), (), book=book or Codebook())
    state = State(rows, tabulate(rows, ["x"]))
    done, _ = protect(STEP.validate_python({"step": "recode", "variable": "x", **step}), 1, state, context)
    return [row["x"] for row in done.rows.collect(done.rows.table).to_pylist()]


def made(folder: Path, values: list[str | None], rule: Any, book: Codebook | None = None) -> dict[str, tuple[str, ...]]:
    parsed = HierarchyRule.model_validate(_short(rule))
    built = make_hierarchy(parsed, "x", from_records({"x": values}), folder, book)
    assert validate(built, values) == []
    return {row[0]: row[1:] for row in built.rows}


def test_a_lookup_names_its_columns(folder: Path) -> None:
    by_code = {"file": "areas.csv", "from": "code", "to": "region"}
    assert sorted(recoded(folder, ["E1", "W1"], lookup=by_code), key=str) == ["Down", "Up"]
    by_name = {"file": "areas.csv", "from": "name", "to": "county"}
    assert recoded(folder, ["Carn", "Carn"], lookup=by_name) == ["West", "West"]
    assert recoded(folder, ["Carn"], lookup={"file": "areas.csv", "from": "name", "to": "region"}) == ["Down"]
    assert recoded(folder, ["E1"], lookup={"file": "areas.csv", "to": "region"}) == ["Up"]
    assert recoded(folder, ["E1"], lookup="areas.csv") == ["Aldby"]  # the first two columns, as ever


def test_a_lookup_says_which_column_was_meant(folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"D353: 2 of the 2 .* in its first column; 2 of them are in its column 'name'"
    ) as e:
        recoded(folder, ["Aldby", "Carn"], lookup="areas.csv")
    assert "from: name" in str(e.value)
    assert "Aldby" not in str(e.value)
    with pytest.raises(InputError, match=r"D023: 1 of the 2"):
        recoded(folder, ["Nowhere", "E1"], lookup="areas.csv")
    with pytest.raises(InputError, match=r"D352: the lookup areas.csv has no column 'regio'. Did you mean 'region'"):
        recoded(folder, ["E1"], lookup={"file": "areas.csv", "to": "regio"})
    with pytest.raises(InputError, match="D025"):
        recoded(folder, ["North"], lookup={"file": "areas.csv", "from": "county", "to": "name"})
    assert recoded(folder, ["Nowhere"], lookup="areas.csv", others="elsewhere") == ["elsewhere"]


def test_columns_of_a_file_are_levels(folder: Path) -> None:
    rule = {"file": "areas.csv", "from": "name", "to": ["county", "region"]}
    assert made(folder, ["Aldby", "Carn", None], rule) == {"Aldby": ("North", "Up", "*"), "Carn": ("West", "Down", "*")}
    assert made(folder, ["Carn", "-9"], rule, Codebook(missing={"x": ("-9",)}))["-9"] == ("-9", "-9", "*")


def test_a_lookup_keeps_its_draws(folder: Path) -> None:
    """A plan that names only a file is keyed as before: by the file's content, at the same place."""
    plain = Recode.model_validate({"step": "recode", "variable": "x", "lookup": "areas.csv"})
    assert '"lookup": "' in canonical(plain, folder)
    named = Recode.model_validate(
        {"step": "recode", "variable": "x", "lookup": {"file": "areas.csv", "from": "name", "to": "region"}}
    )
    assert "areas.csv" not in canonical(named, folder)
    assert '"from": "name"' in canonical(named, folder)


def test_regions_without_a_file(tmp_path: Path) -> None:
    values: list[str | None] = ["E06000001", "glasgow city", None, "Belfast", "W06000015"]
    assert set(recoded(tmp_path, values, lookup="itl1")) == {
        "North East (England)", "Scotland", "Northern Ireland", "Wales", None,
    }  # fmt: skip
    with pytest.raises(InputError, match=r"D351: 1 of the 2 different values .*local authorities of 2023") as caught:
        recoded(tmp_path, ["Atlantis", "Belfast"], lookup="itl2")
    assert "Atlantis" not in str(caught.value)
    assert recoded(tmp_path, ["Atlantis"], lookup="itl1", others="abroad") == ["abroad"]
    levels = made(tmp_path, ["E06000001", "S12000021"], "itl")
    assert levels["E06000001"][1:] == ("Tees Valley and Durham", "North East (England)", "*")
    assert " or " in levels["S12000021"][1]  # it lies in two regions of level 2: neither is said to be the one


@needs_shared
def test_the_shipped_regions_are_those_of_the_ons() -> None:
    with ONS.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    codes = sorted({row["LAD23CD"] for row in rows})
    assert len(codes) == 361
    for level in LEVELS:
        column = f"{level.upper()}21NM"
        expected = {code: " or ".join(sorted({r[column] for r in rows if r["LAD23CD"] == code})) for code in codes}
        assert regions_of(codes, level, "x") == [expected[code] for code in codes]
        names = [next(r["LAD23NM"] for r in rows if r["LAD23CD"] == code) for code in codes]
        assert regions_of([name.upper() for name in names], level, "x") == [expected[code] for code in codes]


@needs_shared
def test_the_file_of_the_ons_is_read_as_it_is() -> None:
    with ONS.open(encoding="utf-8-sig", newline="") as file:
        names = sorted({row["LAD23NM"] for row in csv.DictReader(file) if row["LAD23CD"][0] in "EW"})
    lookup = {"file": ONS.name, "from": "LAD23NM", "to": "ITL121NM"}
    assert len(names) == 318
    assert len(set(recoded(ONS.parent, list(names), lookup=lookup))) == 10
    with pytest.raises(InputError, match=r"D353: 318 of the 318 .* 318 of them are in its column 'LAD23NM'"):
        recoded(ONS.parent, list(names), lookup=ONS.name)


def test_declared_codes_for_no_value_stay_out_of_groups(folder: Path) -> None:
    book = Codebook(missing={"x": ("-9", "X")})
    assert set(recoded(folder, ["17", "-9", "X", "40"], book, bands=["16", "30"])) == {"16-29", "30+", "-9", "X"}
    assert set(recoded(folder, ["17", "-9"], book, mapping={"17": "a"}, others="rest")) == {"a", "-9"}
    assert recoded(folder, ["-9"], book, mapping={"-9": "asked in vain"}) == ["asked in vain"]
    assert recoded(folder, ["-9"], book, lookup="areas.csv") == ["-9"]
    for rule in ({"widths": ["5", "10"]}, {"cuts": [["20"]]}, {"quantiles": [2]}, "auto"):
        levels = made(folder, [*map(str, range(15, 40)), "-9", "X"], rule, book)
        assert all(set(levels[code][:-1]) == {code} for code in ("-9", "X"))
    assert made(folder, ["-9", "X"], "auto", book)["X"]  # nothing else is there


def test_groups_go_by_the_order_of_the_variable(folder: Path) -> None:
    book = Codebook(codes={"x": {"lo": "1", "mid": "2", "hi": "3", "top": "4"}})
    assert made(folder, ["hi", "lo", "mid", "top"], {"groups": [2]}, book)["hi"] == ("hi to top", "*")
    assert made(folder, ["10", "9", "1", "2"], {"groups": [2]})["10"] == ("9 to 10", "*")
    with pytest.raises(InputError, match="D354"):
        made(folder, ["p", "q"], {"groups": [2]})


def test_a_key_without_any_value_stays_as_it_is(folder: Path) -> None:
    built = make_hierarchy(HierarchyRule(auto=True), "x", from_records({"x": [None, None]}), folder)
    assert built.height == 0
