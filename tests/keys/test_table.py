"""The KeyTable against brute force."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.keys.packing import group, pack
from incrowd.keys.requirements import DistinctL, K, OneSided
from incrowd.keys.table import KeyTable, Recode, from_records

values = st.sampled_from(["a", "b", "", None])
people = st.sampled_from(["p", "q", "r"])
records = st.lists(st.tuples(values, values, st.sampled_from(["yes", "no", "", None]), people), min_size=1, max_size=25)


def table_of(rows, unit=False):
    a, b, s, u = zip(*rows, strict=True)
    return from_records({"a": a, "b": b}, {"s": s}, u if unit else None)


def as_counter(table: KeyTable):
    labels = [[domain.values[code] for code in codes] for domain, codes in zip(table.domains, table.codes, strict=True)]
    return dict(zip(zip(*labels, strict=True), table.sizes.tolist(), strict=True))


@given(records)
def test_counts_like_a_counter(rows):
    expected = Counter((a, b) for a, b, _, _ in rows)
    table = table_of(rows)
    assert as_counter(table) == expected
    assert table.uniques == sum(n == 1 for n in expected.values())
    assert table.smallest == min(expected.values())
    assert table.size_histogram() == Counter(expected.values())
    assert table.people_below(3) == sum(n for n in expected.values() if n < 3)


@given(records)
def test_counts_people_not_rows_where_there_is_a_unit(rows):
    expected = defaultdict(set)
    for a, b, _, u in rows:
        expected[a, b].add(u)
    table = table_of(rows, unit=True)
    assert as_counter(table) == {combination: len(units) for combination, units in expected.items()}
    assert table.people == len({u for *_, u in rows})
    assert table.records.sum() == len(rows)


@given(records, st.booleans())
def test_roll_up_is_counting_the_recoded_rows(rows, unit):
    names = {"a": "x", "b": "x", "": "y", None: None}
    table = table_of(rows, unit)
    rolled = table.recode({"a": Recode.from_values("a", [names[v] for v in table.domains[0].values])})
    again = table_of([(names[a], b, s, u) for a, b, s, u in rows], unit)
    assert as_counter(rolled) == as_counter(again)
    for mine, theirs in zip(rolled.histograms["s"].cells(), again.histograms["s"].cells(), strict=True):
        assert mine.tolist() == theirs.tolist()
    projected, to = table.project(["b"])
    assert as_counter(projected) == as_counter(
        table_of([("a", b, s, u) for a, b, s, u in rows], unit).project(["b"])[0]
    )
    assert len(to) == len(table.records)


@given(records, st.booleans(), st.integers(2, 4))
def test_requirements_agree_with_their_definition(rows, unit, k):
    classes = defaultdict(list)
    for a, b, s, u in rows:
        classes[a, b].append((s or None, u))
    table = table_of(rows, unit)
    order = list(as_counter(table))

    def size(members):
        return len({u for _, u in members}) if unit else len(members)

    small = [size(classes[c]) < k for c in order]
    plain = [len({s for s, _ in classes[c]}) < 2 for c in order]
    branded = [size([m for m in classes[c] if m[0] == "yes"]) == size(classes[c]) for c in order]
    assert K(k).failing(table).tolist() == small
    assert DistinctL("s", 2).failing(table).tolist() == plain
    assert OneSided("s", "yes").failing(table).tolist() == branded


@given(records, st.integers(2, 3))
def test_suppressing_a_unit_drops_all_its_records(rows, k):
    table = table_of(rows, unit=True)
    failing = K(k).failing(table)
    order = list(as_counter(table))
    bad = {order[i] for i in np.flatnonzero(failing)}
    gone = {u for a, b, _, u in rows if (a, b) in bad}
    left = [row for row in rows if row[3] not in gone]
    assert as_counter(table.suppress(failing)) == (as_counter(table_of(left, unit=True)) if left else {})


def test_packing_does_not_overflow_when_the_domains_multiply_past_63_bits():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 2**31 - 1, 400) for _ in range(6)]
    columns = [np.concatenate([c, c]) for c in columns]  # every row twice
    packed = pack(columns, [2**31] * 6)
    first, inverse = group(packed)
    assert len(first) == len(set(zip(*(c.tolist() for c in columns), strict=True)))
    assert np.bincount(inverse).tolist() == [2] * 400


def test_packing_keeps_the_lexicographic_order_across_a_re_rank():
    columns = [np.array([2, 0, 1, 1]), np.array([0, 2**40, 7, 3]), np.array([5, 2**40, 1, 9])]
    packed = pack(columns, [3, 2**41, 2**41])
    assert np.argsort(packed).tolist() == [1, 3, 2, 0]


def test_missing_never_makes_a_class_larger_nor_more_diverse():
    table = from_records({"a": ["x", "x", None, ""]}, {"s": ["", None, "", None]})
    assert table.smallest == 1
    assert table.classes == 3
    assert DistinctL("s", 2).failing(table).all()


def test_a_histogram_that_was_not_counted_is_asked_for_by_name():
    with pytest.raises(InputError, match="'t'"):
        DistinctL("t", 2).failing(from_records({"a": ["x"]}))
