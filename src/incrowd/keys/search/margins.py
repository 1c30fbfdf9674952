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

from incrowd.keys.search.rollups import Node, Steps
from incrowd.keys.table import Int32, Int64

# The most codes a key may have in a marginal of so many keys: some ten thousand cells at most. Wider keys start at
# a higher level there.
_WIDEST = {1: 1 << 14, 2: 128, 3: 24}
_MOST_SETS = 1000  # more sets of keys than this are not looked at: three keys out of 19 are 969


@njit(cache=True, nogil=True)
def _below(cells: NDArray[Any], k: int) -> int:
    total = 0
    for count in cells:
        if count < k:
            total += count
    return total


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
    cells: NDArray[Any], low: NDArray[Any], shape: NDArray[Any], steps: NDArray[Any],
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
def _before(keys: NDArray[Any], shape: NDArray[Any], pairs: NDArray[Any]) -> Any:
    """What pairs of these keys already say about their combinations of levels."""
    bad = np.zeros((shape[0], shape[1], shape[2]), np.bool_)
    for i in range(3):
        for j in range(i):
            if keys[i] >= 0:
                for at in np.ndindex(bad.shape):
                    bad[at] |= pairs[keys[j], keys[i], at[j], at[i]]
    return bad


@njit(cache=True, nogil=True)
def _look(
    codes: NDArray[Any], counts: NDArray[Any], sets: NDArray[Any], root: NDArray[Any], top: NDArray[Any],
    maps: NDArray[Any], reach: NDArray[Any], pairs: NDArray[Any], k: int, allowed: int,
) -> Any:  # fmt: skip
    """For each set of keys (-1 stands for none) the failing combinations with all coarser ones passing, as nodes.

    Also fills pairs[a, b]: which combinations of levels of two keys fail.
    """
    found = np.empty((64, len(top)), np.int64)
    number = 0
    first = np.zeros(len(counts), np.int64)  # the first two keys' part of the cell: sets in order share it
    ready = (-2, -2)
    low, levels, shape = np.zeros(3, np.int64), np.ones(3, np.int64), np.ones(3, np.int64)
    steps, reaches = np.zeros((3, maps.shape[1], maps.shape[2]), np.int64), np.ones((3, maps.shape[1]), np.int64)
    for s in range(len(sets)):
        keys = sets[s]
        for i in range(3):
            if keys[i] >= 0:
                low[i], levels[i], shape[i] = root[keys[i]], top[keys[i]] + 1, reach[keys[i], root[keys[i]]]
        if (k - 1) * shape[0] * shape[1] * shape[2] <= allowed:
            continue
        cells = np.zeros(shape[0] * shape[1] * shape[2], np.int64)
        if ready != (keys[0], keys[1]):
            ready = (keys[0], keys[1])
            if keys[1] >= 0:
                for j in range(len(counts)):
                    first[j] = codes[keys[0], j] * shape[1] + codes[keys[1], j]
            else:
                for j in range(len(counts)):
                    first[j] = codes[keys[0], j]
        if keys[2] >= 0:
            third = codes[keys[2]]
            for j in range(len(counts)):
                cells[first[j] * shape[2] + third[j]] += counts[j]
        else:
            for j in range(len(counts)):
                cells[first[j]] += counts[j]
        if _below(cells, k) <= allowed:
            continue
        for i in range(3):
            if keys[i] >= 0:
                steps[i], reaches[i] = maps[keys[i]], reach[keys[i]]
        bad = _before(keys, levels, pairs)
        new = _explore(cells, low, shape, steps, reaches, bad, k, allowed)
        if keys[1] >= 0 and keys[2] < 0:
            pairs[keys[0], keys[1], : bad.shape[0], : bad.shape[1]] = bad[:, :, 0]
        for at in np.ndindex(new.shape):
            if not new[at]:
                continue
            if number == len(found):
                found = np.concatenate((found, np.empty_like(found)))
            found[number] = top
            for i in range(3):
                if keys[i] >= 0:
                    found[number, keys[i]] = at[i]
            number += 1
    return found[:number]


class Margins:
    """The marginals of a table, looked at in sets of one, two and three keys."""

    def __init__(self, steps: Steps, k: int, allowed: int) -> None:
        self._top = np.array([key.height for key in steps.levels], np.int64)
        self._k, self._allowed, self._steps = k, allowed, steps
        number, deepest = len(steps.levels), int(self._top.max()) + 1
        self._pairs = np.zeros((number, number, deepest, deepest), np.bool_)

    def start(self, root: Node, size: int) -> Node:
        """The finest node whose marginals of so many keys stay small; finer ones would not be cheap."""
        node = list(root)
        for i, key in enumerate(self._steps.levels):
            while node[i] < key.height and len(key.recodes[node[i]].domain) > _WIDEST[size]:
                node[i] += 1
        return tuple(node)

    def failing(self, codes: Int32, counts: Int64, node: Node, size: int) -> list[Node]:
        """The coarsest nodes with `size` keys below the top that leave too many records below k.

        `codes` are those of the table of `node`; ask for smaller sets first, they shorten the larger ones.
        """
        number = len(self._top)
        spans = [len(key.recodes[level].domain) for key, level in zip(self._steps.levels, node, strict=True)]
        if size > number or comb(number, size) > _MOST_SETS or max(spans) > _WIDEST[size]:
            return []
        sets = np.full((comb(number, size), 3), -1, np.int64)
        sets[:, :size] = list(combinations(range(number), size))
        maps, reach = self._steps.maps(node), np.ones((number, int(self._top.max()) + 1), np.int64)
        for i, key in enumerate(self._steps.levels):
            reach[i, : key.height + 1] = [len(recode.domain) for recode in key.recodes]
        floor = np.array(node, np.int64)
        found = _look(codes, counts, sets, floor, self._top, maps, reach, self._pairs, self._k, self._allowed)
        return [tuple(levels) for levels in found.tolist()]
