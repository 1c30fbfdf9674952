"""Labels as other tools write them, and what fits what: against brute force."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.attack.foreign.fitting import fitting_of
from incrowd.attack.foreign.labels import NULL_IS_BLANK, Column, read_column
from incrowd.attack.foreign.placing import placed
from incrowd.attack.foreign.truth import truth_by_fit
from incrowd.attack.situation import Int64

Texts = Sequence[str | None]


def coded(texts: Texts) -> tuple[Int64, list[str | None]]:
    names = list(dict.fromkeys(texts))
    return np.array([names.index(text) for text in texts], np.int64), names


def column(name: str, released: Texts, original: Texts, **said: list[str]) -> Column:
    return read_column(name, coded(released), coded(original), said)


def draws(*purpose: str) -> Callable[[int], np.ndarray]:
    generator = np.random.default_rng(sum(map(ord, "".join(purpose))))
    return lambda many: generator.integers(0, 2**63, many).astype(np.uint64)


def behind(one: Column, label: str | None) -> set[str | None]:
    """The values that fit a label; every one where it is blank."""
    code = one.labels.index(label)
    if one.reading.blank[code]:
        return set(one.values)
    return {one.values[at] for at in one.reading.value[one.reading.label == code].tolist()}


@pytest.mark.parametrize(
    ("label", "values", "fit"),
    [
        ("20-29", ["19", "20", "29", "30"], {"20", "29"}),
        ("[20, 30[", ["19", "20", "29.5", "30"], {"20", "29.5"}),
        ("]20, 30]", ["20", "21", "30", "31"], {"21", "30"}),
        ("(20, 30)", ["20", "21", "30"], {"21"}),
        ("[20, 30)", ["20", "29", "30"], {"20", "29"}),
        ("20 to 29", ["20", "29", "30"], {"20", "29"}),
        ("20-29 years", ["20", "30"], {"20"}),
        (">=80", ["79", "80", "99"], {"80", "99"}),
        ("<18", ["17", "18"], {"17"}),
        ("65+", ["64", "65"], {"65"}),
        ("1,000-1,999", ["1000", "1999", "2000"], {"1000", "1999"}),
        ("34.0", ["34", "35"], {"34"}),
        ("1984-03", ["1984-03-12", "1984-04-01"], {"1984-03-12"}),
        ("03/1984", ["1984-03-12", "1984-04-01"], {"1984-03-12"}),
        ("1984", ["12/03/1984", "13/03/1985"], {"12/03/1984"}),
        ("1980s", ["1984-03-12", "1990-04-01"], {"1984-03-12"}),
        ("Q1 1984", ["1984-03-12", "1984-04-01"], {"1984-03-12"}),
        ("SW1A", ["SW1A 1AA", "SW1P 3BU"], {"SW1A 1AA"}),
        ("SW", ["SW1A 1AA", "NE3 1ED"], {"SW1A 1AA"}),
        ("SW1A 1", ["SW1A 1AA", "SW1A 2AA"], {"SW1A 1AA"}),
        ("476**", ["47677", "47601", "47901"], {"47677", "47601"}),
        ("476", ["47677", "47601", "47901"], {"47677", "47601"}),
        ("{cook, nurse}", ["cook", "nurse", "clerk"], {"cook", "nurse"}),
        ("cook;nurse", ["cook", "nurse", "clerk"], {"cook", "nurse"}),
        ("COOK", ["cook", "nurse"], {"cook"}),
        ("*", ["cook", "nurse"], {"cook", "nurse"}),
        ("NA", ["cook", "nurse"], {"cook", "nurse"}),
        (None, ["cook", "nurse"], {"cook", "nurse"}),
    ],
)
def test_what_a_label_stands_for(label: str | None, values: list[str], fit: set[str]) -> None:
    assert behind(column("x", [label], values), label) == fit


def test_two_ways_to_read_a_date_tell_the_year_alone() -> None:
    one = column("x", ["03/1984", "1984"], ["03/04/1984", "04/03/1984"])
    assert behind(one, "1984") == {"03/04/1984", "04/03/1984"}
    assert one.unread


def test_a_name_that_nothing_explains_is_not_guessed_and_a_hierarchy_explains_it() -> None:
    assert column("x", ["North"], ["Leeds", "York"]).unread
    told = column("x", ["North"], ["Leeds", "York", "Bath"], North=["Leeds", "York"])
    assert not told.unread
    assert behind(told, "North") == {"Leeds", "York"}


@pytest.mark.parametrize(
    ("released", "how"),
    [
        (["20", "20", "30", "40"], "rounded to 10"),
        (["10", "20", "20", "30"], "rounded down to 10"),
        (["20", "30", "30", "40"], "rounded up to 10"),
    ],
)
def test_roundings_are_found_by_what_is_left_over(released: list[str], how: str) -> None:
    one = column("x", released, ["15", "23", "28", "36"])
    assert one.reading.how == how
    assert one.strict


def test_an_empty_cell_is_missing_as_it_was_while_there_are_not_more_of_them() -> None:
    values = ["a", "b", None, "b"]
    assert column("x", values, values).reading.how != NULL_IS_BLANK
    more = column("x", ["a", None, None, "b"], values)
    assert more.reading.how == NULL_IS_BLANK
    assert behind(more, None) == {"a", "b", None}


def test_noise_fits_nobody_and_is_no_name_either() -> None:
    one = column("x", ["101.3", "98.2"], ["100", "99"])
    assert not one.unread
    assert one.reading.lacking(one.released, one.original) == 2


records = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(original=records, data=st.data())
def test_what_fits_and_the_truth_agree_with_brute_force(original: list[tuple[str, str]], data: st.DataObject) -> None:
    """Labels of several levels and blanks, some people dropped: pairs, the placing and who is certain."""
    from itertools import permutations

    kept = data.draw(st.permutations(range(len(original))))[: data.draw(st.integers(1, len(original)))]
    said = []
    for line in kept:
        first, second = original[line]
        said.append((data.draw(st.sampled_from([first, "{a, b}", "*"])), data.draw(st.sampled_from([second, "*"]))))
    columns = [column(f"c{i}", [one[i] for one in said], [one[i] for one in original]) for i in (0, 1)]
    both = {value for one in original for value in one}

    def fits(label: tuple[str, str], person: tuple[str, str]) -> bool:
        pairs = zip(label, person, strict=True)
        return all(text in ("*", value) or (text == "{a, b}" and value in "ab") for text, value in pairs)

    if not {"a", "b"} <= both and any("{a, b}" in label for label in said):
        return  # then the label is no list of values that there are
    found = fitting_of(columns)
    assert found is not None
    assert found.candidates.tolist() == [sum(fits(label, person) for person in original) for label in said]
    assert found.lacking == 0
    lines = placed(found, ())
    assert len(set(lines.tolist())) == len(said)
    assert all(fits(label, original[line]) for label, line in zip(said, lines.tolist(), strict=True))
    truth, why = truth_by_fit(columns, ("c0",), draws)
    if truth is None:  # nothing but blanks tells nothing
        assert why
        assert all(label == ("*", "*") for label in said)
        return
    ways = [
        way
        for way in permutations(range(len(original)), len(said))
        if all(fits(label, original[line]) for label, line in zip(said, way, strict=True))
    ]
    for record in np.flatnonzero(truth.exact).tolist():
        assert {way[record] for way in ways} == {int(truth.lines[record])}
    for line in np.flatnonzero(truth.outside).tolist():
        assert all(line not in way for way in ways)
