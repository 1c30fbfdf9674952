"""One answer to whose record is whose, where more than one is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.foreign.fitting import Fitting
from incrowd.attack.foreign.labels import Column
from incrowd.attack.situation import Int64

#: Up to so many records of the original in a block, whoever is nearest is found exactly; above, by rank.
MOST_NEAR = 400


def placed(
    found: Fitting, changed: Sequence[Column], draws: Callable[[int], NDArray[np.uint64]] | None = None
) -> Int64:
    """A record of the original for each released record, of those that fit. By chance with `draws`; otherwise the
    nearest by the columns that were changed, and among equals in the order of both files.
    """
    records, people = len(found.class_of), len(found.combination_of)
    if draws is None:
        mine, theirs = _rank(changed, True, records), _rank(changed, False, people)
    else:
        mine, theirs = (np.argsort(np.argsort(draws(many), kind="stable")) for many in (records, people))
    _, combinations = found.pairs
    flow = found.flow
    slots = np.lexsort((mine, found.class_of))
    order = np.argsort(combinations, kind="stable")
    offers = np.lexsort((theirs, found.combination_of))
    begin = np.r_[0, np.cumsum(found.people)[:-1]]
    used = flow[order]
    start_of = np.r_[0, np.cumsum(np.bincount(combinations, flow, len(found.people)).astype(np.int64))[:-1]]
    inside = np.arange(int(used.sum())) - np.repeat(start_of[combinations[order]], used)
    taken = offers[np.repeat(begin[combinations[order]], used) + inside]
    by_combination = np.repeat(order, used)
    # Both lists have each pair as often as its flow, and `slots` has them in the order of the pairs already.
    lines = np.full(records, -1, np.int64)
    lines[slots] = taken[np.argsort(by_combination, kind="stable")]
    if changed and draws is None:
        _nearest(found, changed, lines)
    return lines


def _rank(changed: Sequence[Column], released: bool, number: int) -> Int64:
    """The order of the records by the first number that was changed; else that of the file."""
    for column in changed:
        if column.numbers is not None:
            behind = column.numbers[0][column.released] if released else column.numbers[1][column.original]
            return np.argsort(np.argsort(behind, kind="stable"), kind="stable").astype(np.int64)
    return np.arange(number)


def _nearest(found: Fitting, changed: Sequence[Column], lines: Int64) -> None:
    """Within blocks that are small, and that fit nothing else: whoever is nearest in the columns that were changed, all
    at once.
    """
    from scipy.optimize import linear_sum_assignment

    classes, combinations = found.pairs
    alone = (found.degrees[0][classes] == 1) & (found.degrees[1][combinations] == 1)
    size = found.people[combinations]
    asked = np.flatnonzero(alone & (size > 1) & (size <= MOST_NEAR))
    ours, theirs = (np.argsort(place, kind="stable") for place in (found.class_of, found.combination_of))
    ends, stops = np.cumsum(found.records), np.cumsum(found.people)
    for pair in asked.tolist():
        one, other = int(classes[pair]), int(combinations[pair])
        mine, them = ours[ends[one] - found.records[one] : ends[one]], theirs[stops[other] - size[pair] : stops[other]]
        cost = sum(_distance(column, mine, them) for column in changed)
        at, to = linear_sum_assignment(cost)
        lines[mine[at]] = them[to]


def _distance(column: Column, mine: Int64, theirs: Int64) -> NDArray[np.float64]:
    """How far each of these released records is from each of these of the original: in standard deviations of a
    number, or 1 where another value stands.
    """
    if column.numbers is not None:
        labels, values = column.numbers
        spread = float(np.nanstd(values)) or 1.0
        apart = np.abs(labels[column.released[mine]][:, None] - values[column.original[theirs]][None, :]) / spread
        return np.where(np.isnan(apart), 1.0, apart)
    one, other = np.repeat(column.released[mine], len(theirs)), np.tile(column.original[theirs], len(mine))
    return np.where(column.agrees(one, other), 0.0, 1.0).reshape(len(mine), len(theirs))
