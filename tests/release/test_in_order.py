"""The gate's ordered distance of many classes to one file: that of the definition, a sum over all values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.release.formulas import InOrder, value_order

VALUES = [None, *map(str, range(9))]
SPREADS = st.dictionaries(st.sampled_from(VALUES), st.integers(1, 9), min_size=1)


def by_definition(q: dict[str | None, int], p: dict[str | None, int], order: list[str | None]) -> float:
    """sum_i |sum_{j<=i} (p_j - q_j)| / (m - 1)."""
    n, total = sum(q.values()), sum(p.values())
    moved = 0.0
    for i in range(len(order)):
        moved += abs(sum(p.get(v, 0) / total - q.get(v, 0) / n for v in order[: i + 1]))
    return moved / max(len(order) - 1, 1)


@given(SPREADS, st.lists(SPREADS, min_size=1, max_size=4))
def test_it_is_the_definition(p: dict[str | None, int], classes: list[dict[str | None, int]]) -> None:
    order = value_order(p, "ordered", None)
    one = InOrder(p, order)
    for q in classes:
        expected = by_definition(q, p, order) if set(q) <= set(p) else math.inf
        assert one.distance(q) == pytest.approx(expected, abs=1e-12)


def test_the_file_itself_is_at_no_distance_and_its_ends_are_furthest() -> None:
    p = {"1": 5, "2": 0, "9": 5}
    one = InOrder(p, ["1", "2", "9"])
    assert one.distance({"1": 3, "9": 3}) == pytest.approx(0.0)
    assert one.distance({"1": 1}) == pytest.approx(0.5)
    assert one.distance({"3": 1}) == math.inf
    assert InOrder({"1": 4}, ["1"]).distance({"1": 2}) == 0.0
