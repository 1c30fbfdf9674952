"""Many integer columns as one 64-bit number per row, so that equality of rows is equality of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.sorting import sort_with_order

Ints = NDArray[np.signedinteger[Any]]
_LIMIT = 2**63 - 1


def pack(columns: Sequence[Ints], spans: Sequence[int]) -> NDArray[np.int64]:
    """Which rows are equal? Two rows get the same number exactly when all their codes are the same.

    Mixed radix: ((c1 * span2) + c2) * span3 + ... Where the product of the spans would pass 63 bits the numbers
    so far are replaced by their ranks, of which there are at most as many as rows; so nothing ever overflows,
    and the order of the numbers stays the lexicographic order of the rows.

    >>> pack([np.array([0, 1, 1]), np.array([2, 0, 2])], [2, 3]).tolist()
    [2, 3, 5]
    """
    if not columns:
        raise ValueError("pack needs at least one column")
    packed = np.asarray(columns[0], dtype=np.int64)
    reach = max(int(spans[0]), 1)
    for column, span in zip(columns[1:], spans[1:], strict=True):
        span = max(int(span), 1)
        if reach * span > _LIMIT:
            first, packed = group(packed)
            reach = max(len(first), 1)
        packed = packed * np.int64(span) + column
        reach *= span
    return packed


def group(packed: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which rows belong together? The first row of each group, in order, and each row's group number."""
    in_order, order = sort_with_order(packed)
    new = _changes(in_order)
    groups = np.empty(len(packed), dtype=np.int64)
    groups[order] = np.cumsum(new) - 1
    return order[new], groups


def add_up(groups: NDArray[np.int64], amounts: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Sum whole numbers per group, exactly (bincount's floats are not exact beyond 2^53)."""
    total = np.zeros(number, dtype=np.int64)
    np.add.at(total, groups, amounts)
    return total


def count_rows(
    columns: Sequence[Ints], spans: Sequence[int], counts: NDArray[np.int64] | None = None
) -> tuple[list[NDArray[np.int32]], NDArray[np.int64]]:
    """Which rows occur, and how often? The distinct rows in lexicographic order, column by column, and their counts.

    `counts` says how often each row stands for itself (once, when left out). Where the codes fit into 63 bits side by
    side, which is nearly always, equal rows are found by sorting one array of numbers, without an index beside it.

    >>> rows, counts = count_rows([np.array([1, 0, 1]), np.array([5, 2, 5])], [2, 6])
    >>> [column.tolist() for column in rows], counts.tolist()
    ([[0, 1], [2, 5]], [1, 2])
    """
    widths = [max(int(span) - 1, 0).bit_length() for span in spans]
    if counts is None and sum(widths) <= 63:
        return _count_by_sorting(columns, widths)
    packed = pack(columns, spans)
    in_order, order = sort_with_order(packed)
    starts = np.flatnonzero(_changes(in_order))
    amounts = np.ones(len(packed), np.int64) if counts is None else counts
    first = order[starts]
    summed = np.add.reduceat(amounts[order], starts) if len(starts) else np.zeros(0, np.int64)
    return [np.asarray(column[first], dtype=np.int32) for column in columns], summed


def _count_by_sorting(
    columns: Sequence[Ints], widths: Sequence[int]
) -> tuple[list[NDArray[np.int32]], NDArray[np.int64]]:
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        packed <<= width
        packed |= column
    packed.sort()
    starts = np.flatnonzero(_changes(packed))
    counts = np.diff(starts, append=len(packed))
    packed = packed[starts]
    found: list[NDArray[np.int32]] = []
    for width in reversed(widths):
        found.append((packed & ((1 << width) - 1)).astype(np.int32))
        packed >>= width
    return found[::-1], counts


def _changes(packed: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a sorted array begins a new value."""
    changes = np.ones(len(packed), dtype=bool)
    np.not_equal(packed[1:], packed[:-1], out=changes[1:])
    return changes
