"""Ladders without a rule: by what the values are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.proposals.test_ladder_promise import climbed

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook


def spread(values: Mapping[str, int]) -> list[str | None]:
    return [value for value, many in values.items() for _ in range(many)]


AGES: list[str | None] = [str(n) for n in range(16, 96) for _ in range(100 - n + 1)]
PARTS = ["month", "quarter", "year", "decade"]
DAYS = [(1955 + n // 16, n % 12 + 1, n % 28 + 1) for n in range(160)]
DATES: list[str | None] = [f"{year}-{month:02d}-{day:02d}" for year, month, day in DAYS]
BRITISH: list[str | None] = [f"{day:02d}/{month:02d}/{year}" for year, month, day in DAYS]
POSTCODES: list[str | None] = ["NE3 1ED", "NE3 1EE", "ne3 2ab", "NE35 2FG", "AL1 1AA", "AL1 2AB", "SW1A 1AA", "BT1 1AA",
                               "B1 1BB", "B2 4AA", "M1 1AE", "M1 2AB"]  # fmt: skip
AREAS: list[str | None] = ["Gateshead", "York", "Leeds", "Derby", "Hartlepool", "Stockton-on-Tees",
                           "Darlington", "E06000003", "Camden",
                           "Cardiff", "Highland", "Bristol, City of", "Sunderland"]  # fmt: skip
CODES: list[str | None] = [f"{letter}{a}{b}" for letter in "ABK" for a in "12" for b in "0123"]
HOMES = spread({"owned": 50, "rented": 40, "with parents": 8, "boat": 3, "caravan": 3})
UNKNOWN = Codebook(missing={"x": ("unknown",)})

KINDS: dict[str, tuple[list[str | None], list[str], str]] = {
    "ages": (AGES, ["16", "8", "4", "2"], "bands at round numbers"),
    "dates": (DATES, PARTS, "by the calendar"),
    "times": ([f"{date} 12:30" for date in DATES], PARTS, "by the calendar"),
    "british dates": (BRITISH, PARTS, "by the calendar"),
    "dates as numbers": ([str(date).replace("-", "") for date in DATES], PARTS, "by the calendar"),
    "postcodes": (POSTCODES, ["sector", "district", "area"], "components of UK postcodes"),
    "areas": (AREAS, ["itl3", "itl2", "itl1"], "ITL regions of UK local authorities"),
    "codes": (CODES, ["first 2", "first 1"], "ever shorter beginnings"),
    "homes": (HOMES, ["4", "2"], "the merging that loses least: the fewest people first"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_ladder_suits_its_values(kind: str) -> None:
    values, names, how = KINDS[kind]
    made = climbed(values)
    assert [rung.name for rung in made.rungs] == ["as it is", *names, "dropped"]
    assert made.how == how


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [None, "unknown", "declared"])
def test_missing_and_words_for_no_value_stay_apart(kind: str, missing: str | None) -> None:
    values, names, how = KINDS[kind]
    book = UNKNOWN if missing == "declared" else Codebook()
    extra = [None, None] if missing is None else ["unknown", "unknown", None]
    made = climbed([*values, *extra], book=book)
    assert made.how == how
    assert len(made.rungs) == len(names) + 2
    if missing is not None:
        assert all(row[:-1] == ("unknown",) * (len(row) - 1) for row in made.hierarchy.rows if row[0] == "unknown")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_named_keeps_its_label(kind: str) -> None:
    values, _, _ = KINDS[kind]
    made = climbed(values, named=[str(values[1]), "not there"])
    assert made.hierarchy.height >= 2


def test_a_number_that_is_named_is_a_band_of_its_own() -> None:
    made = climbed(AGES, named=["40"])
    assert all({40, 41} <= set(rung.steps[0]["bands"]) for rung in made.rungs[1:-1])


def test_bands_start_at_a_round_number_and_end_open() -> None:
    made = climbed(AGES)
    assert made.rungs[3].steps == ({"step": "recode", "variable": "x", "bands": [15, 25, 40, 60]},)
    assert made.rungs[3].words == "in 4 bands: 15-24, 25-39, 40-59, 60+"


def test_an_outlier_does_not_name_the_first_band() -> None:
    made = climbed([*AGES, "-40000"], book=Codebook(scales={"x": "numeric"}))
    assert all(label.startswith(("<", *"123456789")) for label in made.hierarchy.groups(2))


def test_no_band_begins_at_minus_nothing() -> None:
    made = climbed([f"{n / 7:.2f}" for n in range(-40, 100)])
    labels = [label for level in range(1, made.hierarchy.height) for label in made.hierarchy.groups(level)]
    assert any(label.startswith("0 ") for label in labels), labels
    assert not any("-0 " in f"{label} " for label in labels), labels


def test_few_numbers_are_bands_of_neighbours() -> None:
    made = climbed(spread({"0": 50, "1": 40, "2": 30, "3": 8, "4": 2, "5": 1}), book=Codebook(scales={"x": "numeric"}))
    assert [rung.words for rung in made.rungs[1:-1]] == ["in 5 bands: 0, 1, 2, 3, 4+", "in 3 bands: 0, 1, 2+",
                                                         "in 2 bands: 0, 1+"]  # fmt: skip


def test_few_numbers_without_labels_go_together_as_neighbours() -> None:
    children = spread({"0": 50, "1": 9, "2": 30, "3": 40, "4": 3, "11": 1})
    made = climbed(children)
    assert made.rungs[-2].words == "in 2 bands: 0, 1+"  # and not 4 with 11, the two that the fewest people have
    colours = dict(zip(("0", "1", "2", "3", "4", "11"), ("red", "blue", "black", "green", "pink", "grey"), strict=True))
    labelled = Codebook(codes={"x": colours})
    assert "4|11" in climbed(children, book=labelled).hierarchy.groups(1)
    assert "4 or 1 other" in climbed(children, book=Codebook(scales={"x": "nominal"})).hierarchy.groups(1)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (
            {"always": 1, "often": 20, "sometimes": 30, "never": 30},
            {"often or 1 other", "often to sometimes or 1 other"},
        ),
        ({"very poor": 1, "poor": 20, "good": 30, "very good": 1}, {"poor or 1 other", "good or 1 other"}),
        ({"under 5": 1, "5 to 9": 9, "10 to 14": 9}, {"5 to 9 or 1 other"}),
    ],
)
def test_what_one_person_has_is_no_end_of_a_range_of_words(values: dict[str, int], labels: set[str]) -> None:
    made = climbed(spread(values))
    assert made.how == "neighbours put together, the fewest people first"
    joined = {label for level in range(1, made.hierarchy.height) for label in made.hierarchy.groups(level)} - {*values}
    assert joined <= labels, joined


def test_what_one_person_has_is_no_end_of_a_range_of_numbers() -> None:
    rooms = spread({"1": 9, "2": 30, "3": 40, "4": 3, "17": 1})
    made = climbed(rooms, book=Codebook(scales={"x": "ordinal"}))
    joined = {label for level in range(1, made.hierarchy.height) for label in made.hierarchy.groups(level)}
    assert "4+" in joined
    assert not any("17" in label for label in joined - {"17"})


def test_others_are_one_among_postcodes_and_areas() -> None:
    made = climbed([*POSTCODES, *POSTCODES, "abroad", "unknown"], named=[])
    assert made.how == "components of UK postcodes"
    assert made.rungs[1].steps[0]["others"] == "No postcode"
    made = climbed([*AREAS, "Jersey"])
    assert made.rungs[1].steps[0] == {"step": "recode", "variable": "x", "lookup": "itl3", "others": "Jersey"}
    names = {"Hull", "Jersey"}
    many = [*AREAS, "Barnsley", "Wirral", "Sefton", "Salford", "Bury", "Oldham", "Trafford", "Rochdale", *names]
    assert climbed(many).rungs[1].steps[0]["others"] == "Other area"


def test_names_say_what_is_in_a_group() -> None:
    made = climbed(HOMES)
    assert made.rungs[1].steps[0]["mapping"] == {"boat": "boat or caravan", "caravan": "boat or caravan"}
    assert made.rungs[1].words == "boat and caravan together"
    assert made.hierarchy.groups(2).keys() == {"owned", "boat, caravan, rented or with parents"}
    codes = climbed(
        spread({"1": 40, "2": 30, "3": 2, "4": 1}),
        book=Codebook(codes={"x": {"1": "one", "2": "two", "3": "three", "4": "four"}}),
    )
    assert codes.rungs[1].steps[0]["mapping"] == {"3": "3|4", "4": "3|4"}
    assert codes.rungs[1].words == "three and four together"


def test_a_rare_value_is_counted_and_not_named_in_words() -> None:
    made = climbed(spread({"owned": 9, "rented": 8, "boat": 3, "lighthouse": 1}))
    assert made.rungs[1].words == "boat and 1 rare value together"
    assert made.rungs[1].steps[0]["mapping"] == {"boat": "boat or 1 other", "lighthouse": "boat or 1 other"}
    few = climbed(spread({"owned": 9, "rented": 8, "yurt": 1, "lighthouse": 1}))
    assert few.hierarchy.groups(1).keys() == {"owned", "rented", "Other (2 of 4 values)"}
    there = {label for made in (made, few) for level in range(1, 3) for label in made.hierarchy.groups(level)}
    assert not any("lighthouse" in label or "yurt" in label for label in there)


def test_labels_are_never_those_of_rarer_values() -> None:
    towns = {f"{name} upon {river}": n + 1 for n, (name, river) in
             enumerate((name, river) for name in ["Aston", "Burton", "Carlton", "Denton", "Eston"]
                       for river in ["Avon", "Exe", "Humber", "Severn", "Tees", "Trent", "Tyne", "Wear"])}  # fmt: skip
    made = climbed(spread(towns))
    labels = {label for level in range(made.hierarchy.height) for label in made.hierarchy.groups(level)}
    assert not any("rarer" in label or len(label) > 60 for label in labels)
    assert any(" others" in label for label in labels)


def test_a_key_with_nothing_to_say_has_one_rung() -> None:
    for values in (["a"], ["a", "a"], [None], [None, None]):
        made = climbed(list(values))
        assert [rung.name for rung in made.rungs] == ["as it is"]
        assert made.hierarchy.height == 0
    assert [rung.name for rung in climbed(["a", None]).rungs] == ["as it is", "dropped"]
    assert [rung.name for rung in climbed(["a", "b"], named=["a", "b"]).rungs] == ["as it is", "dropped"]


def test_people_with_several_records_count_once() -> None:
    values: list[str | None] = [f"town {n}" for n in range(70) for _ in range(n // 10 + 1)]
    unit = [f"p{i % 9}" for i in range(len(values))]
    climbed(values, unit=unit)


def test_an_error_shows_no_value() -> None:
    with pytest.raises(InputError) as error:
        climbed(["12", "13", "canary"], book=Codebook(scales={"x": "numeric"}))
    assert "canary" not in str(error.value)


def test_very_long_numbers_have_a_mapping() -> None:
    values: list[Any] = [f"1e{n}" for n in range(30, 90)]
    made = climbed(values, book=Codebook(scales={"x": "numeric"}))
    assert made.hierarchy.height > 1


def test_values_that_no_step_leaves_alone_are_said_to_be_in_the_way() -> None:
    days = [f"{1900 + n // 12}-{n % 12 + 1:02d}-01" for n in range(400)]
    made = climbed([*days, "unknown"])
    assert [rung.name for rung in made.rungs] == ["as it is", "dropped"]
    assert made.how.endswith("what stands apart: declare it (missing_codes)")
    assert "missing_codes" not in climbed(days, named=[days[3]]).how
    assert len(climbed([*days, "unknown"], book=UNKNOWN).rungs) == 5
