from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.cells import CellSuppression, suppress_cells, wildcard_sizes
from incrowd.keys.table import KeyTable, from_records

Row = tuple[str | None, ...]
READINGS = ("strict", "wildcard")


def table_of(rows: list[Row]) -> KeyTable:
    return from_records({f"key{j}": [row[j] for row in rows] for j in range(len(rows[0]))})


def released(table: KeyTable, result: CellSuppression) -> list[Row]:
    rows: list[Row] = []
    for one, blanked, records in zip(result.classes, result.blanked, result.records, strict=True):
        row = tuple(
            None if blank else domain.values[code]
            for blank, domain, code in zip(blanked, table.domains, table.codes[:, one], strict=True)
        )
        rows += [row] * int(records)
    return rows


def agree(one: Row, other: Row) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def smallest(rows: list[Row], reading: str) -> int:
    if reading == "strict":
        return min(Counter(rows).values())
    return min(sum(agree(row, other) for other in rows) for row in rows)


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """All ways to put things into groups of at least k."""
    if not items:
        yield []
    for more in range(k - 1, len(items)):
        for others in combinations(items[1:], more):
            for rest in partitions([i for i in items[1:] if i not in others], k):
                yield [[items[0], *others], *rest]


def fewest_strict(rows: list[Row], k: int) -> int:
    """The optimum over all ways to share classes: whoever shares one blanks where they differ."""

    def cells(group: list[int]) -> int:
        columns = [[rows[i][j] for i in group] for j in range(len(rows[0]))]
        return sum(len(column) - column.count(None) for column in columns if len(set(column)) > 1)

    return min(sum(map(cells, groups)) for groups in partitions(list(range(len(rows))), k))


def fewest_wildcard(rows: list[Row], k: int) -> int:
    """The optimum without our rule, by trying every set of cells, the small ones first."""
    cells = [(i, j) for i, row in enumerate(rows) for j, value in enumerate(row) if value is not None]
    for number in range(len(cells) + 1):
        for blanks in combinations(cells, number):
            after = [tuple(None if (i, j) in blanks else v for j, v in enumerate(r)) for i, r in enumerate(rows)]
            if smallest(after, "wildcard") >= k:
                return number
    raise AssertionError("all blank is always a way")


def each_for_itself(rows: list[Row], k: int) -> int:
    """What it costs when nobody leans on a blank of another: the fewest cells with k matches in the file."""

    def cells(row: Row) -> Iterator[int]:
        for blanks in product((False, True), repeat=len(row)):
            shown = tuple(None if blank else value for blank, value in zip(blanks, row, strict=True))
            if sum(agree(shown, other) for other in rows) >= k:
                yield sum(blanks)

    return sum(min(cells(row)) for row in rows)


def tables(most_rows: int, most_keys: int, values: str = "abcd") -> st.SearchStrategy[list[Row]]:
    cell = st.sampled_from([None, *values])
    return st.integers(1, most_keys).flatmap(lambda d: st.lists(st.tuples(*[cell] * d), min_size=1, max_size=most_rows))


@pytest.mark.parametrize("reading", READINGS)
@settings(max_examples=examples(200), deadline=None)
@given(rows=tables(40, 5), k=st.integers(1, 6), data=st.data())
def test_every_record_is_one_of_k_and_none_is_lost(reading, rows, k, data):
    table = table_of(rows)
    importance = data.draw(st.permutations(table.names))
    prices = st.fixed_dictionaries({name: st.sampled_from([0.5, 1.0, 3.0]) for name in table.names})
    weights = data.draw(st.one_of(st.none(), prices))
    if len(rows) < k:
        with pytest.raises(NotReleasable, match="R014"):
            suppress_cells(table, k, importance=importance, weights=weights, reading=reading)
        return
    result = suppress_cells(table, k, importance=importance, weights=weights, reading=reading)
    after = released(table, result)
    assert smallest(after, reading) >= k
    assert smallest(after, "strict") == result.strict_k
    assert smallest(after, "wildcard") == result.wildcard_k
    # Nothing is invented and nothing lost: each class keeps its records, the counts are right.
    assert np.bincount(result.classes, result.records, len(table.records)).tolist() == table.records.tolist()
    before = sum(row.count(None) for row in rows)
    assert sum(row.count(None) for row in after) - before == result.total == sum(result.cells.values())
    assert result.cost == pytest.approx(sum(n * (weights or {}).get(key, 1.0) for key, n in result.cells.items()))
    if reading == "strict":
        assert result.lower_bound <= result.cost + 1e-9
        assert result.apply(table).smallest == result.strict_k
    else:
        # The rule: who already has k matches is not touched.
        safe = wildcard_sizes(table) >= k
        assert not result.blanked[safe[result.classes]].any()


