"""Univariate microaggregation: the proven optimum for one variable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.grouping.means import Floats, Groups


def univariate(values: Floats, k: int) -> Groups:
    """Which groups of k to 2k - 1 records have the least sum of squares within? The optimum.

    Sorted, some optimal grouping has only groups of neighbours; the shortest path over their ends finds it in n times k
    steps: cost(i) = min over k <= s < 2k of cost(i - s) + SSE(i - s, i). Equal values may be in two groups; the order
    in which they are given decides who is where. Hansen and Mukherjee (2003), "A polynomial algorithm for optimal
    univariate microaggregation", IEEE TKDE 15.

    >>> univariate(np.array([1.0, 9.0, 2.0, 8.0, 7.0]), 2).tolist()
    [0, 1, 0, 1, 1]
    """
    if len(values) < k:
        raise ValueError("fewer records than k")
    order = np.argsort(values, kind="stable")
    groups = np.empty(len(values), np.int64)
    groups[order] = _shortest(values[order] - values.mean(), k)
    return groups


@njit(cache=True, nogil=True)
def _shortest(values: NDArray[Any], k: int) -> Any:
    n = len(values)
    sums, squares = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        sums[i + 1] = sums[i] + values[i]
        squares[i + 1] = squares[i] + values[i] * values[i]
    cost, before = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    cost[0] = 0.0
    for i in range(k, n + 1):
        for j in range(max(0, i - 2 * k + 1), i - k + 1):
            if cost[j] == np.inf:
                continue
            total = sums[i] - sums[j]
            found = cost[j] + squares[i] - squares[j] - total * total / (i - j)
            if found < cost[i]:
                cost[i], before[i] = found, j
    groups, number = np.empty(n, np.int64), 0
    ends = np.empty(n + 1, np.int64)
    at = n
    while at > 0:
        ends[number] = at
        number += 1
        at = before[at]
    start = 0
    for group in range(number):
        for i in range(start, ends[number - 1 - group]):
            groups[i] = group
        start = ends[number - 1 - group]
    return groups
