"""Hierarchies from the data: what values are taken for, what goes together, what stands apart, and how it is said."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import automatic, describe, validate
from incrowd.keys.hierarchies.apart import stand_apart
from incrowd.keys.hierarchies.grades import order_in_words
from incrowd.keys.hierarchies.neighbours import merge_neighbours
from incrowd.keys.hierarchies.reading import known_order
from incrowd.keys.hierarchy import Hierarchy

AGES = {"1": "0 to 15", "2": "16 to 24", "3": "25 to 34", "4": "35 to 44", "5": "45 to 54", "6": "75 and over"}
HEALTH = {"1": "Very good health", "2": "Good health", "3": "Fair health", "4": "Bad health", "5": "Very bad health"}
INDUSTRY = {"1": "farming", "2": "mining", "3": "retail", "4": "banking", "5": "schools", "6": "health", "7": "hotels"}


def coded(codes: dict[str, str], **more: object) -> Codebook:
    return Codebook(codes={"x": codes}, **more)  # type: ignore[arg-type]


def built(values: list[str] | dict[str, int], book: Codebook | None = None) -> tuple[Hierarchy, str]:
    counts = values if isinstance(values, dict) else dict.fromkeys(values, 10)
    return automatic(list(counts), list(counts.values()), "x", book)


def path(hierarchy: Hierarchy, leaf: str) -> tuple[str, ...]:
    return next(row for row in hierarchy.rows if row[0] == leaf)


# -- what values are taken for


def test_nominal_codes_are_not_numbers() -> None:
    people = {str(n): 100 * n for n in range(1, 13)}
    made, how = built(people, coded({str(n): f"industry {chr(64 + n)}" for n in range(1, 13)}))
    assert how.startswith("names (they have labels without an order)")
    assert path(made, "1")[1] == path(made, "2")[1]  # the rarest
    assert all(path(made, "12")[level] == "12" for level in range(made.height))  # the most frequent is never merged
    unlabelled, how = built(people)
    assert "may be codes" in how
    assert unlabelled.rows == made.rows


@pytest.mark.parametrize("words", [AGES, HEALTH])
def test_labels_with_an_order_are_ordinal(words: dict[str, str]) -> None:
    made, how = built(list(words), coded(words))
    assert how.startswith("names in an order (their labels have an order)")
    for level in range(1, made.height):
        for leaves in made.groups(level).values():
            places = sorted(list(words).index(leaf) for leaf in leaves)
            assert places == list(range(places[0], places[0] + len(places)))


def test_a_declared_scale_goes_first() -> None:
    few = [str(n) for n in range(1, 8)]
    assert built(few, Codebook(scales={"x": "ordinal"}))[1].startswith("names in an order (declared ordinal)")
    assert built(few, Codebook(scales={"x": "numeric"}))[1].startswith("numbers (declared numeric)")
    ages = [str(n) for n in range(18, 90)]
    assert built(ages)[1].startswith("numbers:")
    assert built(ages, Codebook(scales={"x": "nominal"}))[1].startswith("names (declared nominal)")
    assert built(list(AGES), coded(AGES, scales={"x": "nominal"}))[1].startswith("names (declared nominal)")
    with pytest.raises(InputError, match=r"D350: 1 of the 8 different values of 'x' are no numbers") as caught:
        built([*few, "secret"], Codebook(scales={"x": "numeric"}))
    assert "secret" not in str(caught.value)


def test_a_declared_order_is_that_of_the_codes() -> None:
    listed = {"lo": "a", "mid": "b", "hi": "c", "top": "d"}
    assert known_order(["top", "hi", "mid", "lo"], "x", coded(listed)) == ["lo", "mid", "hi", "top"]
    assert known_order(["10", "9", "1"], "x", Codebook()) == ["1", "9", "10"]
    assert known_order(["p", "q", "r"], "x", Codebook()) is None
    made, how = built(["p", "q", "r"], Codebook(scales={"x": "ordinal"}))
    assert "nothing tells their order" in how
    assert validate(made) == []
    own, source = Codebook(codes={"x": {"2": "b", "1": "a"}}), Codebook(codes={"x": {"1": "old", "2": "b", "3": "c"}})
    assert list(own.over(source).codes["x"].items()) == [("2", "b"), ("1", "a"), ("3", "c")]


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ({"1": "Under 5", "2": "5 to 9", "3": "10+"}, ["1", "2", "3"]),
        ({"1": "75 and over", "2": "65 to 74", "3": "under 65"}, ["1", "2", "3"]),
        ({"1": "None", "2": "1 to 15 hours", "3": "16 to 30 hours", "4": "31 or more"}, ["1", "2", "3", "4"]),
        ({"1": "£0 - £9,999", "2": "£10,000 - £19,999", "3": "£20,000 or more"}, ["1", "2", "3"]),
        ({"1": "1 person", "2": "2 people", "3": "3 or more people"}, ["1", "2", "3"]),
        ({"a": "bad", "b": "good", "c": "very good"}, ["c", "b", "a"]),
        ({"1": "1. Married", "2": "2. Single", "3": "3. Widowed"}, None),
        ({"1": "1 Married", "2": "2 Never married", "3": "3 Widowed"}, None),
        ({"1": "0 to 15 hours", "2": "16 to 30 hours", "3": "31 or more", "4": "Student"}, None),
        ({"1": "Flat 9", "2": "Flat 2", "3": "Flat 5"}, None),
        ({"1": "good", "2": "bad"}, None),
        ({"1": "good", "2": "good", "3": "bad"}, None),
        ({"1": "Christian", "2": "Muslim", "3": "No religion"}, None),
    ],
)
def test_whether_words_carry_an_order(words: dict[str, str], order: list[str] | None) -> None:
    assert order_in_words(words, coded=True) == order


def test_texts_that_are_ranges_are_ordinal() -> None:
    made, how = built({"25-34": 9, "<16": 8, "16-24": 3, "65+": 9, "35-64": 50})
    assert how.startswith("names in an order (their words have an order)")
    assert path(made, "16-24")[1] == path(made, "<16")[1] == "<16|16-24"
    towns, how = built(["Paris 1", "Lyon 2", "Nice 3", "Lille 4"])
    assert how.startswith("names (texts")
    assert validate(towns) == []


def test_codes_with_structure_go_by_their_beginnings() -> None:
    assert built([f"{letter}{n:02d}" for letter in "CDE" for n in range(20, 60)])[1].startswith("codes")
    assert built([f"{n:04d}" for n in range(100, 400, 7)])[1].startswith("codes")  # 0100: padded, so no amounts
    assert built([f"E1200000{n}" for n in range(1, 10)])[1].startswith("names")  # nothing but the last digit differs


# -- what stands apart


def test_missing_codes_stay_apart() -> None:
    book = coded({**AGES, "-9": "No code required", "X": "whatever"}, missing={"x": ("X",)})
    made, how = built([*AGES, "-9", "X"], book)
    assert how.endswith("kept apart: -9, X")
    for code in ("-9", "X"):
        assert path(made, code) == (code, *[code] * (made.height - 1), "*")


@pytest.mark.parametrize(
    ("values", "apart"),
    [
        (["1", "2", "3", "-9"], ["-9"]),
        (["1", "2", "-8", "-9"], ["-8", "-9"]),
        (["0", "1", "2", "-1"], ["-1"]),
        (["-2", "-1", "0", "1"], []),
        (["-15", "-9", "0", "4"], []),
        (["1", "2", "12", "99"], ["99"]),
        (["1", "55", "99"], []),
        (["12", "40", "X", "51"], ["X"]),
        (["A", "B", "X"], []),
        (["FR", "NA", "ZA"], []),
        (["married", "single", "Not stated", "don\u2019t know"], ["Not stated", "don\u2019t know"]),
        (["unknown", "refused"], []),
        (["-9"], []),
        (["12,5", "9", "X"], []),
    ],
)
def test_which_values_stand_apart(values: list[str], apart: list[str]) -> None:
    assert list(stand_apart(values, "x", Codebook(), guess=True)) == apart


def test_a_label_speaks_against_custom() -> None:
    book = coded({"-1": "one below par", "1": "one above", "2": "two above"})
    assert stand_apart(["-1", "1", "2"], "x", book, guess=True) == ()
    assert stand_apart(["-1", "1", "2"], "x", Codebook(missing={"x": ("2",)}), guess=True) == ("2",)


# -- constant, other


def test_a_constant_key_is_left_alone() -> None:
    made, how = built({"7": 100})
    assert made.rows == (("7",),)
    assert how == "one value only: nothing to recode"
    assert automatic(["7", None], [9, 1], "x")[0].rows == (("7", "*"),)  # missing and not missing can be told apart
    with pytest.raises(InputError, match="D055"):
        automatic([None], [3], "x")


def test_there_is_never_a_second_other() -> None:
    for other in ("other", "Other", "all others"):
        made, _ = built({"cook": 500, "clerk": 300, other: 100, **{f"job {i}": i for i in range(1, 20)}})
        labels = {label for row in made.rows for label in row}
        assert sum("other" in label.casefold() for label in labels if "|" not in label) == 1


# -- always


SCALES = st.sampled_from([None, "nominal", "ordinal"])
MISSING = st.sampled_from(["-9", "not applicable", "refused", "77"])


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, int], Codebook, set[str]]:
    """Values with counts, and what a codebook may say of them."""
    value = draw(
        st.sampled_from(
            [
                st.integers(-30, 400).map(str),
                st.integers(1, 12).map(str),
                st.sampled_from(["other", "Other", "1-2", "1|2", "3 rarer values", "*", "a", "b", "c", "1", "2", "3"]),
                st.text(max_size=3),
                st.integers(0, 90).map(lambda n: f"{n}-{n + 4}"),
                st.decimals(0, 100, places=1).map(str),
            ]
        )
    )
    people = draw(st.dictionaries(value, st.integers(0, 500), min_size=1, max_size=40))
    declared = draw(st.sets(MISSING, max_size=2))
    people |= dict.fromkeys(declared, draw(st.integers(0, 9)))
    words = draw(st.dictionaries(st.sampled_from(list(people)), st.sampled_from([*AGES.values(), "red", "blue"])))
    scale = draw(SCALES)
    book = Codebook(
        codes={"x": words} if words else {},
        missing={"x": tuple(declared)} if declared else {},
        scales={"x": scale} if scale else {},
    )
    return people, book, declared


@given(files())
def test_whatever_the_file_the_hierarchy_is_sound(file: tuple[dict[str, int], Codebook, set[str]]) -> None:
    people, book, declared = file
    made, how = built(people, book)
    assert how
    assert validate(made, list(people)) == []
    assert len(describe(made, book)) == made.height + 1
    if len(people) == 1:
        assert made.height == 0
        return
    assert made.height >= 1
    meaning: dict[str, frozenset[str]] = {}
    for level in range(made.height + 1):
        for label, leaves in made.groups(level).items():
            assert meaning.setdefault(label, frozenset(leaves)) == frozenset(leaves)  # one label, one set
    if set(people) - declared:
        for code in declared:
            assert path(made, code)[:-1] == (code,) * made.height
    sizes = [len(made.groups(level)) for level in range(made.height + 1)]
    assert sizes == sorted(set(sizes), reverse=True) or "dates" in how or len(people) == 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.data())
def test_neighbours_with_the_fewest_people_go_first(people: list[int], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(people)))
    groups = [(i, i + 1) for i in range(len(people))]
    while len(groups) > size:  # as the docstring says, step by step
        sums = [sum(people[a:d]) for (a, _), (_, d) in pairwise(groups)]
        at = sums.index(min(sums))
        groups[at : at + 2] = [(groups[at][0], groups[at + 1][1])]
    assert next(merge_neighbours(people, [size])) == groups


# -- in words


def test_levels_in_words() -> None:
    book = coded({**AGES, "-9": "No code required"})
    made, _ = built({**{code: 10 * int(code) for code in AGES}, "-9": 5}, book)
    told = describe(made, book)
    assert told[0] == "level 0: 7 values as they are"
    assert told[1].startswith("level 1: 6 groups; 1-2 (0 to 15, 16 to 24); 4 values as they are; -9 (No code")
    assert told[-1] == f"level {made.height}: all values in one: *"
    assert all("-9 (No code required) apart" in line for line in told[1:-1])
    ages, _ = built([str(n) for n in range(18, 90)])
    assert "8 more" in describe(ages)[1]
    assert "(3 values)" in describe(ages)[1] or "(4 values)" in describe(ages)[1]


def test_industry_in_words() -> None:
    people = Counter({code: 2 ** int(code) for code in INDUSTRY})
    made, _ = built(dict(people), coded(INDUSTRY))
    assert "1|2|3 (farming, mining, retail)" in describe(made, coded(INDUSTRY))[1]