@settings(max_examples=examples(100), deadline=None)
@given(rows=tables(30, 4))
def test_wildcard_sizes_are_the_recount(rows):
    table = table_of(rows)
    columns = [[d.values[c] for c in codes] for d, codes in zip(table.domains, table.codes, strict=True)]
    classes = list(zip(*columns, strict=True))
    assert wildcard_sizes(table).tolist() == [sum(agree(one, row) for row in rows) for one in classes]


@settings(max_examples=examples(80), deadline=None)
@given(rows=tables(7, 3, "ab"), k=st.integers(2, 3))
def test_the_optimum_lies_between_the_bound_and_the_strict_result(rows, k):
    if len(rows) >= k:
        result = suppress_cells(table_of(rows), k)
        assert result.lower_bound <= fewest_strict(rows, k) <= result.total


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(rows=tables(5, 2, "abc"), k=st.integers(2, 3))
def test_wildcards_never_cost_more_than_each_record_for_itself(rows, k):
    if len(rows) >= k:
        result = suppress_cells(table_of(rows), k, reading="wildcard")
        assert fewest_wildcard(rows, k) <= result.total <= each_for_itself(rows, k)


def test_the_search_is_near_the_optimum_on_small_tables():
    """Measured on 4,500 such tables: together 2% above the optimum, at worst 2.25 times; wildcards 20%."""
    draw = random.Random(20)
    ours, best, ours_wild, best_wild = 0, 0, 0, 0
    for n in range(250):
        d, k, values = draw.randint(1, 4), draw.randint(2, 3), draw.choice(["ab", "abcd", ["a", "b", None]])
        rows = [tuple(draw.choice(values) for _ in range(d)) for _ in range(draw.randint(3, 7))]
        cells, least = suppress_cells(table_of(rows), k).total, fewest_strict(rows, k)
        assert cells <= 3 * least
        ours, best = ours + cells, best + least
        if n % 5 == 0 and d <= 3 and len(rows) < 7:
            ours_wild += suppress_cells(table_of(rows), k, reading="wildcard").total
            best_wild += fewest_wildcard(rows, k)
    assert ours <= 1.05 * best
    assert ours_wild <= 1.4 * best_wild


@pytest.mark.parametrize("reading", READINGS)
def test_between_equal_choices_the_less_important_key_goes(reading):
    rows: list[Row] = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    for important, other in (("key0", "key1"), ("key1", "key0")):
        result = suppress_cells(table_of(rows), 2, importance=[important, other], reading=reading)
        assert result.cells[important] == 0
        assert result.cells[other] > 0


@pytest.mark.parametrize("reading", READINGS)
def test_weights_can_outweigh_the_number_of_cells(reading):
    # The first record is one cell (key0) or two cells (key1, key2) away from a class.
    rows: list[Row] = [("x", "a", "a")] + [("y", "a", "a")] * 9 + [("x", "b", "b")] * 9
    plain = suppress_cells(table_of(rows), 5, reading=reading)
    dear = suppress_cells(table_of(rows), 5, weights={"key0": 9.0}, reading=reading)
    assert plain.cells["key0"] > 0 == plain.cells["key1"]
    assert dear.cells["key0"] == 0 < dear.cells["key1"] == dear.cells["key2"]


