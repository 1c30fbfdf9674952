"""Levels that small marginals rule out: too many records below k on one, two or three keys is too many everywhere.

A marginal is the node with all other keys at the top, so if it fails, so does every node that is finer there.
Counting it is cheap: one pass over the base table for each set of keys, then a few hundred cells for each
combination of levels.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.rollups import Node, Steps
from incrowd.keys.table import Int64, KeyTable

_MOST_CELLS = 1 << 20  # a marginal with more cells would not be cheap
_MOST_SETS = 300  # the same for the number of sets: three keys out of twelve are 220


@njit(cache=True, nogil=True)
def _margin(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], counts: NDArray[Any], spans: NDArray[Any]) -> Any:
    cells = np.zeros(spans[0] * spans[1] * spans[2], np.int64)
    for j in range(len(counts)):
        cells[(np.int64(a[j]) * spans[1] + b[j]) * spans[2] + c[j]] += counts[j]
    return cells


@njit(cache=True, nogil=True)
def _below(cells: NDArray[Any], k: int) -> int:
    total = 0
    for count in cells:
        if count < k:
            total += count
    return total


@njit(cache=True, nogil=True)
def _explore(
    cells: NDArray[Any], spans: NDArray[Any], maps: NDArray[Any], reach: NDArray[Any], lows: NDArray[Any],
    bad: NDArray[Any], k: int, allowed: int,
) -> Any:  # fmt: skip
    """Fill `bad[levels]`, coarsest first; gives the combinations that fail while all coarser ones pass.

    maps[i, level, code] is the code at that level of key i, reach[i, level] the number of codes there.
    """
    new = np.zeros(bad.shape, np.bool_)
    rolled = np.empty(len(cells), np.int64)
    for x in range(bad.shape[0] - 1, lows[0] - 1, -1):
        for y in range(bad.shape[1] - 1, lows[1] - 1, -1):
            for z in range(bad.shape[2] - 1, lows[2] - 1, -1):
                if (
                    bad[x, y, z]
                    or (x + 1 < bad.shape[0] and bad[x + 1, y, z])
                    or (y + 1 < bad.shape[1] and bad[x, y + 1, z])
                    or (z + 1 < bad.shape[2] and bad[x, y, z + 1])
                ):
                    bad[x, y, z] = True
                    continue
                size = reach[0, x] * reach[1, y] * reach[2, z]
                rolled[:size] = 0
                at = 0
                for a in range(spans[0]):
                    first = maps[0, x, a] * reach[1, y]
                    for b in range(spans[1]):
                        second = (first + maps[1, y, b]) * reach[2, z]
                        for c in range(spans[2]):
                            rolled[second + maps[2, z, c]] += cells[at]
                            at += 1
                if _below(rolled[:size], k) > allowed:
                    bad[x, y, z] = True
                    new[x, y, z] = True
    return new


def ruled_out(base: KeyTable, steps: Steps, k: int, allowed: int, keys: int = 3) -> list[Node]:
    """The coarsest nodes with at most `keys` keys below the top that leave more than `allowed` records below k."""
    levels, records = steps.levels, base.records
    top = tuple(key.height for key in levels)
    columns: list[np.ndarray] = list(base.codes)
    low = [0] * len(levels)
    known: dict[tuple[int, ...], np.ndarray] = {}
    found: list[Node] = []
    for size in range(1, min(keys, len(levels)) + 1):
        if size > 1 and comb(len(levels), size) > _MOST_SETS:
            break
        for subset in combinations(range(len(levels)), size):
            spans = [len(levels[i].recodes[low[i]].domain) for i in subset]
            if prod(spans) > _MOST_CELLS or (k - 1) * prod(spans) <= allowed:
                continue
            padded = [*subset, *[-1] * (3 - size)]
            cells = _margin(*[columns[i] if i >= 0 else _zeros(base) for i in padded], records, _three(spans))
            if _below(cells, k) <= allowed:
                continue
            bad = _before(known, padded, top)
            lows = np.array([low[i] if i >= 0 else 0 for i in padded])
            new = _explore(cells, _three(spans), *_maps(steps, padded, low), lows, bad, k, allowed)
            known[subset] = bad
            for combination in np.argwhere(new):
                node = list(top)
                for i, level in zip(subset, combination, strict=False):
                    node[i] = int(level)
                found.append(tuple(node))
        if size == 1:
            for (i,), bad in known.items():
                low[i] = int(np.argmin(bad[:, 0, 0])) if not bad.all() else top[i]
                columns[i] = steps.map(i, 0, low[i])[base.codes[i]].astype(np.int32)
    return found


def _zeros(base: KeyTable) -> np.ndarray:
    return np.zeros(len(base.records), np.int32)


def _three(spans: list[int]) -> Int64:
    return np.array([*spans, *[1] * (3 - len(spans))], np.int64)


def _before(known: dict[tuple[int, ...], np.ndarray], padded: list[int], top: Node) -> np.ndarray:
    """What smaller sets of keys already say about the combinations of levels of this set."""
    bad = np.zeros([top[i] + 1 if i >= 0 else 1 for i in padded], bool)
    inside = [(at, i) for at, i in enumerate(padded) if i >= 0]
    for size in range(1, len(inside)):
        for part in combinations(inside, size):
            smaller = known.get(tuple(i for _, i in part))
            if smaller is not None:
                shape = [1, 1, 1]
                for at, i in part:
                    shape[at] = top[i] + 1
                bad |= smaller.reshape(shape)
    return bad


def _maps(steps: Steps, padded: list[int], low: list[int]) -> tuple[Int64, Int64]:
    """The maps from the lowest level of each key to the others, and the codes there, as two padded arrays."""
    inside = [i for i in padded if i >= 0]
    deepest = max(steps.levels[i].height for i in inside) + 1
    widest = max(len(steps.levels[i].recodes[low[i]].domain) for i in inside)
    maps, reach = np.zeros((3, deepest, widest), np.int64), np.ones((3, deepest), np.int64)
    for at, i in enumerate(padded):
        if i < 0:
            continue
        for level in range(low[i], steps.levels[i].height + 1):
            step = steps.map(i, low[i], level)
            maps[at, level, : len(step)] = step
            reach[at, level] = len(steps.levels[i].recodes[level].domain)
    return maps, reach
