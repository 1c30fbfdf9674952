"""Local recoding for requirements beyond k: sweep for larger and larger classes, keep those that pass.

Base classes stay whole here: a table knows how the sensitive values of a base class are spread, not which of its
records has which, so a divided base class could not be measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from incrowd.keys.local.improve import Grouping
from incrowd.keys.local.labels import cheapest_homes, joined, label_all
from incrowd.keys.local.paths import NO_LABEL, Paths
from incrowd.keys.local.sweep import sweep
from incrowd.keys.table import Int64, Mask

#: By how much the size asked for grows from one sweep to the next.
_GROWTH = 1.5

#: Which of the classes fail, given for each base class its class or -1.
FailingClasses = Callable[[Int64], Mask]


def place_checked(
    paths: Paths,
    records: Int64,
    k: int,
    failing: FailingClasses,
    *,
    nodes: int,
    rng: np.random.Generator,
    go_on: Callable[[float], bool],
) -> Int64:
    """The class of each base class, every class passing; -1 for those that no class can take in."""
    to = np.full(len(records), -1, np.int64)
    size = k
    while (to < 0).any():
        rest = np.flatnonzero(to < 0)
        part = replace(paths, codes=paths.codes[rest], losses=paths.losses[rest])
        pieces = sweep(part, records[rest], size, donors=False, nodes=nodes, rng=rng, go_on=go_on)
        new = np.full(len(records), -1, np.int64)
        new[rest] = pieces.to
        _keep_passing(to, new, failing)
        left = int(records[to < 0].sum())
        if size >= left or not go_on(1 - left / max(int(records.sum()), 1)):
            break
        size = min(max(size + 1, int(size * _GROWTH)), left)
    if (to < 0).any() and (to >= 0).any():
        _take_in(paths, records, to, failing)
    if (to < 0).any():
        _bunch(paths, records, to, failing)
    return to


def _keep_passing(to: Int64, new: Int64, failing: FailingClasses) -> None:
    """Add to `to` the classes of `new` that pass."""
    if (new < 0).all():
        return
    fails = failing(new)
    keep = (new >= 0) & ~fails[np.maximum(new, 0)]
    to[keep] = new[keep] + int(to.max()) + 1


def _take_in(paths: Paths, records: Int64, to: Int64, failing: FailingClasses) -> None:
    """Put each stray base class where it costs least; where the class then fails, its strays leave again."""
    strays = np.flatnonzero(to < 0)
    placed = np.flatnonzero(to >= 0)
    # Dense numbers, so that a class and its place in the grouping are the same.
    _, to[placed] = np.unique(to[placed], return_inverse=True)
    grouping = Grouping.by(to[placed], placed, records[placed])
    label = np.zeros((grouping.classes, paths.keys), np.int32)
    loss = label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
    lead = grouping.atoms[grouping.start[:-1]]
    home = cheapest_homes(
        paths.codes, paths.losses, lead, label, loss, grouping.sizes.copy(), strays, records[strays]
    )  # fmt: skip
    to[strays] = home
    bad = failing(to) | (loss >= NO_LABEL)
    to[strays[bad[home]]] = -1


def _bunch(paths: Paths, records: Int64, to: Int64, failing: FailingClasses) -> None:
    """Put all strays together, then with the nearest class, the two nearest, four, ... until that passes."""
    strays = np.flatnonzero(to < 0)
    placed = np.flatnonzero(to >= 0)
    number = int(to.max()) + 1
    near = np.zeros(0, np.int64)
    if len(placed):
        _, to[placed] = np.unique(to[placed], return_inverse=True)
        number = int(to.max()) + 1
        grouping = Grouping.by(to[placed], placed, records[placed])
        label = np.zeros((number, paths.keys), np.int32)
        loss = label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
        lead, sizes = grouping.atoms[grouping.start[:-1]], grouping.sizes
        wider = [joined(paths.codes, paths.losses, lead[j], label[j], strays[0]) for j in range(number)]
        near = np.argsort(sizes * (np.array(wider) - loss), kind="stable")
    with_them = 0
    while True:
        attempt = to.copy()
        attempt[strays] = number
        attempt[np.isin(to, near[:with_them])] = number
        _, attempt = np.unique(attempt, return_inverse=True)
        label = np.zeros((1, paths.keys), np.int32)
        members = np.flatnonzero(attempt == attempt[strays[0]])
        whole = np.array([0, len(members)], np.int64)
        loss = label_all(paths.codes, paths.losses, paths.at, whole, members, label)
        if loss[0] < NO_LABEL and not failing(attempt)[attempt[strays[0]]]:
            to[:] = attempt
            return
        if with_them >= len(near):
            return
        with_them = min(max(2 * with_them, 1), len(near))
