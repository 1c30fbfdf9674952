"""MDAV: groups of k similar records by several variables at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.grouping.means import Floats, Groups
from incrowd.keys.grouping.tree import furthest, nearest, plant, take_out


def standardised(values: Floats) -> Floats:
    """Every variable with mean 0 and standard deviation 1, so that its unit does not matter; a constant one is 0."""
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def mdav(points: Floats, k: int) -> Groups:
    """Which records are alike? Groups of k, the last of k to 2k - 1: maximum distance to the average vector.

    While 3k records are left: take the record r that is furthest from their average, and s that is furthest from r;
    r with its k - 1 nearest is a group, then s with its k - 1 nearest. With 2k to 3k - 1 left: one more group around
    the record furthest from the average. The rest is the last group. A heuristic: the optimum for several variables is
    NP-hard, and how far this is from it is not known. Between equally far records the earlier one is taken.

    Distances are Euclidean in the points as they are given (see `standardised`). The tree finds the same records as
    looking at all of them would, in time that grows less than with the square of the records.

    Domingo-Ferrer and Torra (2005), "Ordinal, continuous and heterogeneous k-anonymity through microaggregation".

    >>> mdav(np.array([[0.0], [1.0], [10.0], [11.0]]), 2).tolist()
    [0, 0, 1, 1]
    """
    if len(points) < k:
        raise ValueError("fewer records than k")
    points = np.ascontiguousarray(points, dtype=np.float64)
    groups: Groups = _group(points, plant(points), k)
    return groups


@njit(cache=True, nogil=True)
def _group(points: NDArray[Any], tree: Any, k: int) -> Any:
    n, width = points.shape
    groups, total = np.full(n, -1, np.int64), np.zeros(width)
    for i in range(n):
        total += points[i]
    left, number = n, 0
    centre = total / n
    ranked, far = _ranked(points, groups, centre)
    head, spent = 0, 0
    while left >= 2 * k:
        if spent > left:  # the average has moved away from where the ranking was made: rank again
            centre = total / left
            ranked, far = _ranked(points, groups, centre)
            head, spent = 0, 0
        while groups[ranked[head]] >= 0:
            head += 1
        r, looked = _outermost(points, groups, ranked, far, head, centre, total / left)
        spent += looked
        s = furthest(tree, points[r])
        for turn in range(2 if left >= 3 * k else 1):
            if turn == 1 and groups[s] >= 0:  # only where many records are equally far
                s = furthest(tree, points[r])
            for member in nearest(tree, points[r if turn == 0 else s], k):
                take_out(tree, member)
                groups[member] = number
                total -= points[member]
            number += 1
            left -= k
    for i in range(n):
        if groups[i] < 0:
            groups[i] = number
    return groups


@njit(cache=True, nogil=True)
def _ranked(points: NDArray[Any], groups: NDArray[Any], centre: NDArray[Any]) -> Any:
    """The records that are left by their distance from a centre, the furthest first."""
    rest = np.flatnonzero(groups < 0)
    far = np.empty(len(rest))
    for i in range(len(rest)):
        far[i] = np.sqrt(_squared(points[rest[i]], centre))
    order = np.argsort(-far)
    return rest[order], far[order]


@njit(cache=True, nogil=True)
def _outermost(
    points: NDArray[Any],
    groups: NDArray[Any],
    ranked: NDArray[Any],
    far: NDArray[Any],
    head: int,
    centre: NDArray[Any],
    average: NDArray[Any],
) -> Any:
    """The record furthest from the average, and how many were looked at.

    The average has moved little since the records were ranked, and no record came nearer or went further by more than
    it moved: those far down the ranking need no look.
    """
    moved = np.sqrt(_squared(centre, average)) * (1 + 1e-9)
    best, found, looked = -1.0, len(points), 0
    for i in range(head, len(ranked)):
        if best >= 0 and (far[i] + moved) * (1 + 1e-9) < np.sqrt(best):
            break
        looked += 1
        if groups[ranked[i]] >= 0:
            continue
        distance = _squared(points[ranked[i]], average)
        if distance > best or (distance == best and ranked[i] < found):
            best, found = distance, ranked[i]
    return found, looked


@njit(cache=True, nogil=True)
def _squared(one: Any, other: Any) -> float:
    total = 0.0
    for j in range(len(one)):
        side = one[j] - other[j]
        total += side * side
    return total
