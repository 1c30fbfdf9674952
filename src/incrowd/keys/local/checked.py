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
from incrowd.keys.local.paths import Paths
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
    to[strays[(home >= 0) & failing(to)[home]]] = -1


def _bunch(paths: Paths, records: Int64, to: Int64, failing: FailingClasses) -> None:
    """Put the strays that are alike at the top together, then with the nearest class of their like, the two nearest,
    four, ... until that passes. All kinds of strays at once, since no class holds two kinds.
    """
    tops = paths.tops()
    strays = {int(top): np.flatnonzero((tops == top) & (to < 0)) for top in np.unique(tops[to < 0])}
    near = {top: _nearest(paths, records, to, tops == top, int(some[0])) for top, some in strays.items()}
    waiting, with_them = list(strays), 0
    while waiting:
        attempt, first = to.copy(), int(to.max()) + 1
        for number, top in enumerate(waiting, start=first):
            attempt[np.isin(to, near[top][:with_them])] = number
            attempt[strays[top]] = number
        present = attempt >= 0
        classes, dense = np.unique(attempt[present], return_inverse=True)
        asked = np.full(len(to), -1, np.int64)
        asked[present] = dense
        bad = set(classes[failing(asked)].tolist())
        still = []
        for number, top in enumerate(waiting, start=first):
            if number not in bad:
                to[attempt == number] = number
            elif with_them < len(near[top]):
                still.append(top)
        waiting, with_them = still, max(2 * with_them, 1)


def _nearest(paths: Paths, records: Int64, to: Int64, alike: Mask, stray: int) -> Int64:
    """The classes of one kind, those first that take a stray in at the lowest cost."""
    placed = np.flatnonzero(alike & (to >= 0))
    classes, dense = np.unique(to[placed], return_inverse=True)
    if not len(classes):
        return classes
    grouping = Grouping.by(dense, placed, records[placed])
    label = np.zeros((len(classes), paths.keys), np.int32)
    loss = label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
    lead = grouping.atoms[grouping.start[:-1]]
    wider = [joined(paths.codes, paths.losses, lead[j], label[j], stray) for j in range(len(classes))]
    return classes[np.argsort(grouping.sizes * (np.array(wider) - loss), kind="stable")]
