"""A blanked cell costs 1, a cell that was missing all along costs nothing: told apart by brute force on the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from people import SECRET
from steps import STEP, rows_of

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.cells import suppress_cells
from incrowd.keys.cells.blanks import Blanks, add_blanks
from incrowd.keys.table import KeyTable, from_records
from incrowd.protect import Context, State, protect
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret
from incrowd.utility.loss import Loss, measure_loss

KEYS = ("one", "two", "three")
Row = tuple[str | None, ...]
cell = st.sampled_from(["a", "b", "c", None])
rows = st.lists(st.tuples(cell, cell, cell), min_size=12, max_size=40)
rare = st.builds(
    lambda of, fewer: {"step": "suppress_records", "of": sorted(of), "fewer_than": fewer},
    st.sets(st.sampled_from(KEYS), min_size=1),
    st.integers(2, 4),
)
blanking = st.builds(lambda k: {"step": "suppress_cells", "k": k}, st.integers(2, 4))
sampling = st.just({"step": "sample", "fraction": 0.7})
orders = st.lists(st.one_of(rare, blanking, sampling), min_size=1, max_size=4)


def table(records: list[Row]) -> KeyTable:
    return from_records({name: [row[i] for row in records] for i, name in enumerate(KEYS)})


def carried_out(records: list[Row], steps: list[dict[str, Any]]) -> tuple[Loss, dict[str, float], list[int]]:
    """The loss as it is measured, by brute force from each record's line, and the records left after each step."""
    columns = {name: [row[i] for row in records] for i, name in enumerate(KEYS)}
    start = rows_of(columns | {"line": [str(i) for i in range(len(records))]})
    state: Any = State(start, tabulate(start, list(KEYS)))
    context, left = Context(Path(), Secret(bytes.fromhex(SECRET)), ("test",), ()), []
    at_start = state.table
    for number, step in enumerate(steps, 1):
        state, _ = protect(STEP.validate_python(step), number, state, context)
        left.append(int(state.table.records.sum()))
    found = measure_loss(at_start, state.original.table, state.table, state.leaves, state.blanks)
    out = state.rows.collect(state.rows.table).to_pylist()
    truth = {}
    for i, name in enumerate(KEYS):
        blanked = sum(row[name] is None and records[int(row["line"])][i] is not None for row in out)
        truth[name] = (blanked + len(records) - len(out)) / len(records)
    return found, truth, left


@settings(
    max_examples=examples(20), deadline=None, phases=(Phase.explicit, Phase.generate)
)  # a step is a query: no shrinking
@given(rows, orders)
def test_drops_and_blanks_in_any_order_never_cost_less_than_they_do(
    records: list[Row], steps: list[dict[str, Any]]
) -> None:
    try:
        found, truth, left = carried_out(records, steps)
    except (NotReleasable, InputError):  # too few records are left for a crowd, or for a sample
        assume(False)
    for name in KEYS:
        assert found.keys[name] <= 1 + 1e-12
        if f"at most: records with blanked cells ({name}" in found.why or f", {name}" in found.why:
            assert found.keys[name] >= truth[name] - 1e-12
        else:
            assert found.keys[name] == pytest.approx(truth[name])
    first = next((i for i, step in enumerate(steps) if step["step"] == "suppress_cells"), len(steps))
    if left[first:] == left[first : first + 1] * len(left[first:]):
        assert not found.why  # nobody was dropped after the first blank
    if not any(None in row for row in records):
        assert not found.why  # all that is missing was blanked


def test_records_dropped_before_cells_are_blanked_hide_no_blank() -> None:
    values = ["a", "b", "c", None]
    records = [(values[i % 4], values[i * i % 3], values[i * 7 % 11 % 4]) for i in range(60)]
    drop = {"step": "suppress_records", "of": ["one", "three"], "fewer_than": 4}
    found, truth, left = carried_out(records, [drop, {"step": "suppress_cells", "k": 6}])
    assert 0 < left[0] < 60
    assert dict(found.keys) == pytest.approx(truth)
    assert found.arithmetic == pytest.approx(sum(truth.values()) / 3)
    assert found.why == ""


def test_blanked_records_that_may_have_been_dropped_are_counted_and_told() -> None:
    """Of four cells without a value two were blanked, and two of the four records are gone: which is open."""
    original = table([("a", "x", "y")] * 2 + [(None, "x", "y")] * 2)
    released = table([(None, "x", "y")] * 2)
    found = measure_loss(original, original, released, {}, {"one": Blanks(2, 2)})
    assert dict(found.keys) == pytest.approx({"one": 1.0, "two": 0.5, "three": 0.5})
    assert found.why.startswith("at most: records with blanked cells (one)")


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(cell, cell, cell), min_size=8, max_size=30), st.integers(2, 4), st.integers(2, 4))
def test_a_cell_that_is_blanked_twice_counts_once(records: list[Row], one: int, other: int) -> None:
    at_start = now = table(records)
    blanks: dict[str, Blanks] = {}
    for k in (one, other):
        found = suppress_cells(now, k)
        blanks, now = add_blanks(blanks, now, found), found.apply(now)
    for i, name in enumerate(KEYS):
        values = [now.domains[i].values[code] for code in now.codes[i].tolist()]
        absent = sum(n for value, n in zip(values, now.records.tolist(), strict=True) if value is None)
        natural = sum(row[i] is None for row in records)
        assert blanks[name] == Blanks(absent - natural, natural)
    assert measure_loss(at_start, at_start, now, {}, blanks).why == ""


@settings(max_examples=examples(60), deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_records_that_only_trade_a_key_have_no_blanks(drawn: list[Row], chance: Any) -> None:
    traded = [row[0] for row in drawn]
    chance.shuffle(traded)
    after = table([(value, *row[1:]) for value, row in zip(traded, drawn, strict=True)])
    assert not any(measure_loss(table(drawn), table(drawn), after, {}).keys.values())


def test_a_blank_is_no_value_of_a_key_that_was_recoded_afterwards() -> None:
    """The recoding sees blanks as missing values, and would count them among those of the file."""
    at_start = from_records({"age": ["30", "31", "40", "41"]})
    original = from_records({"age": ["30s", "30s", "40s", "40s"]})
    released = from_records({"age": ["30s", "30s", None, None]})
    leaves = {"age": {"30s": 2, "40s": 2, None: 1}}
    for blanks in ({}, {"age": Blanks(2, 0)}):
        found = measure_loss(at_start, original, released, leaves, blanks)
        assert found.arithmetic == pytest.approx((2 * (1 / 3) + 2) / 4)


def test_what_was_missing_before_a_sample_is_not_taken_for_what_stayed() -> None:
    """40 of 100 had no age; half are sampled, and the ages of all of them are blanked: 30 blanks, not 10."""
    original, after = from_records({"age": ["30"] * 60 + [None] * 40}), from_records({"age": [None] * 50})
    found = measure_loss(original, original, after, {}, {"age": Blanks(30, 20)})
    assert found.keys["age"] == pytest.approx((50 + 30) / 100)