def test_a_blank_joins_the_records_that_miss_the_value():
    rows: list[Row] = [("a", None)] * 3 + [("a", "x")]
    result = suppress_cells(table_of(rows), 3)
    assert (result.total, result.cells["key1"], result.strict_k) == (1, 1, 4)


def test_wildcards_alone_promise_nothing():
    """k - 1 records without any key make every file k-anonymous in that reading; ours blanks more."""
    rows: list[Row] = [(str(i), str(i), str(i)) for i in range(20)]
    assert smallest([(None, None, None)] * 2 + rows[2:], "wildcard") == 3
    result = suppress_cells(table_of(rows), 3, reading="wildcard")
    assert result.wildcard_k >= 3 > result.strict_k


def test_many_keys_of_many_values_still_hold():
    """20 keys of 40 values pass 63 bits and the number of patterns that are all tried."""
    draw = np.random.default_rng(4)
    middle = draw.integers(0, 40, (15, 20))
    codes = np.where(draw.random((150, 20)) < 0.05, draw.integers(0, 40, (150, 20)), middle[draw.integers(0, 15, 150)])
    rows: list[Row] = [tuple(map(str, row)) for row in codes]
    for reading in READINGS:
        result = suppress_cells(table_of(rows), 3, reading=reading)
        assert smallest(released(table_of(rows), result), reading) >= 3


@pytest.mark.parametrize("reading", READINGS)
def test_the_same_table_gives_the_same_cells(reading):
    draw = np.random.default_rng(5)
    table = table_of([tuple(map(str, row)) for row in draw.integers(0, 5, (300, 4))])
    one, two = suppress_cells(table, 4, reading=reading), suppress_cells(table, 4, reading=reading)
    assert (one.classes.tolist(), one.blanked.tolist()) == (two.classes.tolist(), two.blanked.tolist())


def test_what_cannot_be_done_is_said():
    table = table_of([("a", "b"), ("a", "c")])
    with pytest.raises(NotReleasable, match="R014"):
        suppress_cells(table, 3)
    with pytest.raises(NotReleasable, match="1 people"):
        suppress_cells(from_records({"a": ["x", "y"]}, unit=["1", "1"]), 2)
    with pytest.raises(InputError, match="each key once"):
        suppress_cells(table, 2, importance=["key0"])
    with pytest.raises(InputError, match="positive"):
        suppress_cells(table, 2, weights={"key0": 0.0})
    with pytest.raises(InputError, match="not a key"):
        suppress_cells(table, 2, weights={"nokey": 1.0})


def csv_rows(path: str, keys: list[str], delimiter: str = ",") -> list[Row]:
    with (SHARED / "data" / path).open(newline="") as file:
        return [
            tuple(None if row[key] in ("", "NA") else row[key] for key in keys)
            for row in csv.DictReader(file, delimiter=delimiter)
        ]


ADULT = ["sex", "age", "race", "marital-status", "native-country", "education", "occupation"]


@needs_shared
@pytest.mark.parametrize(("keys", "sdcmicro"), [(5, 3062), (6, 7258), (7, 15513)])
def test_adult_needs_fewer_cells_than_sdcmicro(keys, sdcmicro):
    table = table_of(csv_rows("adult/adult.csv", ADULT[:keys], ";"))
    wildcard = suppress_cells(table, 3, reading="wildcard")
    assert wildcard.wildcard_k == 3
    assert wildcard.total < sdcmicro / 2
    strict = suppress_cells(table, 3)
    assert strict.strict_k >= 3
    # Blanks that count as blanks: within a tenth of what no solution can beat.
    assert strict.cost <= 1.1 * strict.lower_bound


