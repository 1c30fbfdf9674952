"""The census inside: the published figures to the last household, and its sources named."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from importlib.resources import files

import pytest
from shared import SHARED, needs_shared

from incrowd.keys.postcodes import NATIONS
from incrowd.postcodes import analyse_places, merge_places, read_census
from incrowd.postcodes.census import POPULATIONS, SOURCE, area_names, authorities, make

DATA = SHARED / "data"
#: The populations as the golden table names them.
NAMED = {"total": "people", "males": "males", "females": "females", "occupied_households": "households"}
COUNTS = {"area": 106, "district": 2246, "subdistrict": 2297, "sector": 8246}


def test_it_is_there_without_any_file_and_adds_up() -> None:
    places = read_census()
    assert {component: len(places.at(component).codes) for component in COUNTS} == COUNTS
    for component in COUNTS:
        sizes = places.at(component).sizes
        assert [int(sizes[name].sum()) for name in POPULATIONS] == [56_075_912, 27_573_376, 28_502_536, 23_366_044]
        assert (sizes["males"] + sizes["females"] == sizes["people"]).all()
    assert places.clipped("area") == ("CA", "DG", "TD")


def test_nobody_can_change_it_for_the_next() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_census().sizes["people"][0] = 1


def test_what_is_counted_is_known_and_not_guessed() -> None:
    places = read_census()
    assert all(places.plain(name) and "census day" in places.counted(name) for name in places.populations)


@needs_shared
def test_the_golden_table() -> None:
    with (DATA / "postcodes" / "golden_threshold_table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 224
    lines = {
        (one.component, one.population, one.threshold): one
        for threshold in {int(row["threshold"]) for row in rows}
        for one in analyse_places(read_census(), threshold).lines
    }
    for row in rows:
        one = lines[row["component"], NAMED[row["population"]], int(row["threshold"])]
        assert (one.groups, one.below, one.people_below, one.at_or_above) == tuple(
            int(row[name]) for name in ("groups", "below", "size_of_merged_below", "groups_at_or_above")
        )
        assert round(one.percent_below, 4) == float(row["pct_below"])


def test_example_a() -> None:
    found = analyse_places(read_census(), 100_000)
    assert [(one.code, one.people, one.clipped) for one in found.small("area", "people")] == [
        ("DG", 65, True), ("TD", 18_331, True), ("EC", 33_956, False), ("WC", 35_745, False), ("LD", 50_225, False),
    ]  # fmt: skip
    merged = merge_places(read_census(), "area", 100_000, populations=["people"])
    assert merged.sizes["people"][list(merged.members).index("other")] == 138_322
    assert found.finest("people") == "area"


def test_example_b() -> None:
    found = analyse_places(read_census(), 1_200)
    one = next(x for x in found.lines if (x.component, x.population) == ("sector", "households"))
    assert (one.below, one.groups, one.people_below, round(one.percent_below, 2)) == (1357, 8246, 769_029, 16.46)
    merged = merge_places(read_census(), "sector", 1_200, populations=["households"])
    assert (len(merged.members), merged.coarser["area"]) == (6890, 106)


@needs_shared
@pytest.mark.parametrize("component", list(COUNTS))
def test_the_coarser_components_are_those_that_were_published(component: str) -> None:
    groups = read_census().at(component)
    with (DATA / "postcodes" / f"census2011_ew_by_{component}.csv").open(newline="") as file:
        published = {row["code"]: row for row in csv.DictReader(file)}
    assert set(groups.codes) == set(published)
    for name, own in NAMED.items():
        ours = dict(zip(groups.codes, groups.sizes[own].tolist(), strict=True))
        assert ours == {code: int(row[name]) for code, row in published.items()}


@needs_shared
@pytest.mark.parametrize(
    ("name", "made"),
    [("sectors.csv.gz", make.sectors), ("areas.csv", make.areas), ("authorities.csv", make.authorities)],
)
def test_the_files_are_those_that_the_script_makes(name: str, made: Callable[..., str]) -> None:
    kept = files("incrowd.postcodes.census").joinpath(name).read_bytes()
    text = made(DATA)
    # How well gzip packs differs between its versions; what is inside does not, nor does it tell when it was packed.
    assert (gzip.decompress(kept) if name.endswith(".gz") else kept).decode() == text
    assert make.packed(text) == make.packed(text)


def test_areas_have_names() -> None:
    names = area_names()
    assert set(names) <= set(NATIONS)
    assert {area for area, nations in NATIONS.items() if nations} <= set(names)
    assert (names["NE"], names["GU"]) == ("Newcastle", "Guildford")


def test_authorities_have_regions() -> None:
    found = authorities()
    inside = [one for code, one in found.items() if code[0] in "EW"]
    assert (len(found), len(inside)) == (361, 318)
    assert len({region for one in inside for region in one.itl1}) == 10
    assert all(len(one.itl1) == 1 for one in found.values())  # what `postcode analyse --real` relies on
    assert {one.name for one in inside if len(one.itl3) > 1} == {"Cumberland", "Westmorland and Furness"}


def test_source_and_licence_are_named_in_the_product_and_beside_the_files() -> None:
    notice = files("incrowd.postcodes.census").joinpath("NOTICE.md").read_text(encoding="utf-8")
    for text in (SOURCE, notice):
        assert "Office for National Statistics" in text
        assert "Open Government Licence v3.0" in text
    inside = {path.name for path in files("incrowd.postcodes.census").iterdir() if ".csv" in path.name}
    assert all(f"`{name}`" in notice for name in inside)
    assert len(inside) == 3
