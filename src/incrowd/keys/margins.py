"""Levels that small marginals rule out: too many records below k on one, two or three keys is too many everywhere.

A marginal is the node with all other keys at the top, so if it fails, so does every node that is finer there.
Counting it is cheap: one pass over the table for each set of keys, then a few hundred cells for each combination
of levels.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.rollups import Node, Steps
from incrowd.keys.table import Int64

_MOST_CELLS = 1 << 14  # a marginal with more cells starts at higher levels of its widest keys
_MOST_SETS = 1000  # more sets of keys than this are not looked at: three keys out of 19 are 969


@njit(cache=True, nogil=True)
def _below(cells: NDArray[Any], k: int) -> int:
    total = 0
    for count in cells:
        if count < k:
            total += count
    return total


@njit(cache=True, nogil=True)
def _count(
    codes: NDArray[Any], counts: NDArray[Any], keys: NDArray[Any], maps: NDArray[Any], low: NDArray[Any],
    shape: NDArray[Any],
) -> Any:  # fmt: skip
    """The cells of a marginal of three keys at their lowest levels; key -1 is a key with one value."""
    cells = np.zeros(shape[0] * shape[1] * shape[2], np.int64)
    at = np.zeros(len(counts), np.int64)
    for i in range(3):
        if keys[i] >= 0:
            step, column = maps[keys[i], low[i]], codes[keys[i]]
            for j in range(len(counts)):
                at[j] = at[j] * shape[i] + step[column[j]]
    for j in range(len(counts)):
        cells[at[j]] += counts[j]
    return cells


@njit(cache=True, nogil=True)
def _merge(cells: NDArray[Any], before: int, span: int, after: int, step: NDArray[Any], reach: int) -> Any:
    """Recode the middle axis of cells[before, span, after]."""
    merged = np.zeros(before * reach * after, np.int64)
    for a in range(before):
        for b in range(span):
            source, target = (a * span + b) * after, (a * reach + step[b]) * after
            for c in range(after):
                merged[target + c] += cells[source + c]
    return merged


@njit(cache=True, nogil=True)
def _explore(
    cells: NDArray[Any], keys: NDArray[Any], low: NDArray[Any], shape: NDArray[Any], steps: NDArray[Any],
    reach: NDArray[Any], bad: NDArray[Any], k: int, allowed: int,
) -> Any:  # fmt: skip
    """Fill bad[levels], coarsest first; gives the combinations that fail while all coarser ones pass.

    steps[i, level] maps the codes of axis i at its lowest level to those at `level`, reach[i, level] of them.
    """
    new = np.zeros(bad.shape, np.bool_)
    for x in range(bad.shape[0] - 1, low[0] - 1, -1):
        first = _merge(cells, 1, shape[0], shape[1] * shape[2], steps[0, x], reach[0, x])
        for y in range(bad.shape[1] - 1, low[1] - 1, -1):
            second = _merge(first, reach[0, x], shape[1], shape[2], steps[1, y], reach[1, y])
            for z in range(bad.shape[2] - 1, low[2] - 1, -1):
                known = bad[x, y, z]
                known |= x + 1 < bad.shape[0] and bad[x + 1, y, z]
                known |= y + 1 < bad.shape[1] and bad[x, y + 1, z]
                known |= z + 1 < bad.shape[2] and bad[x, y, z + 1]
                if known:
                    bad[x, y, z] = True
                    continue
                third = _merge(second, reach[0, x] * reach[1, y], shape[2], 1, steps[2, z], reach[2, z])
                if _below(third, k) > allowed:
                    bad[x, y, z] = True
                    new[x, y, z] = True
    return new


@njit(cache=True, nogil=True)
def _look(
    codes: NDArray[Any], counts: NDArray[Any], keys: NDArray[Any], top: NDArray[Any], maps: NDArray[Any],
    reach: NDArray[Any], floor: NDArray[Any], pairs: NDArray[Any], k: int, allowed: int, most: int,
) -> Any:  # fmt: skip
    """One set of keys: its failing combinations of levels with all coarser ones passing; fills pairs[a, b]."""
    low, heights, shape = np.zeros(3, np.int64), np.zeros(3, np.int64), np.ones(3, np.int64)
    for i in range(3):
        if keys[i] >= 0:
            low[i], heights[i] = floor[keys[i]], top[keys[i]]
            shape[i] = reach[keys[i], low[i]]
    while shape[0] * shape[1] * shape[2] > most:
        widest = np.argmax(np.where(low < heights, shape, 0))
        if low[widest] >= heights[widest]:
            break
        low[widest] += 1
        shape[widest] = reach[keys[widest], low[widest]]
    none = np.zeros((heights[0] + 1, heights[1] + 1, heights[2] + 1), np.bool_)
    if (k - 1) * shape[0] * shape[1] * shape[2] <= allowed:
        return none
    cells = _count(codes, counts, keys, maps, low, shape)
    if _below(cells, k) <= allowed:
        return none
    steps = np.zeros((3, np.max(heights) + 1, np.max(shape)), np.int64)
    reaches = np.ones((3, np.max(heights) + 1), np.int64)
    bad = none.copy()
    for i in range(3):
        if keys[i] < 0:
            continue
        for level in range(low[i], heights[i] + 1):
            reaches[i, level] = reach[keys[i], level]
            for code in range(maps.shape[2]):  # through the finest codes: hierarchies are nested
                fine = maps[keys[i], low[i], code]
                if fine >= 0:
                    steps[i, level, fine] = maps[keys[i], level, code]
        for j in range(i):
            for a in range(bad.shape[0]):
                for b in range(bad.shape[1]):
                    for c in range(bad.shape[2]):
                        at = (a, b, c)
                        bad[a, b, c] |= pairs[keys[j], keys[i], at[j], at[i]]
    new = _explore(cells, keys, low, shape, steps, reaches, bad, k, allowed)
    if keys[1] >= 0 and keys[2] < 0:
        pairs[keys[0], keys[1], : bad.shape[0], : bad.shape[1]] = bad[:, :, 0]
    return new


@njit(cache=True, nogil=True)
def _look_all(
    codes: NDArray[Any], counts: NDArray[Any], sets: NDArray[Any], top: NDArray[Any], maps: NDArray[Any],
    reach: NDArray[Any], floor: NDArray[Any], pairs: NDArray[Any], k: int, allowed: int, most: int,
) -> Any:  # fmt: skip
    """The same for many sets of keys: the nodes that fail."""
    found = np.empty((64, len(top)), np.int64)
    number = 0
    for s in range(len(sets)):
        new = _look(codes, counts, sets[s], top, maps, reach, floor, pairs, k, allowed, most)
        for at, fails in np.ndenumerate(new):
            if not fails:
                continue
            if number == len(found):
                found = np.concatenate((found, np.empty_like(found)))
            found[number] = top
            for i in range(3):
                if sets[s, i] >= 0:
                    found[number, sets[s, i]] = at[i]
            number += 1
    return found[:number]


class Margins:
    """The marginals of a table, looked at in sets of one, two and three keys."""

    def __init__(self, steps: Steps, k: int, allowed: int) -> None:
        self._top = np.array([key.height for key in steps.levels], np.int64)
        self._k, self._allowed, self._steps = k, allowed, steps
        number, deepest = len(steps.levels), int(self._top.max()) + 1
        self._pairs = np.zeros((number, number, deepest, deepest), np.bool_)

    def failing(self, codes: Int64, counts: Int64, root: Node, size: int) -> list[Node]:
        """The coarsest nodes with `size` keys below the top that leave too many records below k.

        `codes` are those of the table of `root`; ask for smaller sets first, they shorten the larger ones.
        """
        number = len(self._top)
        if size > number or comb(number, size) > _MOST_SETS:
            return []
        sets = np.full((comb(number, size), 3), -1, np.int64)
        sets[:, :size] = list(combinations(range(number), size))
        maps, reach = self._maps(root)
        floor = np.array(root, np.int64)
        found = _look_all(
            codes, counts, sets, self._top, maps, reach, floor, self._pairs, self._k, self._allowed, _MOST_CELLS
        )
        return [tuple(node) for node in found.tolist()]

    def _maps(self, root: Node) -> tuple[Int64, Int64]:
        """From the codes of the root to each level: maps[key, level, code] (-1 beyond), and how many there are."""
        spans = [len(key.recodes[level].domain) for key, level in zip(self._steps.levels, root, strict=True)]
        deepest = int(self._top.max()) + 1
        maps = np.full((len(spans), deepest, max(spans)), -1, np.int64)
        reach = np.ones((len(spans), deepest), np.int64)
        for i, key in enumerate(self._steps.levels):
            for level in range(root[i], key.height + 1):
                maps[i, level, : spans[i]] = self._steps.map(i, root[i], level)
                reach[i, level] = len(key.recodes[level].domain)
        return maps, reach
