"""Few blanks where a blank is a category of its own: every class, blanks included, has k records.

The records below k look for a *group*: a combination of shown values and blanks that at least k records
share. Greedily, tier by tier (patterns of one cell, of two, ...): the group with the fewest cells per
record it settles is taken next. A group that lacks a few records for k gets them from classes that have
more than k, where that is cheaper than blanking more cells. Finding the fewest cells is NP-hard (Meyerson
and Williams 2004), so the result is not proven; `least` gives a bound it cannot beat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.keys.cells.groups import fill_groups
from incrowd.keys.cells.patterns import Cells, Float64, Patterns, number, plain_matches
from incrowd.keys.table import Int64, Mask


@dataclass(eq=False)
class Grouping:
    """Who sits where, while the search goes on. Seats 0 to b-1 are the b classes that have k of themselves.

    A unit is a record of a class below k; `group` is -1 while it has none. `home_left` counts the records of a
    class of k that did not move; `moved_from` and `moved_to` list the ones that did, one by one.
    """

    homes: Int64
    home_left: Int64
    units: Int64
    group: Int64
    group_shown: Int64
    group_mask: Int64
    group_size: Int64
    groups: int
    moved_from: Int64
    moved_to: Int64
    moved: int

    @staticmethod
    def start(cells: Cells, k: int) -> Grouping:
        """Every class of k on its own group, everybody else without."""
        homes = np.flatnonzero(cells.records >= k).astype(np.int64)
        low = np.flatnonzero((cells.records > 0) & (cells.records < k)).astype(np.int64)
        units = np.repeat(low, cells.records[low])
        room = len(homes) + len(units)  # a new group settles somebody
        moves = min(len(units) * (k - 1), int(cells.records[homes].sum()))  # and asks at most k - 1 members

        def filled(values: Int64) -> Int64:
            return np.concatenate([values, np.zeros(room - len(values), np.int64)])

        return Grouping(
            homes,
            cells.records[homes].copy(),
            units,
            np.full(len(units), -1, np.int64),
            filled(cells.total[homes]),
            filled(cells.missing[homes]),
            filled(cells.records[homes]),
            len(homes),
            np.zeros(moves, np.int64),
            np.zeros(moves, np.int64),
            0,
        )


def blank_strict(cells: Cells, patterns: Patterns, weights: Float64, k: int) -> tuple[Int64, Int64, Int64]:
    """The parts of the classes after blanking: (class, blanked keys, records)."""
    grouping = Grouping.start(cells, k)
    last = len(patterns.tiers) - 2
    for tier in range(last + 1):
        if (grouping.group >= 0).all():
            break
        reach = int(patterns.tiers[tier + 1])
        # A group dearer than the next tier's cheapest pattern waits until that tier is looked at too.
        cap = float(patterns.costs[reach]) if tier < last else np.inf
        _fill(cells, patterns.masks[:reach], weights, k, cap, grouping)
    for unit in np.flatnonzero(grouping.group < 0).tolist():
        _join_anyway(cells, weights, unit, grouping)
    return _parts(cells, grouping)


def least(cells: Cells, patterns: Patterns, weights: Float64, k: int) -> float:
    """A bound no strict result can beat: what each record below k must blank for k records to agree with it.

    Each record's own minimum, added up: records that share a group agree in what they show, so on a
    record's group there are at most as many as agree with it in the whole file.
    """
    low = np.flatnonzero((cells.records > 0) & (cells.records < k)).astype(np.int64)
    complete = len(patterns.masks) == 2 ** len(weights) - 1
    # Of the patterns that were not tried the cheapest has the keys of the smallest weights, one more than the
    # largest size of which all were tried (larger sizes have one pattern each).
    size = int(np.argmax(np.diff(patterns.tiers) == 1))
    beyond = float(np.sort(weights)[: size + 1].sum())
    total, left = 0.0, cells.take(low)
    # Blanking nothing is a way for those who miss a value: others may blank theirs.
    for pattern, cost in zip([0, *patterns.masks.tolist()], [0.0, *patterns.costs.tolist()], strict=True):
        if not len(left.total) or (not complete and cost >= beyond):
            break
        enough = plain_matches(cells, left, pattern) >= k
        if enough.any():
            total += cost * float(left.records[enough].sum())
            left = left.take(np.flatnonzero(~enough))
    return total + (0.0 if complete else beyond * float(left.records.sum()))


def _fill(cells: Cells, masks: Int64, weights: Float64, k: int, cap: float, grouping: Grouping) -> None:
    """List the groups these patterns offer to those who have none, and who may be asked to come; fill them."""
    waiting = np.flatnonzero(grouping.group < 0)
    placed = np.flatnonzero(grouping.group >= 0)
    placed = placed[grouping.group_size[grouping.group[placed]] > k]
    homes = np.flatnonzero(grouping.group_size[: len(grouping.homes)] > k)
    # People are numbered units first, then classes of k: one list of candidates for each group.
    people = np.concatenate([waiting, placed, len(grouping.units) + homes])
    candidates = cells.take(np.concatenate([grouping.units, grouping.homes])[people])
    mask, shown, known, slots, members, offered = [], [], [], [], [], 0
    lacks = np.unique(candidates.missing[: len(waiting)]).tolist()
    # What a group hides is what somebody misses anyway and what is blanked; blanking nothing is a way too.
    for pattern in dict.fromkeys(blank | lack for blank in (0, *masks.tolist()) for lack in lacks):
        fits: Mask = (candidates.missing & ~pattern) == 0
        same = np.flatnonzero(grouping.group_mask[: grouping.groups] == pattern)
        values = candidates.shown(pattern)[fits]
        first = int(fits[: len(waiting)].sum())
        others = np.concatenate([values[first:], grouping.group_shown[same]])
        own, distinct, found = number(values[:first], others)
        at = np.concatenate([own, found[: len(values) - first]])
        slots.append(at[at >= 0] + offered)
        members.append(people[fits][at >= 0])
        taken = np.full(distinct, -1, np.int64)
        group_of = found[len(values) - first :]
        taken[group_of[group_of >= 0]] = same[group_of >= 0]
        known.append(taken)
        value = np.empty(distinct, np.int64)
        value[own] = values[:first]
        shown.append(value)
        mask.append(np.full(distinct, pattern, np.int64))
        offered += distinct
    slot, member = np.concatenate(slots), np.concatenate(members)
    start = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=offered))]).astype(np.int64)
    member = member[np.argsort(slot, kind="stable")]
    grouping.groups, grouping.moved = fill_groups(
        k,
        cap,
        weights,
        np.concatenate([cells.missing[grouping.units], cells.missing[grouping.homes]]),
        np.concatenate(mask),
        np.concatenate(shown),
        np.concatenate(known),
        start,
        member,
        grouping.group,
        grouping.home_left,
        grouping.group_shown,
        grouping.group_mask,
        grouping.group_size,
        grouping.groups,
        grouping.moved_from,
        grouping.moved_to,
        grouping.moved,
    )


def _join_anyway(cells: Cells, weights: Float64, unit: int, grouping: Grouping) -> None:
    """For a record whose groups cannot be filled: some whole group blanks more until it fits, at least cost."""
    own = int(grouping.units[unit])
    missing = int(cells.missing[own])
    members = np.concatenate([grouping.homes, grouping.units])
    where = np.concatenate([np.arange(len(grouping.homes)), grouping.group])
    somebody = np.zeros(grouping.groups, np.int64)
    somebody[where[where >= 0]] = members[where >= 0]
    groups = np.flatnonzero(grouping.group_size[: grouping.groups] > 0)
    blank = grouping.group_mask[groups] | missing
    for j in range(len(weights)):
        differs = cells.digits[j, somebody[groups]] != cells.digits[j, own]
        blank = blank | np.where(differs, np.int64(1) << j, 0)
    cost = np.zeros(len(groups))
    for j, weight in enumerate(weights.tolist()):
        bit = np.int64(1) << j
        more = (blank & bit != 0) & (grouping.group_mask[groups] & bit == 0)
        cost += weight * np.where(more, grouping.group_size[groups], 0)
        cost += weight * ((blank & bit != 0) & (missing & int(bit) == 0))
    best = int(np.argmin(cost))
    group = int(groups[best])
    grouping.group_mask[group] = blank[best]
    grouping.group[unit] = group
    grouping.group_size[group] += 1


def _parts(cells: Cells, grouping: Grouping) -> tuple[Int64, Int64, Int64]:
    """The grouping as parts of classes."""
    homes = np.arange(len(grouping.homes))
    moved = grouping.homes[grouping.moved_from[: grouping.moved]]
    classes = np.concatenate([grouping.homes, grouping.units, moved])
    groups = np.concatenate([homes, grouping.group, grouping.moved_to[: grouping.moved]])
    records = np.ones(len(classes), np.int64)
    records[: len(homes)] = grouping.home_left
    return classes, grouping.group_mask[groups] & ~cells.missing[classes], records
