"""Other populations that fit as well as the true one: two people exchange some labels, and no count notices.

Who has the truth needs no solver to show that something is possible. If two people agree in all columns that stand in
one table with some columns, they can exchange their labels of those columns, as far as the release allows both the new
ones. Somebody may do so several times, each time with somebody else. What cannot be reached so may be possible all the
same: that is left to the solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from incrowd.attack.knowledge import Bools
from incrowd.attack.situation import Int64, Situation
from incrowd.attack.solving.published import Floats, Published
from incrowd.attack.solving.unknown import LEFT_OUT, Groups, Unknown
from incrowd.keys.packing import group, pack

#: How often somebody exchanges, and how many partners are looked at each time.
ROUNDS, PARTNERS = 4, 3


def true_numbers(situation: Situation, published: Published, groups: Groups, unknown: Unknown) -> Floats | None:
    """The unknowns as they are in truth; None where the truth does not fit: the release or a label is not true."""
    whose = np.full(situation.known.num_rows, LEFT_OUT, np.int64)
    if len(groups.of):
        whose[situation.lines] = groups.of
    free = ~groups.fixed[whose]
    homes = [one.home[free] for one in published.categories]
    at = _places([whose[free], *homes], [unknown.group, *unknown.labels])
    if (at < 0).any():
        return None
    numbers = np.bincount(at, minlength=len(unknown.group)).astype(float)
    counts = unknown.binds @ numbers
    fits = (counts >= unknown.low) & (counts <= unknown.high)
    return numbers if bool(fits.all()) else None


def reached(published: Published, groups: Groups, unknown: Unknown, numbers: Floats) -> Bools:
    """Which unknowns are somebody in truth, or after some exchanges."""
    true = np.flatnonzero(numbers > 0)
    found = numbers > 0
    used = np.full((ROUNDS + 1, len(found)), -1, np.int64)  # who has taken part on the way to each unknown
    used[0, true] = true
    for depth in range(1, ROUNDS + 1):
        before = int(found.sum())
        for moved in _moved(published):
            _exchange(published, groups, unknown, true, moved, found, used, depth)
        if int(found.sum()) == before or found.all():
            break
    return found


def _moved(published: Published) -> Iterator[tuple[int, ...]]:
    """The columns that are exchanged: each alone, and each two; all categories of one column go together."""
    columns = dict.fromkeys(one.column for one in published.categories)
    axes = [tuple(i for i, one in enumerate(published.categories) if one.column == name) for name in columns]
    for size in (1, 2):
        for chosen in combinations(axes, size):
            yield tuple(i for each in chosen for i in each)


def _exchange(
    published: Published, groups: Groups, unknown: Unknown, true: Int64, moved: tuple[int, ...], found: Bools,
    used: Int64, depth: int,
) -> None:  # fmt: skip
    """Mark what one more exchange of these columns reaches."""
    beside = {i for part in published.parts if set(part.axes) & set(moved) for i in part.axes} - set(moved)
    rest = [i for i in range(len(unknown.labels)) if i not in moved]
    own = _key([unknown.group, *unknown.labels[rest]])
    there = _key([*unknown.labels[sorted({*beside, *moved})]])
    for one in range(PARTNERS):
        wanted = np.flatnonzero(~found)
        if not len(wanted):
            return
        start = _pick(own, np.flatnonzero(found), wanted, one)
        other = _pick(there, true, wanted, depth + one)
        both = (start >= 0) & (other >= 0)
        wanted, start, other = wanted[both], start[both], other[both]
        fine = ~(used[:, start] == other).any(axis=0)
        for axis in moved:
            fine &= groups.allowed[axis][unknown.group[other], unknown.labels[axis][start]]
        new = [unknown.labels[i][start] if i in moved else unknown.labels[i][other] for i in range(len(unknown.labels))]
        fine &= _places([unknown.group[other], *new], [unknown.group, *unknown.labels]) >= 0
        full = used[-1, start] >= 0  # nobody exchanges more often than is kept in mind
        fine &= ~full
        wanted, start, other = wanted[fine], start[fine], other[fine]
        found[wanted] = True
        used[:, wanted] = used[:, start]
        used[(used[:, start] >= 0).sum(axis=0), wanted] = other


def _pick(keys: Int64, among: Int64, wanted: Int64, which: int) -> Int64:
    """For each wanted one of those with the same key, the `which`-th in a circle, or -1."""
    if not len(among):
        return np.full(len(wanted), -1, np.int64)
    order = among[np.argsort(keys[among], kind="stable")]
    sorted_keys = keys[order]
    begin, end = np.searchsorted(sorted_keys, keys[wanted]), np.searchsorted(sorted_keys, keys[wanted], side="right")
    at = begin + which % np.maximum(end - begin, 1)
    return np.where(end > begin, order[np.minimum(at, len(order) - 1)], -1).astype(np.int64)


def _key(columns: Sequence[Int64]) -> Int64:
    """The same number for the same values."""
    return group(pack(columns, [int(column.max(initial=0)) + 1 for column in columns]))[1]


def _places(wanted: Sequence[Int64], among: Sequence[Int64]) -> Int64:
    """Where each wanted combination is among others that are all different, or -1."""
    size = len(wanted[0])
    keys = _key([np.concatenate(pair) for pair in zip(wanted, among, strict=True)])
    place = np.full(int(keys.max(initial=0)) + 1, -1, np.int64)
    place[keys[size:]] = np.arange(len(among[0]))
    found: Int64 = place[keys[:size]]
    return found
