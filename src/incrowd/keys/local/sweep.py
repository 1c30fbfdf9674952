"""The sweep: cheapest classes first, over all nodes of the lattice at once.

A class of at least k records among those not yet taken costs each of them its label's loss. A class of u < k
records can be filled up with donors, records of classes that have more than k; then those u have to bear the loss
of k, which makes the price of a class loss * k / max(u, k) for each record in need. The sweep takes classes in
order of that price. Since records only ever leave, a node's cheapest price only rises, so the nodes wait in a heap
and each is counted again only when its turn comes (lazy greedy): exact order, a little more than one count a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.local.nodes import hash_columns, lattice_nodes
from incrowd.keys.local.paths import Floats, Paths
from incrowd.keys.table import Int64

_FAR = 1e18
#: Donors that are looked through at one visit, at most, so that the cost stays in proportion to the file.
_DONORS_SEEN = 50_000
#: Visits a slice has at most: stamp and count share one 64-bit number, 22 bits and 40.
_VISITS = 1 << 22
#: Donors are asked until this share of the base classes is left; later ones would have to come from too far.
_DONORS_UNTIL = 0.3


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which records go where: `amount` records of base class `atom` go to output class `to` (-1: not placed)."""

    atom: Int64
    to: Int64
    amount: Int64


def sweep(
    paths: Paths,
    records: Int64,
    k: int,
    *,
    donors: bool,
    nodes: int,
    rng: np.random.Generator,
    go_on: Callable[[float], bool] = lambda done: True,
) -> Pieces:
    """Place the records class by class, cheapest first; what cannot reach k anywhere stays unplaced.

    `go_on` is asked between slices of work, with the share of records placed, whether to continue.
    """
    mean, spread = paths.means(records)
    level = lattice_nodes(paths, mean, nodes, rng)
    sums, rows = hash_columns(paths, level, rng)
    column = (level + paths.at[:-1]).astype(np.int32)
    lowest = paths.losses.min(axis=0, initial=_FAR)
    # A node's first turn comes one standard deviation below its mean loss: earlier turns find next to nothing.
    start = np.maximum(mean[column].sum(axis=1) - np.sqrt((spread**2)[column].sum(axis=1)), lowest[column].sum(axis=1))
    order = np.argsort(start, kind="stable")
    number = len(records)
    heap_price, heap_node = start[order], order.astype(np.int64)
    active, to = np.arange(number, dtype=np.int64), np.full(number, -1, np.int64)
    spare = np.zeros(number + 1, np.int64)
    given, state = np.zeros(number, np.int64), np.zeros(5, np.int64)
    state[0], state[1] = len(order), number
    gift_atom, gift_to = np.zeros(number * 2 + 16, np.int64), np.zeros(number * 2 + 16, np.int64)
    pool = np.zeros(number, np.int64)
    # Slices of a second or so: each begins with a copy of what is left, which must stay small beside the work.
    quota = max(20_000_000, 64 * number)
    least, until = ((k + 1) // 2, int(number * _DONORS_UNTIL)) if donors and k > 2 else (k, 0)
    while state[0] > 0 and state[1] > 0:
        _run(
            sums, rows, column, paths.losses, records, k, least, heap_price, heap_node, active, to, spare, given,
            pool, gift_atom, gift_to, state, quota, until,
        )  # fmt: skip
        if state[1] <= until:
            least, until = k, 0
        if not go_on(1 - float(records[active[: state[1]]].sum()) / max(float(records.sum()), 1.0)):
            break
    gifts = int(state[3])
    return Pieces(
        np.concatenate([np.arange(number), gift_atom[:gifts]]),
        np.concatenate([to, gift_to[:gifts]]),
        np.concatenate([records - given, np.ones(gifts, np.int64)]),
    )


@njit(cache=True)
def _run(
    sums: Int64,
    rows: Int64,
    column: NDArray[np.int32],
    losses: Floats,
    records: Int64,
    k: int,
    least: int,
    heap_price: Floats,
    heap_node: Int64,
    active: Int64,
    to: Int64,
    spare: Int64,
    given: Int64,
    pool: Int64,
    gift_atom: Int64,
    gift_to: Int64,
    state: Int64,
    quota: int,
    until: int,
) -> None:
    """Visit nodes until the quota of counted classes is used up. `state`: heap, active, classes, gifts, donors."""
    waiting, m, classes, gifts, donors = state[0], state[1], state[2], state[3], state[4]
    groups, keys = rows.shape[1], column.shape[1]
    size = 64
    while size < 2 * m:
        size *= 2
    # A slot of the hash table: the hash, and the visit's stamp and the count in one number, side by side in memory.
    slots = np.zeros((size, 2), np.int64)
    slot_class, slot_want = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    slot_of, reached, first = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(size, np.int64)
    near, place = sums[:, active[:m]], np.arange(m)
    stamp, work = 0, 0
    while waiting > 0 and m > until and work < quota and stamp < _VISITS:
        if 3 * m < 2 * near.shape[1]:
            # Those who are left, close together again, so that they stay in the processor's cache.
            near, place = near[:, place[:m]], np.arange(m)
        price, node = heap_price[0], heap_node[0]
        limit = price * (1 + 1e-9) + 1e-12
        stamp += 1
        work += m
        while size > 64 and size >= 4 * m:
            size //= 2
        mask = size - 1
        fresh = stamp << 40
        found = 0
        one, two, three = near[rows[node, 0]], near[rows[node, 1]], near[rows[node, 2]]
        for a in range(m):
            at = place[a]
            h = one[at] + two[at] + three[at]
            for g in range(3, groups):
                h += near[rows[node, g], at]
            s = (h >> 20) & mask
            while slots[s, 1] >= fresh and slots[s, 0] != h:
                s = (s + 1) & mask
            if slots[s, 1] < fresh:
                slots[s, 0], slots[s, 1] = h, fresh
            before = slots[s, 1] - fresh
            count = before + records[active[a]]
            slots[s, 1] = fresh + count
            slot_of[a] = s
            if before < least <= count:
                reached[found], first[s] = s, active[a]
                found += 1
        next_price, taken, wanting = _FAR, False, 0
        for f in range(found):
            s = reached[f]
            loss = 0.0
            for i in range(keys):
                loss += losses[first[s], column[node, i]]
            count = slots[s, 1] - fresh
            own = loss if count >= k else loss * k / count
            if own > limit:
                next_price = min(next_price, own)
            elif count >= k:
                slot_class[s], taken = classes, True
                spare[classes] = count - k
                classes += 1
            else:
                slot_want[s] = k - count
                wanting += 1
        if wanting > 0:
            # Newest donors first: they come from the dearest classes, so moving them costs least.
            begin = gifts
            d = donors - 1
            last = max(donors - _DONORS_SEEN, 0)
            while d >= last and wanting > 0 and gifts < len(gift_atom) - k:
                atom = pool[d]
                d -= 1
                if spare[to[atom]] <= 0 or records[atom] <= given[atom]:
                    continue
                h = np.int64(0)
                for g in range(groups):
                    h += sums[rows[node, g], atom]
                s = (h >> 20) & mask
                while slots[s, 1] >= fresh and slots[s, 0] != h:
                    s = (s + 1) & mask
                if slots[s, 1] < fresh:
                    continue
                while slot_want[s] > 0 and spare[to[atom]] > 0 and records[atom] > given[atom]:
                    slot_want[s] -= 1
                    spare[to[atom]] -= 1
                    given[atom] += 1
                    gift_atom[gifts], gift_to[gifts] = atom, s
                    gifts += 1
                    if slot_want[s] == 0:
                        wanting -= 1
                        slot_class[s], taken = classes, True
                        spare[classes] = 0
                        classes += 1
            # Give back what was collected for classes that did not fill up.
            kept = begin
            for x in range(begin, gifts):
                atom, s = gift_atom[x], gift_to[x]
                if slot_class[s] >= 0:
                    gift_atom[kept], gift_to[kept] = atom, slot_class[s]
                    kept += 1
                else:
                    spare[to[atom]] += 1
                    given[atom] -= 1
            gifts = kept
        if taken:
            left = 0
            for a in range(m):
                atom, s = active[a], slot_of[a]
                if slot_class[s] >= 0:
                    to[atom] = slot_class[s]
                    if spare[slot_class[s]] > 0:
                        pool[donors] = atom
                        donors += 1
                else:
                    active[left], place[left] = atom, place[a]
                    left += 1
            m = left
        for f in range(found):
            slot_class[reached[f]], slot_want[reached[f]] = -1, 0
        if next_price < _FAR:
            heap_price[0] = next_price
        else:
            waiting -= 1
            heap_price[0], heap_node[0] = heap_price[waiting], heap_node[waiting]
        _sink(heap_price, heap_node, waiting)
    state[0], state[1], state[2], state[3], state[4] = waiting, m, classes, gifts, donors


@njit(cache=True)
def _sink(price: Floats, node: Int64, size: int) -> None:
    """Restore the heap after its first entry changed; ties go to the smaller node number, so runs repeat."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        other = child + 1
        if other < size and (
            price[other] < price[child] or (price[other] == price[child] and node[other] < node[child])
        ):
            child = other
        if price[child] > price[at] or (price[child] == price[at] and node[child] > node[at]):
            break
        price[at], price[child] = price[child], price[at]
        node[at], node[child] = node[child], node[at]
        at = child
