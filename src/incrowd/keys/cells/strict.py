"""Few blanks where a blank is a category of its own: every class, blanks included, has k records.

The records below k look for a *seat*: a combination of shown values and blanks that at least k records
share. Greedily, tier by tier (patterns of one cell, of two, ...): the seat with the fewest cells per
record it settles is taken next. A seat that lacks a few records for k gets them from classes that have
more than k, where that is cheaper than blanking more cells. Finding the fewest cells is NP-hard (Meyerson
and Williams 2004), so the result is not proven; `least` gives a bound it cannot beat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.keys.cells.patterns import Cells, Float64, Patterns, number, plain_matches
from incrowd.keys.cells.seats import settle
from incrowd.keys.table import Int64, Mask


@dataclass(eq=False)
class Seating:
    """Who sits where, while the search goes on. Seats 0 to b-1 are the b classes that have k of themselves.

    A unit is a record of a class below k; `seat` is -1 while it has none. `home_left` counts the records of a
    class of k that did not move; `moved_from` and `moved_to` list the ones that did, one by one.
    """

    homes: Int64
    home_left: Int64
    units: Int64
    seat: Int64
    seat_shown: Int64
    seat_mask: Int64
    seat_size: Int64
    seats: int
    moved_from: Int64
    moved_to: Int64
    moved: int

    @staticmethod
    def start(cells: Cells, k: int) -> Seating:
        """Every class of k on its own seat, everybody else without."""
        homes = np.flatnonzero(cells.records >= k).astype(np.int64)
        low = np.flatnonzero((cells.records > 0) & (cells.records < k)).astype(np.int64)
        units = np.repeat(low, cells.records[low])
        room = len(homes) + len(units)  # a new seat settles somebody
        moves = min(len(units) * (k - 1), int(cells.records[homes].sum()))  # and asks at most k - 1 guests

        def filled(values: Int64) -> Int64:
            return np.concatenate([values, np.zeros(room - len(values), np.int64)])

        return Seating(
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
    seating = Seating.start(cells, k)
    last = len(patterns.tiers) - 2
    for tier in range(last + 1):
        if (seating.seat >= 0).all():
            break
        reach = int(patterns.tiers[tier + 1])
        # A seat dearer than the next tier's cheapest pattern waits until that tier is looked at too.
        cap = float(patterns.costs[reach]) if tier < last else np.inf
        _fill(cells, patterns.masks[:reach], weights, k, cap, seating)
    for unit in np.flatnonzero(seating.seat < 0).tolist():
        _join_anyway(cells, weights, unit, seating)
    return _parts(cells, seating)


def least(cells: Cells, patterns: Patterns, weights: Float64, k: int) -> float:
    """A bound no strict result can beat: what each record below k must blank for k records to agree with it.

    Each record's own minimum, added up: records that share a seat agree in what they show, so on a
    record's seat there are at most as many as agree with it in the whole file.
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


def _fill(cells: Cells, masks: Int64, weights: Float64, k: int, cap: float, seating: Seating) -> None:
    """List the seats these patterns offer to those who have none, and who may be asked to come; fill them."""
    waiting = np.flatnonzero(seating.seat < 0)
    seated = np.flatnonzero(seating.seat >= 0)
    seated = seated[seating.seat_size[seating.seat[seated]] > k]
    homes = np.flatnonzero(seating.seat_size[: len(seating.homes)] > k)
    # People are numbered units first, then classes of k: one list of candidates for each seat.
    people = np.concatenate([waiting, seated, len(seating.units) + homes])
    candidates = cells.take(np.concatenate([seating.units, seating.homes])[people])
    mask, shown, known, slots, members, offered = [], [], [], [], [], 0
    lacks = np.unique(candidates.missing[: len(waiting)]).tolist()
    # What a seat hides is what somebody misses anyway and what is blanked; blanking nothing is a way too.
    for pattern in dict.fromkeys(blank | lack for blank in (0, *masks.tolist()) for lack in lacks):
        fits: Mask = (candidates.missing & ~pattern) == 0
        same = np.flatnonzero(seating.seat_mask[: seating.seats] == pattern)
        values = candidates.shown(pattern)[fits]
        first = int(fits[: len(waiting)].sum())
        others = np.concatenate([values[first:], seating.seat_shown[same]])
        own, distinct, found = number(values[:first], others)
        at = np.concatenate([own, found[: len(values) - first]])
        slots.append(at[at >= 0] + offered)
        members.append(people[fits][at >= 0])
        taken = np.full(distinct, -1, np.int64)
        seat_of = found[len(values) - first :]
        taken[seat_of[seat_of >= 0]] = same[seat_of >= 0]
        known.append(taken)
        value = np.empty(distinct, np.int64)
        value[own] = values[:first]
        shown.append(value)
        mask.append(np.full(distinct, pattern, np.int64))
        offered += distinct
    slot, member = np.concatenate(slots), np.concatenate(members)
    start = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=offered))]).astype(np.int64)
    member = member[np.argsort(slot, kind="stable")]
    seating.seats, seating.moved = settle(
        k,
        cap,
        weights,
        np.concatenate([cells.missing[seating.units], cells.missing[seating.homes]]),
        np.concatenate(mask),
        np.concatenate(shown),
        np.concatenate(known),
        start,
        member,
        seating.seat,
        seating.home_left,
        seating.seat_shown,
        seating.seat_mask,
        seating.seat_size,
        seating.seats,
        seating.moved_from,
        seating.moved_to,
        seating.moved,
    )


def _join_anyway(cells: Cells, weights: Float64, unit: int, seating: Seating) -> None:
    """For a record whose seats cannot be filled: some whole seat blanks more until it fits, at least cost."""
    own = int(seating.units[unit])
    missing = int(cells.missing[own])
    guests = np.concatenate([seating.homes, seating.units])
    where = np.concatenate([np.arange(len(seating.homes)), seating.seat])
    somebody = np.zeros(seating.seats, np.int64)
    somebody[where[where >= 0]] = guests[where >= 0]
    seats = np.flatnonzero(seating.seat_size[: seating.seats] > 0)
    blank = seating.seat_mask[seats] | missing
    for j in range(len(weights)):
        differs = cells.digits[j, somebody[seats]] != cells.digits[j, own]
        blank = blank | np.where(differs, np.int64(1) << j, 0)
    cost = np.zeros(len(seats))
    for j, weight in enumerate(weights.tolist()):
        bit = np.int64(1) << j
        more = (blank & bit != 0) & (seating.seat_mask[seats] & bit == 0)
        cost += weight * np.where(more, seating.seat_size[seats], 0)
        cost += weight * ((blank & bit != 0) & (missing & int(bit) == 0))
    best = int(np.argmin(cost))
    seat = int(seats[best])
    seating.seat_mask[seat] = blank[best]
    seating.seat[unit] = seat
    seating.seat_size[seat] += 1


def _parts(cells: Cells, seating: Seating) -> tuple[Int64, Int64, Int64]:
    """The seating as parts of classes."""
    homes = np.arange(len(seating.homes))
    moved = seating.homes[seating.moved_from[: seating.moved]]
    classes = np.concatenate([seating.homes, seating.units, moved])
    seats = np.concatenate([homes, seating.seat, seating.moved_to[: seating.moved]])
    records = np.ones(len(classes), np.int64)
    records[: len(homes)] = seating.home_left
    return classes, seating.seat_mask[seats] & ~cells.missing[classes], records
