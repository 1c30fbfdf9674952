"""Fewest blanks where a missing value matches anything (sdcMicro's reading).

Here a blanked record also stands in for others: with the age of two people blanked, everybody who differs
from them in age alone has two more matches. Taken to the end this is absurd: k - 1 records blanked in
every key match the whole file, and every file has k. So a rule limits it: *a cell is blanked only in a
record that is below k itself, and no more of them than that record needs to reach k on the counts of the
original file.* Within the rule it is a covering problem (each record is blanked, or has enough stand-
ins), solved greedily.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numba import njit

from incrowd.keys.cells.patterns import Cells, Float64, Patterns, wildcard_matches
from incrowd.keys.table import Int64


def blank_wildcard(cells: Cells, patterns: Patterns, k: int) -> tuple[Int64, Int64]:
    """The records to blank, as (class, pattern), one entry for each record."""
    matches = wildcard_matches(cells, cells, 0)
    short = np.flatnonzero((matches < k) & (cells.records > 0))
    if not len(short):
        return short, short
    below = cells.take(short)
    who, mask, cost = _options(cells, patterns, k, below)
    slot, start, member = _slots(below, who, mask)
    # The options of one record stand together, in the order of the patterns.
    order = np.argsort(who, kind="stable")
    first = np.searchsorted(who[order], np.arange(len(short) + 1)).astype(np.int64)
    chosen = _cover(
        k,
        below.digits,
        below.missing,
        below.records,
        matches[short],
        first,
        slot[order],
        cost[order],
        start,
        member,
    )
    return short[who[order][chosen]], mask[order][chosen]


def _options(cells: Cells, patterns: Patterns, k: int, below: Cells) -> tuple[Int64, Int64, Float64]:
    """For each class below k, all of its cheapest patterns with k matches or more: (class, pattern, cost)."""
    who, mask, cost = [], [], []
    left, asked = np.arange(len(below.total)), below
    settled = np.zeros(len(left), bool)
    before = -1.0
    for pattern, price in zip(patterns.masks.tolist(), patterns.costs.tolist(), strict=True):
        if price > before:
            if settled[left].any():
                left = left[~settled[left]]
                asked = below.take(left)
            before = price
        if not len(left):
            break
        enough = left[wildcard_matches(cells, asked, pattern) >= k]
        settled[enough] = True
        who.append(enough)
        mask.append(pattern & ~below.missing[enough])
        cost.append(np.full(len(enough), price))
    return np.concatenate(who), np.concatenate(mask), np.concatenate(cost)


def _slots(below: Cells, who: Int64, mask: Int64) -> tuple[Int64, Int64, Int64]:
    """Whom does an option help? Options that show the same have one slot; its members are those who match it.

    Gives each option's slot, and the members of slot s as member[start[s]:start[s + 1]].
    """
    slot = np.zeros(len(who), np.int64)
    slots, members, number = [], [], 0
    groups = [(own, np.flatnonzero(below.missing == own)) for own in np.unique(below.missing).tolist()]
    blank = mask | below.missing[who]
    for pattern in np.unique(blank).tolist():
        options = np.flatnonzero(blank == pattern)
        values = below.shown(pattern)[who[options]]
        _, one, which = np.unique(values, return_index=True, return_inverse=True)
        slot[options] = number + which
        for own, some in groups:
            # Members that miss a value themselves match several slots: join on what both show.
            shown = below.shown(pattern | own)
            theirs, mine = shown[who[options[one]]], shown[some]
            by_value = np.argsort(theirs, kind="stable")
            low = np.searchsorted(theirs[by_value], mine, "left")
            times = np.searchsorted(theirs[by_value], mine, "right") - low
            offset = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            slots.append(number + by_value[np.repeat(low, times) + offset])
            members.append(np.repeat(some, times))
        number += len(one)
    at, member = np.concatenate(slots), np.concatenate(members)
    start = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=number))]).astype(np.int64)
    return slot, start, member[np.argsort(at, kind="stable")]


@njit(cache=True)
def _matched(digits: Int64, missing: Int64, one: int, other: int) -> bool:
    """Did the two match before anything was blanked?"""
    both = missing[one] | missing[other]
    if both == 0:
        return one == other
    same = True
    for j in range(len(digits)):
        same &= bool((both >> j) & 1) or digits[j, one] == digits[j, other]
    return same


@njit(cache=True)
def _best(
    one: int, k: int, matches: Int64, left: Int64, first: Int64, slot: Int64, cost: Float64, short: Int64
) -> tuple[float, int]:
    """The option of a class that does most per cell: what it lacks itself, and one per record helped."""
    best, at = -1.0, -1
    for option in range(first[one], first[one + 1]):
        score = (k - matches[one] + short[slot[option]] - left[one]) / cost[option]
        if score > best:
            best, at = score, option
    return best, at


@njit(cache=True)
def _cover(
    k: int,
    digits: Int64,
    missing: Int64,
    records: Int64,
    matches: Int64,
    first: Int64,
    slot: Int64,
    cost: Float64,
    start: Int64,
    member: Int64,
) -> Int64:
    """Greedy cover: always the option that does most for its cells; then take back what proved superfluous.

    `matches` counts what an unblanked record of a class has; `left` counts the unblanked records of a
    class. Helping only ever gets less, so an outdated score is too high, and looking again at the top of
    the heap is enough.
    """
    number = len(records)
    matches, left = matches.copy(), records.copy()
    # Where each class is a member (the way back), and how many records below k each slot would help.
    back_start = np.zeros(number + 1, np.int64)
    for i in member:
        back_start[i + 1] += 1
    back_start = np.cumsum(back_start)
    back, fill = np.empty(len(member), np.int64), back_start[:-1].copy()
    short = np.zeros(len(start) - 1, np.int64)
    for s in range(len(short)):
        for at in range(start[s], start[s + 1]):
            i = member[at]
            back[fill[i]] = s
            fill[i] += 1
            short[s] += left[i]

    heap = [(-_best(i, k, matches, left, first, slot, cost, short)[0], i) for i in range(number)]
    heapify(heap)
    chosen = [0 for _ in range(0)]  # numba wants to see the type
    by = [0 for _ in range(0)]
    while len(heap) > 0:
        _, u = heappop(heap)
        if matches[u] >= k or left[u] == 0:
            continue
        score, option = _best(u, k, matches, left, first, slot, cost, short)
        if len(heap) > 0 and (-score, u) > heap[0]:
            heappush(heap, (-score, u))
            continue
        chosen.append(option)
        by.append(u)
        left[u] -= 1
        for at in range(back_start[u], back_start[u + 1]):
            short[back[at]] -= 1
        for at in range(start[slot[option]], start[slot[option] + 1]):
            i = member[at]
            if _matched(digits, missing, u, i):
                continue
            matches[i] += 1
            if matches[i] == k and left[i] > 0:
                for there in range(back_start[i], back_start[i + 1]):
                    short[back[there]] -= left[i]
        if left[u] > 0:
            heappush(heap, (-_best(u, k, matches, left, first, slot, cost, short)[0], u))

    options, blanked = np.array(chosen), np.array(by)
    kept: Int64 = _take_back(k, digits, missing, matches, left, options, blanked, slot, cost, start, member)
    return kept


@njit(cache=True)
def _take_back(
    k: int,
    digits: Int64,
    missing: Int64,
    matches: Int64,
    left: Int64,
    chosen: Int64,
    by: Int64,
    slot: Int64,
    cost: Float64,
    start: Int64,
    member: Int64,
) -> Int64:
    """The chosen options without those that nobody needs: the dearest and latest are tried first."""
    kept = np.ones(len(chosen), np.bool_)
    order = np.argsort(cost[chosen[::-1]] * -1.0, kind="mergesort")
    for place in order:
        n = len(chosen) - 1 - place
        u, s = by[n], slot[chosen[n]]
        needed = matches[u] < k
        for at in range(start[s], start[s + 1]):
            i = member[at]
            if needed:
                break
            needed = left[i] > 0 and matches[i] <= k and not _matched(digits, missing, u, i)
        if needed:
            continue
        kept[n] = False
        left[u] += 1
        for at in range(start[s], start[s + 1]):
            if not _matched(digits, missing, u, member[at]):
                matches[member[at]] -= 1
    return chosen[kept]
