"""How far from the optimum can a local recoding be? A lower bound that holds for every local recoding.

Linear programming duality: give each record a price it is willing to pay. If in no region of the lattice (a label
with all records under it) the k highest prices add up to more than k times the region's loss, then no class can be
paid for by its members' prices, since a class is at least k records of the region of its label, and the k-th highest
price is then at most the loss, so further members pay no more than it either. So the sum of the prices is at most the
loss of any recoding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.hierarchy import Levels
from incrowd.keys.local.nodes import hash_columns, lattice_nodes
from incrowd.keys.local.paths import Floats, paths_of
from incrowd.keys.local.result import LocalRecoding
from incrowd.keys.table import Int64, KeyTable


def lower_bound(
    table: KeyTable, levels: Sequence[Levels], k: int, found: LocalRecoding, *, nodes: int = 50_000
) -> float | None:
    """No local recoding with classes of at least k records has an arithmetic loss below this.

    Starts with what the records pay in the recoding found (any start is valid, a near optimal one is good) and
    lowers prices region by region until no region can be paid for. Counts every node of the lattice: `None`, no
    bound, where there are more than `nodes`. Costs classes x nodes, many times the recoding itself.

    Misleads as a target: the optimum may lie well above it.
    """
    real = table.records > 0
    base = table.suppress(~real) if not real.all() else table
    paths, rng = paths_of(base, levels), np.random.default_rng(0)
    if np.prod([float(height + 1) for height in paths.heights]) > nodes or not len(base.records):
        return None
    mean, _ = paths.means(base.records)
    level = lattice_nodes(paths, mean, nodes, rng)
    sums, rows = hash_columns(paths, level, rng)
    column = (level + paths.at[:-1]).astype(np.int32)
    order = np.argsort(mean[column].sum(axis=1), kind="stable")
    prices = _paid(base, levels, found)[real]
    _lower_prices(sums, rows, column, paths.losses, base.records, k, order, prices)
    return float(prices @ base.records) / float(base.records.sum())


def _paid(table: KeyTable, levels: Sequence[Levels], found: LocalRecoding) -> Floats:
    """The mean loss of each base class's records in the recoding found; 1 where suppressed."""
    losses = np.zeros(found.levels.shape[1] + 1)
    losses[-1] = 1.0
    for key, level, code in zip(levels, found.levels, found.codes, strict=True):
        losses[:-1] += [key.losses[j][c] / len(levels) for j, c in zip(level.tolist(), code.tolist(), strict=True)]
    paid = np.bincount(found.base, losses[found.to] * found.records, minlength=len(table.records))
    return np.asarray(paid / np.maximum(table.records, 1), dtype=np.float64)


@njit(cache=True)
def _lower_prices(
    sums: Int64,
    rows: Int64,
    column: NDArray[np.int32],
    losses: Floats,
    records: Int64,
    k: int,
    order: Int64,
    prices: Floats,
) -> None:
    """Lower prices until in every region the k highest add up to at most k times its loss."""
    number, keys, groups = len(records), column.shape[1], rows.shape[1]
    size = 64
    while size < 2 * number:
        size *= 2
    mask = size - 1
    slot_hash, slot_stamp = np.empty(size, np.int64), np.zeros(size, np.int64)
    slot_loss, highest, many = np.empty(size), np.empty((size, k)), np.empty(size, np.int64)
    slot_of, slots, cap = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(size)
    for turn in range(len(order)):
        node, stamp, used = order[turn], turn + 1, 0
        for a in range(number):
            h = np.int64(0)
            for g in range(groups):
                h += sums[rows[node, g], a]
            s = (h >> 20) & mask
            while slot_stamp[s] == stamp and slot_hash[s] != h:
                s = (s + 1) & mask
            if slot_stamp[s] != stamp:
                slot_stamp[s], slot_hash[s], many[s] = stamp, h, 0
                loss = 0.0
                for i in range(keys):
                    loss += losses[a, column[node, i]]
                slot_loss[s], slots[used] = loss, s
                used += 1
            slot_of[a] = s
            for _ in range(min(records[a], k)):
                q = many[s]
                if q == k and highest[s, k - 1] >= prices[a]:
                    break
                if q == k:
                    q -= 1
                else:
                    many[s] += 1
                while q > 0 and highest[s, q - 1] < prices[a]:
                    highest[s, q] = highest[s, q - 1]
                    q -= 1
                highest[s, q] = prices[a]
        for x in range(used):
            s = slots[x]
            cap[s] = _cap(highest[s], k * slot_loss[s]) if many[s] == k else np.inf
        for a in range(number):
            prices[a] = min(prices[a], cap[slot_of[a]])


@njit(cache=True)
def _cap(highest: Floats, most: float) -> float:
    """The cap c with which the sum of min(price, c) is at most `most`; prices come highest first."""
    below = highest.sum()
    if below <= most:
        return float(np.inf)
    cap = 0.0
    for q in range(len(highest)):
        below -= highest[q]
        cap = (most - below) / (q + 1)
        if q + 1 < len(highest) and cap >= highest[q + 1]:
            break
    return cap
