"""A blanked cell costs 1, a cell that was missing all along costs nothing: told apart by brute force on the records."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.keys.table import KeyTable, from_records
from incrowd.utility.blanks import blanked_cells
from incrowd.utility.loss import measure_loss

KEYS = ("one", "two", "three")
Row = tuple[str | None, ...]
cell = st.sampled_from(["a", "b", None])
rows = st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=25)
#: One record before and after: what it was, and which of its cells are blanked.
pairs = st.lists(st.tuples(st.tuples(cell, cell, cell), st.tuples(*[st.booleans()] * 3)), min_size=1, max_size=25)


def table(records: list[Row]) -> KeyTable:
    return from_records({name: [row[i] for row in records] for i, name in enumerate(KEYS)})


def blank(row: Row, gone: tuple[bool, ...]) -> Row:
    return tuple(None if away else value for value, away in zip(row, gone, strict=True))


def truth(records: list[tuple[Row, Row]]) -> dict[str, int]:
    return {name: sum(old[i] is not None and new[i] is None for old, new in records) for i, name in enumerate(KEYS)}


@settings(max_examples=150, deadline=None)
@given(pairs)
def test_where_no_record_is_dropped_every_blank_is_counted_and_nothing_else(
    drawn: list[tuple[Row, tuple[bool, ...]]],
) -> None:
    records = [(row, blank(row, gone)) for row, gone in drawn]
    before, after = table([old for old, _ in records]), table([new for _, new in records])
    assert dict(blanked_cells(before, after)) == truth(records)
    found, expected = measure_loss(before, before, after, {}), truth(records)
    for name in KEYS:
        assert found.keys[name] == pytest.approx(expected[name] / len(records))


@settings(max_examples=150, deadline=None)
@given(pairs, st.data())
def test_where_records_are_dropped_too_no_blank_is_made_up(
    drawn: list[tuple[Row, tuple[bool, ...]]], data: st.DataObject
) -> None:
    stay = data.draw(st.lists(st.booleans(), min_size=len(drawn), max_size=len(drawn)).filter(any))
    records = [(row, blank(row, gone)) for (row, gone), kept in zip(drawn, stay, strict=True) if kept]
    found = blanked_cells(table([row for row, _ in drawn]), table([new for _, new in records]))
    assert 0 <= sum(found.values()) <= sum(truth(records).values())
    if not any(any(gone) for _, gone in drawn):
        assert not any(found.values())


@settings(max_examples=150, deadline=None)
@given(pairs, st.integers(1, 5))
def test_where_small_classes_are_dropped_after_one_key_was_blanked_every_blank_is_counted(
    drawn: list[tuple[Row, tuple[bool, ...]]], k: int
) -> None:
    records = [(row, blank(row, (gone[0], False, False))) for row, gone in drawn]
    sizes = Counter(new for _, new in records)
    left = [(old, new) for old, new in records if sizes[new] >= k]
    if left:
        found = blanked_cells(table([old for old, _ in records]), table([new for _, new in left]))
        assert sum(found.values()) == sum(truth(left).values())


@settings(max_examples=60, deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_records_that_only_trade_a_key_have_no_blanks(drawn: list[Row], chance: object) -> None:
    traded = [row[0] for row in drawn]
    chance.shuffle(traded)  # type: ignore[attr-defined]
    after = table([(value, *row[1:]) for value, row in zip(traded, drawn, strict=True)])
    assert not any(blanked_cells(table(drawn), after).values())


def test_a_blank_is_no_value_of_a_key_that_was_recoded_afterwards() -> None:
    """The recoding sees blanks as missing values, and would count them among those of the file."""
    came = from_records({"age": ["30", "31", "40", "41"]})
    original = from_records({"age": ["30s", "30s", "40s", "40s"]})
    released = from_records({"age": ["30s", "30s", None, None]})
    found = measure_loss(came, original, released, {"age": {"30s": 2, "40s": 2, None: 1}})
    assert found.arithmetic == pytest.approx((2 * (1 / 3) + 2) / 4)


def test_what_was_missing_before_a_sample_is_not_taken_for_what_stayed() -> None:
    """40 of 100 had no age; half are sampled, and the ages of all of them are blanked: 30 blanks, not 10."""
    original = from_records({"age": ["30"] * 60 + [None] * 40})
    before, after = from_records({"age": ["30"] * 30 + [None] * 20}), from_records({"age": [None] * 50})
    assert measure_loss(original, original, after, {}, before).keys["age"] == pytest.approx((50 + 30) / 100)
