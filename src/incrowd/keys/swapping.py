"""Who swaps places with whom? Decided on counts: how many live where, by what donors must share.

A *mover* is a record, a person or a household. Movers in one cell (same area, alike in what donors share, target or
not) are interchangeable, so the decision needs only the number of each cell; which of them move is up to a keyed order
of the engine. Memory goes with the cells and with the movers that are swapped, not with the file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.packing import group, pack
from incrowd.keys.table import Int32, Int64, Mask

Draws = Callable[[int], NDArray[np.uint64]]  # so many numbers that nobody can foresee without the secret


@dataclass(frozen=True)
class Swaps:
    """For each mover that is swapped its cell, and the cell in whose area it goes to live; and what was asked for.

    `near` counts the exchanges by how many levels of geography the two share, the coarsest first.
    """

    cells: Int64
    to: Int64
    targets: int
    targets_swapped: int
    random: int
    random_swapped: int
    donors: int
    near: dict[int, int]


@dataclass
class _Pool:
    """The movers of one group of alike ones: those to be swapped, and donors by area."""

    waiting: dict[int, list[int]]  # area -> cells of movers that still have no partner
    donors: dict[int, int]  # area -> donors left
    pairs: list[tuple[int, int, int, int | None]] = field(default_factory=list)  # area, cell, partner's area, cell


def choose_swaps(paths: Int32, alike: Int64, target: Mask, number: Int64, random: int, draws: Draws) -> Swaps:
    """Find a partner in another area for every target and for `random` others.

    `paths` has a row for each level of geography, the coarsest first, and a column for each cell. A donor who is
    neither target nor chosen at random is taken before another of those, and the nearest area first: one that shares
    all levels but the last, then all but the last two, and so on. Nobody is swapped twice. Where partners run out,
    exchanges are taken apart again if that serves more of those waiting.
    """
    _, area = group(pack(list(paths), [int(level.max(initial=0)) + 1 for level in paths]))
    wanted = np.where(target, number, 0) + _picked(area, alike, target, number, random, draws)
    groups: dict[int, list[int]] = defaultdict(list)
    for cell in np.flatnonzero(np.isin(alike, np.unique(alike[wanted > 0]))).tolist():
        groups[int(alike[cell])].append(cell)
    luck = iter(draws(len(paths) * int(wanted.sum())).tolist())
    path_of = {int(a): tuple(paths[:, c].tolist()) for c, a in enumerate(area.tolist())}
    safe = {(int(alike[c]), int(area[c])): c for c in np.flatnonzero(~target).tolist()}
    place = {int(a): c for c, a in enumerate(area.tolist())}
    cells, to, near = [], [], Counter[int]()
    for like, members in groups.items():
        pool = _Pool(defaultdict(list), defaultdict(int))
        for cell in members:
            here = int(area[cell])
            pool.waiting[here] += [cell] * int(wanted[cell])
            pool.donors[here] += 0 if target[cell] else int(number[cell] - wanted[cell])
        _pair(pool, path_of, len(paths), luck)
        for a, first, b, second in pool.pairs:
            cells += [first, safe[like, b] if second is None else second]
            to += [place[b], place[a]]
            near[_shared(path_of[a], path_of[b])] += 1
    done, ends = np.array(cells, np.int64), np.array(to, np.int64)
    moving = np.bincount(done, minlength=len(number))
    hit, asked = int(moving[target].sum()), int(number[target].sum())
    # In a cell nobody can tell one chosen at random from a donor: both are swapped.
    by_chance = int(np.minimum(moving, wanted)[~target].sum())
    return Swaps(done, ends, asked, hit, random, by_chance, len(done) - hit - by_chance, dict(near))


def _picked(area: Int64, alike: Int64, target: Mask, number: Int64, random: int, draws: Draws) -> Int64:
    """How many of each cell are chosen at random: of those who are no target and have somebody to swap with."""
    picked = np.zeros(len(number), np.int64)
    first, _ = group(pack([alike, area], [int(alike.max(initial=0)) + 1, int(area.max(initial=0)) + 1]))
    areas = np.bincount(alike[first], minlength=int(alike.max(initial=0)) + 1)
    free = np.flatnonzero(~target & (areas[alike] > 1))
    ends = np.cumsum(number[free])
    total = int(ends[-1]) if len(ends) else 0
    taken = _distinct(min(random, total), total, draws)
    np.add.at(picked, free[np.searchsorted(ends, taken, side="right")], 1)
    return picked


def _distinct(wanted: int, total: int, draws: Draws) -> Int64:
    """So many different numbers below a total, each set as likely as any other."""
    if 2 * wanted > total:
        gone = _distinct(total - wanted, total, draws)
        return np.setdiff1d(np.arange(total, dtype=np.int64), gone)
    tries = 2 * wanted + 16
    while wanted:
        drawn = (draws(tries) % np.uint64(total)).astype(np.int64)
        values, at = np.unique(drawn, return_index=True)
        if len(values) >= wanted:
            return values[np.argsort(at)][:wanted]
        tries *= 2
    return np.zeros(0, np.int64)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    level = 0
    while level < len(one) and one[level] == other[level]:
        level += 1
    return level


def _pair(pool: _Pool, path_of: dict[int, tuple[int, ...]], levels: int, luck: Iterator[int]) -> None:
    """Nearest areas first: those that share all levels but the last, and so on to those that share none."""
    for shared in range(levels - 1, -1, -1):
        nodes: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for area in pool.donors:
            nodes[path_of[area][:shared]].append(area)
        for areas in nodes.values():
            if len(areas) > 1 and any(pool.waiting[a] for a in areas):
                _with_donors(pool, areas, luck)
                _with_each_other(pool, areas)
    while _repair(pool):
        pass


def _with_donors(pool: _Pool, areas: list[int], luck: Iterator[int]) -> None:
    left = np.array([pool.donors[a] for a in areas], np.int64)
    queue = [(next(luck), i, cell) for i, a in enumerate(areas) for cell in pool.waiting[a]]
    for a in areas:
        pool.waiting[a] = []
    for number, i, cell in sorted(queue):
        ends = np.cumsum(left)
        others = int(ends[-1] - left[i])
        if not others:
            pool.waiting[areas[i]].append(cell)
            continue
        # The place among all donors but those of the mover's own area.
        at = number % others
        at += int(left[i]) if at >= int(ends[i] - left[i]) else 0
        j = int(np.searchsorted(ends, at, side="right"))
        left[j] -= 1
        pool.pairs.append((areas[i], cell, areas[j], None))
    for a, number in zip(areas, left.tolist(), strict=True):
        pool.donors[a] = number


def _with_each_other(pool: _Pool, areas: list[int]) -> None:
    """Those who found no donor, among themselves: always one from each of the two areas with most of them."""
    while True:
        most = sorted((a for a in areas if pool.waiting[a]), key=lambda a: (-len(pool.waiting[a]), a))[:2]
        if len(most) < 2:
            return
        first, second = most
        pool.pairs.append((first, pool.waiting[first].pop(), second, pool.waiting[second].pop()))


def _repair(pool: _Pool) -> bool:
    """Serve one more of those waiting, by a free donor or by taking an exchange apart. False when it cannot be."""
    here = next((a for a, cells in pool.waiting.items() if cells), None)
    if here is None:
        return False
    queue = pool.waiting[here]
    for area, number in pool.donors.items():
        if area != here and number:
            pool.donors[area] -= 1
            pool.pairs.append((here, queue.pop(), area, None))
            return True
    for at, (a, cell, b, other) in enumerate(pool.pairs):
        if a == here or (other is not None and b == here):
            continue
        if other is None:  # its donor is free again
            pool.pairs[at] = (here, queue.pop(), a, cell)
            pool.donors[b] += 1
        elif len(queue) > 1:
            pool.pairs[at] = (here, queue.pop(), a, cell)
            pool.pairs.append((here, queue.pop(), b, other))
        elif pool.donors[here]:
            pool.pairs[at] = (here, queue.pop(), a, cell)
            pool.donors[here] -= 1
            pool.pairs.append((b, other, here, None))
        elif (spare := next((i for i, p in enumerate(pool.pairs) if p[0] == here and p[3] is None), None)) is not None:
            # Somebody of this area gives a donor back, and both take one of the two.
            _, neighbour, donor, _ = pool.pairs[spare]
            pool.donors[donor] += 1
            pool.pairs[at] = (here, queue.pop(), a, cell)
            pool.pairs[spare] = (here, neighbour, b, other)
        else:
            continue
        return True
    return False
