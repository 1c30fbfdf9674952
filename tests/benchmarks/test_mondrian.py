from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from benchmarks.mondrian import mondrian
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.table import from_records

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 1)), min_size=4, max_size=60)


@given(ROWS, st.integers(1, 4))
def test_boxes_hold_k_records_and_contain_their_members(rows: list[tuple[int, ...]], k: int) -> None:
    table = from_records({f"key{i}": [str(row[i]) for row in rows] for i in range(3)})
    result = mondrian(table, k)
    boxes: Counter[int] = Counter()
    lost = 0.0
    for one, records in enumerate(table.records.tolist()):
        box = int(result.to[one])
        boxes[box] += records
        assert (result.low[:, box] <= table.codes[:, one]).all()
        assert (table.codes[:, one] <= result.high[:, box]).all()
        spans = [max(len(domain) - 1, 1) for domain in table.domains]
        lost += records * float(np.mean((result.high[:, box] - result.low[:, box]) / spans))
    assert min(boxes.values()) >= k
    assert len(boxes) == result.classes
    assert result.loss_arithmetic == pytest.approx(lost / len(rows))


def test_a_box_that_could_be_cut_is_cut() -> None:
    table = from_records({"age": [str(10 + age) for age in range(16)]})
    assert mondrian(table, 2).classes == 8
    assert mondrian(table, 2).loss_arithmetic == pytest.approx(1 / 15)


def test_it_refuses_too_few_records_and_several_records_a_person() -> None:
    with pytest.raises(NotReleasable, match="R014"):
        mondrian(from_records({"age": ["1", "2"]}), 3)
    with pytest.raises(InputError, match="D048"):
        mondrian(from_records({"age": ["1", "2"]}, unit=["a", "a"]), 1)
