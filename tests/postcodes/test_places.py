"""People by place: the study's examples, every threshold, and merging after which every group is large enough."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.errors import InputError
from incrowd.keys.postcodes import COMPONENTS, coarsen
from incrowd.postcodes import Places, analyse_places, count_places, merge_places, read_adjacency, us_zip3
from incrowd.postcodes.merge import Merged, Way
from incrowd.postcodes.neighbours import Neighbours

DATA = SHARED / "data" / "postcodes"
PEOPLE = ("total", "males", "females", "occupied_households")
CENSUS: dict[str, Places] = {}


def census(component: str = "sector") -> Places:
    if component not in CENSUS:
        CENSUS[component] = count_places(DATA / f"census2011_ew_by_{component}.csv", "code", PEOPLE)
    return CENSUS[component]


def golden() -> list[dict[str, str]]:
    with (DATA / "golden_threshold_table.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def check_golden(places: dict[str, Places]) -> None:
    rows = golden()
    assert len(rows) == 224
    for row in rows:
        found = analyse_places(places[row["component"]], int(row["threshold"]), components=[row["component"]])
        one = next(line for line in found.lines if line.population == row["population"])
        assert (one.groups, one.below, one.people_below, one.at_or_above) == tuple(
            int(row[name]) for name in ("groups", "below", "size_of_merged_below", "groups_at_or_above")
        )
        assert round(one.percent_below, 4) == float(row["pct_below"])


@needs_shared
def test_the_golden_table_from_each_aggregated_file() -> None:
    check_golden({component: census(component) for component in ("area", "district", "subdistrict", "sector")})


@needs_shared
def test_the_golden_table_from_sectors_alone() -> None:
    check_golden(dict.fromkeys(("area", "district", "subdistrict", "sector"), census()))


@needs_shared
@pytest.mark.slow
def test_the_golden_table_from_a_file_of_1_3_million_postcodes() -> None:
    source = DATA / "synthetic_postcode_estimates_table_1.csv.gz"
    with gzip.open(source, "rt") as file:
        header = file.readline().strip().split(",")
    named = dict(zip(PEOPLE, header[1:], strict=True))
    places = count_places(source, header[0], header[1:])
    assert (places.invalid, int(places.records.sum())) == ({}, 1_308_780)
    sizes = {name: places.sizes[column] for name, column in named.items()}
    check_golden(
        dict.fromkeys(("area", "district", "subdistrict", "sector"), Places(**{**vars(places), "sizes": sizes}))
    )


@needs_shared
def test_the_census_adds_up() -> None:
    places = census()
    groups = {component: places.at(component) for component in places.components}
    assert [len(groups[c].codes) for c in ("area", "district", "subdistrict", "sector")] == [106, 2246, 2297, 8246]
    assert [int(places.sizes[name].sum()) for name in PEOPLE] == [56075912, 27573376, 28502536, 23366044]
    for component in ("area", "district", "subdistrict"):
        rolled = groups[component]
        own = census(component)
        assert rolled.codes == own.codes
        assert all((rolled.sizes[name] == own.sizes[name]).all() for name in PEOPLE)


@needs_shared
def test_example_a() -> None:
    found = analyse_places(census(), 100_000)
    small = found.small("area", "total")
    assert [(one.code, one.people) for one in small] == [
        ("DG", 65), ("TD", 18331), ("EC", 33956), ("WC", 35745), ("LD", 50225),
    ]  # fmt: skip
    assert [one.code for one in small if one.clipped] == ["DG", "TD"]
    merged = merge_places(census(), "area", 100_000, populations=["total"])
    assert merged.sizes["total"][list(merged.members).index("other")] == 138_322
    assert found.finest("total") == "area"
    # Not all districts are below 100,000, as the study has it.
    groups = census().at("district")
    large = {code for code, people in zip(groups.codes, groups.sizes["total"], strict=True) if people >= 100_000}
    assert large == {"CR0", "LE2", "E17", "LE3"}


@needs_shared
def test_example_b() -> None:
    one = next(x for x in analyse_places(census(), 1200).lines if (x.component, x.population) == ("sector", PEOPLE[3]))
    assert (one.below, one.groups, one.people_below, round(one.percent_below, 2)) == (1357, 8246, 769_029, 16.46)
    merged = merge_places(census(), "sector", 1200, populations=[PEOPLE[3]])
    assert (len(merged.members), merged.coarser["area"], merged.extra) == (6890, 106, 0)


@needs_shared
def test_merging_into_parents_and_neighbours_keeps_more_groups_than_one() -> None:
    pairs = read_adjacency(SHARED / "data" / "geography" / "district_adjacency.csv")
    for way, given_pairs in (("parent", None), ("neighbours", None), ("neighbours", pairs)):
        merged = merge_places(census(), "sector", 1200, populations=[PEOPLE[3]], way=way, pairs=given_pairs)  # type: ignore[arg-type]
        assert len(merged.members) > 6890
        check_merged(merged, census())


# -- small files, and everything counted again by hand


def places_of(people: dict[str, int], finest: str = "sector") -> Places:
    codes = tuple(sorted(people))
    sizes = np.array([people[code] for code in codes], np.int64)
    return Places("test", finest, codes, {"people": sizes}, np.ones(len(codes), np.int64), False)


SECTORS = [f"{area}{number}{letter} {digit}" for area in ("N", "NE", "EC") for number in (1, 2)
           for letter in ("", "A") for digit in range(3)]  # fmt: skip
files = st.dictionaries(st.sampled_from(SECTORS), st.integers(0, 40), min_size=1)


def check_merged(merged: Merged, places: Places) -> None:
    """Every code once, sums right, every group large enough: from the labels alone."""
    groups = places.at(merged.component)
    assert sorted(merged.labels) == sorted(groups.codes)
    assert sum(map(len, merged.members.values())) == len(groups.codes)
    for name in merged.populations:
        people: Counter[str] = Counter()
        for code, number in zip(groups.codes, groups.sizes[name].tolist(), strict=True):
            people[merged.labels[code]] += number
        assert dict(zip(merged.members, merged.sizes[name].tolist(), strict=True)) == dict(people)
        assert min(people.values()) >= merged.threshold


@given(files, st.integers(1, 60), st.sampled_from(["one", "parent", "neighbours"]), st.sampled_from(COMPONENTS[:4]))
@settings(max_examples=examples(200))
def test_after_merging_every_group_is_large_enough(
    people: dict[str, int], threshold: int, way: Way, component: str
) -> None:
    places = places_of(people)
    if sum(people.values()) < threshold:
        with pytest.raises(InputError) as raised:
            merge_places(places, component, threshold, way=way)
        assert raised.value.code == "D177"
        return
    merged = merge_places(places, component, threshold, way=way)
    assert merged.passes
    check_merged(merged, places)
    groups = places.at(component)
    small = {code for code, n in zip(groups.codes, groups.sizes["people"], strict=True) if n < threshold}
    assert merged.below == len(small)
    if not small:
        assert merged.labels == {code: code for code in groups.codes}
    untouched = {code for code, label in merged.labels.items() if label == code and len(merged.members[label]) == 1}
    assert not untouched & small
    if way == "parent":  # a rest and the groups beside it lie in the parent that it is named after
        for label, codes in merged.members.items():
            parent = label.removesuffix(" (rest)")
            if label not in groups.codes and label != "other":
                level = next(c for c in COMPONENTS if parent in places.at(c).codes)
                assert {coarsen(code, component, level) for code in codes} == {parent}  # type: ignore[arg-type]


@given(files, st.integers(1, 45))
def test_the_curve_is_the_count_of_groups_below(people: dict[str, int], threshold: int) -> None:
    places = places_of(people)
    for curve in analyse_places(places, threshold).curves:
        sizes = Counter()  # type: ignore[var-annotated]
        for code, number in people.items():
            sizes[coarsen(code, "sector", curve.component)] += number  # type: ignore[arg-type]
        below = [number for number in sizes.values() if number < threshold]
        assert (curve.below(threshold), curve.people_below(threshold)) == (len(below), sum(below))
        jumps = dict(zip(*curve.points(), strict=True))
        steps = [share for at, share in jumps.items() if at <= threshold]
        assert (steps[-1] if steps else 0.0) == curve.share(threshold)


@given(files)
def test_the_people_of_sectors_add_up_to_their_areas(people: dict[str, int]) -> None:
    places = places_of(people)
    for component in places.components:
        groups = places.at(component)
        for code, number in zip(groups.codes, groups.sizes["people"].tolist(), strict=True):
            inside = (n for sector, n in people.items() if coarsen(sector, "sector", component) == code)  # type: ignore[arg-type]
            assert number == sum(inside)


def test_small_groups_that_are_too_few_take_the_smallest_large_one_with_them() -> None:
    merged = merge_places(places_of({"AL1 1": 3, "AL1 2": 50, "AL1 3": 20}), "sector", 10)
    assert merged.members == {"AL1 2": ("AL1 2",), "other": ("AL1 1", "AL1 3")}
    assert (merged.extra, merged.people_touched) == (1, {"people": 23})


def test_a_threshold_holds_for_every_population() -> None:
    places = places_of({"AL1 1": 50, "AL1 2": 50, "AL1 3": 50})
    sizes = {**places.sizes, "homes": np.array([30, 4, 30])}
    merged = merge_places(Places(**{**vars(places), "sizes": sizes}), "sector", 10)
    assert "AL1 2" not in merged.members
    assert min(merged.sizes["homes"]) >= 10


def test_neighbours_come_from_pairs_of_any_component() -> None:
    codes = ["EC1A 1", "EC1A 2", "N1 1", "N1 2", "E1 1"]
    near = Neighbours(codes, "sector", frozenset({("EC1A", "E1")}))
    rings = near.rings(["EC1A 1"])
    assert (next(rings), next(rings)) == ({"EC1A 2"}, {"E1 1"})
    assert near.alone == 2
    finer = Neighbours(["EC1", "E1", "N1"], "district", frozenset({("EC1A", "E1"), ("EC1A", "EC1M")}))
    assert next(finer.rings(["EC1"])) == {"E1"}
    shared = Neighbours(codes, "sector")
    assert next(ring for ring in shared.rings(["N1 1"]) if ring) == {"N1 2"}


def test_a_small_group_goes_to_the_neighbour_with_the_fewest_people() -> None:
    people = {"AL": 5, "EN": 30, "LU": 20, "HP": 90}
    pairs = frozenset({("AL", "EN"), ("AL", "LU"), ("LU", "HP")})
    merged = merge_places(places_of(people, "area"), "area", 10, way="neighbours", pairs=pairs)
    assert set(merged.members) == {"AL + LU", "EN", "HP"}


def test_borders_of_the_file_are_flagged() -> None:
    both = places_of({"NE1 1": 9, "EH1 1": 9, "TD15 1": 9, "CH5 1": 9})
    assert both.clipped("area") == ("CH",)  # no area that is wholly Welsh
    assert both.clipped("sector") == ("CH5 1",)
    assert places_of({"NE1 1": 9, "TD15 1": 9}).clipped("area") == ("TD",)


def zip_file(path: Path, people: dict[str, int]) -> Path:
    path.write_text("zip,people\n" + "".join(f"{code},{number}\n" for code, number in people.items()))
    return path


def test_the_rule_of_the_united_states(tmp_path: Path) -> None:
    people = {"02139": 15_000, "02138-1234": 6_000, "03601": 20_000, "05901": 12, "10001": 20_001}
    places = count_places(zip_file(tmp_path / "zip.csv", people), "zip", ["people"], zip_codes=True)
    merged = us_zip3(places)
    assert merged.members == {"000": ("036", "059"), "021": ("021",), "100": ("100",)}  # exactly 20,000 is too few
    assert (merged.sizes["people"].tolist(), merged.passes) == ([20_012, 21_000, 20_001], True)


def test_000_may_be_small_and_that_is_told(tmp_path: Path) -> None:
    places = count_places(
        zip_file(tmp_path / "zip.csv", {"05901": 12, "10001": 20_001}), "zip", ["people"], zip_codes=True
    )
    assert not us_zip3(places).passes


def test_a_file_of_people_counts_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("home\nne35 2fg\nNE352FG\nNE3 1ED\nnone\n\n")
    places = count_places(path, "home")
    assert dict(zip(places.codes, places.sizes["records"].tolist(), strict=True)) == {"NE3 1": 1, "NE35 2": 2}
    assert places.invalid["length"] == 1


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("D171", lambda places: places.at("unit")),
        ("D173", lambda places: analyse_places(places, 0)),
        ("D173", lambda places: merge_places(places, "sector", 0)),
        ("D174", lambda places: analyse_places(places, 5, tolerance=1.0)),
        ("D176", lambda places: merge_places(places, "area", 5, way="neighbours", pairs=frozenset({("AL1 1", "AL2")}))),
        ("D179", lambda places: merge_places(places, "sector", 5, other="AL1 2")),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(code: str, call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as raised:
        call(places_of({"AL1 1": 3, "AL1 2": 50}))
    assert raised.value.code == code