ORACLE = [
    "francdat_k2",
    "francdat_k3",
    "francdat_k2_imp1234",
    "francdat_k2_imp4321",
    "testdata2_7_k2",
    "testdata2_7_k3",
    "testdata2_7_k5",
    "testdata_7_k2",
    "testdata_7_k3",
    "testdata_7_k5",
    "testdata_7_k3_imp1-7",
    "testdata_7_k3_imp7-1",
    "testdata_7_k3_impmix",
]


@needs_shared
@pytest.mark.parametrize("name", ORACLE)
def test_sdcmicros_files_need_no_more_cells_than_its_own_results(name):
    case = json.loads((SHARED / "data/sdcmicro/oracle/05_kanon.json").read_text())[name]
    keys, k = case["keyVars"], case["k"]
    theirs = csv_rows(f"sdcmicro/oracle/{case['file']}", keys)
    rows = csv_rows(f"sdcmicro/{name.split('_')[0]}.csv", keys)
    assert sum(row.count(None) for row in theirs) - sum(row.count(None) for row in rows) == case["total_supps"]
    assert wildcard_sizes(table_of(theirs)).min() >= k
    # Its number 1 is the key to spare most.
    table = table_of(rows)
    importance = [f"key{j}" for j in np.argsort(case["importance_used"], kind="stable")]
    result = suppress_cells(table, k, importance=importance, reading="wildcard")
    assert result.wildcard_k >= k
    assert result.total <= case["total_supps"]


# -- several records per person


def recounted(table: KeyTable, result: CellSuppression) -> list[tuple[int, Row]]:
    """Whose record shows what."""
    assert result.units is not None
    found = []
    for base, unit, gone, number in zip(result.classes, result.units, result.blanked, result.records, strict=True):
        values = [d.values[c] for d, c in zip(table.domains, table.codes[:, base].tolist(), strict=True)]
        row = tuple(None if hidden else value for value, hidden in zip(values, gone.tolist(), strict=True))
        found += [(int(unit), row)] * int(number)
    return found


several = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from("ab"), st.sampled_from(["x", "y", "z", None]), st.sampled_from("mno")),
    min_size=1, max_size=24,
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(several, st.integers(2, 4), st.sampled_from(["strict", "wildcard"]), st.booleans())
def test_every_class_has_k_people_and_no_record_tells_what_another_hides(rows, k, reading, linked):
    keys = {f"key{i}": [row[i + 1] for row in rows] for i in range(3)}
    table = from_records(keys, unit=[str(row[0]) for row in rows])
    if table.people < k:
        with pytest.raises(NotReleasable, match="R014"):
            suppress_cells(table, k, reading=reading, linked=linked)
        return
    result = suppress_cells(table, k, reading=reading, linked=linked)
    after = recounted(table, result)
    people = [{u for u, other in after if other == row} for _, row in after]
    could_be = [{u for u, other in after if agree(row, other)} for _, row in after]
    assert min(map(len, people)) == result.strict_k
    assert min(map(len, could_be)) == result.wildcard_k
    assert (result.strict_k if reading == "strict" else result.wildcard_k) >= k
    assert result.lower_bound is None or result.lower_bound <= result.cost
    before = recounted(table, replace(result, blanked=np.zeros_like(result.blanked)))
    for j in range(3):
        cells = {(unit, None if linked else old[j], new[j] is None)
                 for (unit, old), (_, new) in zip(before, after, strict=True) if old[j] is not None}  # fmt: skip
        assert len({cell[:2] for cell in cells}) == len(cells)  # never both blanked and shown
    assert result.total == sum(
        a is not None and b is None
        for (_, old), (_, new) in zip(before, after, strict=True)
        for a, b in zip(old, new, strict=True)
    )


def test_a_person_with_a_thousand_records_is_one_of_k():
    keys = {"age": ["30"] * 1000 + ["40", "41", "42"], "sex": ["f"] * 1003}
    table = from_records(keys, unit=["much"] * 1000 + ["a", "b", "c"])
    result = suppress_cells(table, 3)
    assert result.strict_k >= 3
    assert result.cells["age"] == 1003  # three of them would be a crowd, and leave the fourth alone
