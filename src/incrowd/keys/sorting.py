"""Sorting and merging long arrays of packed numbers: the loops that counting tens of millions of classes rests on.

NumPy sorts numbers with the widest registers the processor has. To find their order (argsort, or `unique` with its
index) it goes by comparisons, and takes ten times as long; so the order is found by a plain sort, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
_SMALL = 1 << 12  # below this argsort is as quick


def sort_with_order(numbers: Int64) -> tuple[Int64, Int64]:
    """The numbers in sorted order, and where each of them was; equal ones stay in their order.

    Where a number and its place fit into 64 bits together, sorting such pairs gives both; else argsort does.

    >>> numbers, order = sort_with_order(np.array([3, 1, 3, 2]))
    >>> numbers.tolist(), order.tolist()
    ([1, 2, 3, 3], [1, 3, 0, 2])
    """
    places = max(len(numbers) - 1, 0).bit_length()
    if len(numbers) < _SMALL or int(numbers.min()) < 0 or int(numbers.max()).bit_length() + places > 64:
        order = np.argsort(numbers, kind="stable")
        return numbers[order], order
    pairs = numbers.astype(np.uint64) << np.uint64(places)
    pairs |= np.arange(len(numbers), dtype=np.uint64)
    pairs.sort()
    in_order = (pairs >> np.uint64(places)).view(np.int64)
    pairs &= np.uint64((1 << places) - 1)
    return in_order, pairs.view(np.int64)


def merge_counts(first: Int64, amounts: Int64, second: Int64, more: Int64) -> tuple[Int64, Int64]:
    """Two sorted lists of different numbers, each with an amount, as one; amounts of equal numbers are added.

    >>> numbers, amounts = merge_counts(*(np.array(x) for x in ([1, 4], [1, 1], [1, 2], [5, 6])))
    >>> numbers.tolist(), amounts.tolist()
    ([1, 2, 4], [6, 6, 1])
    """
    numbers, total = np.empty(len(first) + len(second), np.int64), np.empty(len(first) + len(second), np.int64)
    used = _merge(first, amounts, second, more, numbers, total)
    return numbers[:used], total[:used]


@njit(cache=True, nogil=True)
def _merge(
    first: NDArray[Any], amounts: NDArray[Any], second: NDArray[Any], more: NDArray[Any],
    numbers: NDArray[Any], total: NDArray[Any],
) -> int:  # fmt: skip
    i, j, used = 0, 0, 0
    while i < len(first) or j < len(second):
        if j == len(second) or (i < len(first) and first[i] < second[j]):
            numbers[used], total[used] = first[i], amounts[i]
            i += 1
        elif i == len(first) or second[j] < first[i]:
            numbers[used], total[used] = second[j], more[j]
            j += 1
        else:
            numbers[used], total[used] = first[i], amounts[i] + more[j]
            i, j = i + 1, j + 1
        used += 1
    return used
