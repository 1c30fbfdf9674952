"""Patterns of blanked cells: which there are, what they cost, and which classes agree on the keys they leave.

A pattern is a set of keys, as bits: bit j stands for key j. A class with a pattern is told by one number,
the sum over the keys it still shows of (code + 1) * multiplier; a blank adds nothing. Blanking a key is
one subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.table import Int64, KeyTable

Float64 = NDArray[np.float64]
#: With more keys than give this many patterns, only the patterns of few cells are tried one by one.
_MOST_PATTERNS = 5000


@dataclass(frozen=True, eq=False)
class Cells:
    """The classes as sums that can be projected: `digits` (a row for each key), `total`, and what is missing.

    `exact` is False where the codes need more than 63 bits: then the numbers are hashes, equal rows still
    have equal numbers, but unequal rows may have too (one chance in 10^19 a pair), so the result must be
    counted again.
    """

    digits: Int64
    total: Int64
    missing: Int64
    records: Int64
    exact: bool

    @staticmethod
    def of(table: KeyTable, salt: int = 0) -> Cells:
        """The classes of a table, its missing values (code of None) as blanks."""
        spans = [len(domain) + 1 for domain in table.domains]
        exact = prod(spans) < 2**63
        if exact:
            multipliers = np.array([prod(spans[:j]) for j in range(len(spans))], dtype=np.int64)
        else:
            draw = np.random.Generator(np.random.PCG64(salt))
            multipliers = draw.integers(-(2**63), 2**63 - 1, len(spans), dtype=np.int64) | 1
        digits = table.codes.astype(np.int64) + 1
        missing = np.zeros(digits.shape[1], np.int64)
        for j, domain in enumerate(table.domains):
            if None in domain.values:
                blank = table.codes[j] == domain.values.index(None)
                digits[j, blank] = 0
                missing |= np.where(blank, np.int64(1) << j, 0)
        digits = np.ascontiguousarray(digits * multipliers[:, None])
        return Cells(digits, digits.sum(axis=0), missing, table.records, exact)

    def take(self, classes: Int64) -> Cells:
        """Only these classes (one may come several times)."""
        digits = np.ascontiguousarray(self.digits[:, classes])
        return Cells(digits, self.total[classes], self.missing[classes], self.records[classes], self.exact)

    def shown(self, pattern: int) -> Int64:
        """What is left of the classes when the keys of the pattern are blanked."""
        left = self.total
        for j in range(len(self.digits)):
            if pattern >> j & 1:
                left = left - self.digits[j]
        return left


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns to try, the cheapest first; among equals, first the one that spares the important keys.

    `tiers` cuts them: [tiers[m], tiers[m + 1]) are the patterns of m + 1 cells, where all weights are equal.
    """

    masks: Int64
    costs: Float64
    tiers: Int64


def patterns(importance: Sequence[int], weights: Sequence[float]) -> Patterns:
    """All patterns of up to 12 keys. For more keys: those of few cells, and then the d least important keys.

    `importance` lists the keys, the most important first.

    >>> patterns([1, 0], [1.0, 1.0]).masks.tolist()
    [1, 2, 3]
    """
    d = len(importance)
    rank = {key: d - 1 - place for place, key in enumerate(importance)}
    size = 1
    while size < d and sum(comb(d, m) for m in range(1, size + 2)) <= _MOST_PATTERNS:
        size += 1
    sets = [chosen for m in range(1, size + 1) for chosen in combinations(range(d), m)]
    sets += [tuple(importance[d - m :]) for m in range(size + 1, d + 1)]
    costs = [sum(weights[j] for j in chosen) for chosen in sets]
    order = sorted(range(len(sets)), key=lambda i: (costs[i], sum(1 << rank[j] for j in sets[i])))
    masks = np.array([sum(1 << j for j in sets[i]) for i in order], dtype=np.int64)
    lengths = np.bincount([len(chosen) for chosen in sets], minlength=d + 1)[1:]
    tiers = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Patterns(masks, np.array([costs[i] for i in order], dtype=np.float64), tiers)


@njit(cache=True)
def place(key: int, mask: int) -> int:
    """Where a number belongs in a hash table of mask + 1 places (the middle bits of a product mix best)."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(mask))  # type: ignore[return-value]


@njit(cache=True)
def number(keys: Int64, others: Int64) -> tuple[Int64, int, Int64]:
    """Number the distinct keys as they appear: each key's number, how many, each other key's number or -1."""
    mask = 16
    while mask < 2 * len(keys):
        mask *= 2
    mask -= 1
    held = np.empty(mask + 1, np.int64)
    numbers = np.full(mask + 1, -1, np.int64)
    own = np.empty(len(keys), np.int64)
    distinct = 0
    for i in range(len(keys)):
        at = place(keys[i], mask)
        while numbers[at] >= 0 and held[at] != keys[i]:
            at = (at + 1) & mask
        if numbers[at] < 0:
            held[at] = keys[i]
            numbers[at] = distinct
            distinct += 1
        own[i] = numbers[at]
    found = np.empty(len(others), np.int64)
    for i in range(len(others)):
        at = place(others[i], mask)
        while numbers[at] >= 0 and held[at] != others[i]:
            at = (at + 1) & mask
        found[i] = numbers[at]
    return own, distinct, found


@njit(cache=True)
def count_equal(asked: Int64, keys: Int64, amounts: Int64) -> Int64:
    """For each number asked: the sum of the amounts of the keys that equal it."""
    own, distinct, found = number(asked, keys)
    sums = np.zeros(distinct, np.int64)
    for i in range(len(keys)):
        if found[i] >= 0:
            sums[found[i]] += amounts[i]
    answer: Int64 = sums[own]
    return answer


def wildcard_matches(cells: Cells, asked: Cells, pattern: int) -> Int64:
    """How many records agree with each class asked, the pattern blanked in it, wherever both show a value?"""
    matches: Int64 = _matches(*_by_missing(asked, pattern), *_by_missing(cells, 0), cells.records)
    return matches


def plain_matches(cells: Cells, asked: Cells, pattern: int) -> Int64:
    """How many records show the same values as each class asked in all the keys that class shows?"""
    together = Cells(cells.digits, cells.total, np.zeros_like(cells.missing), cells.records, cells.exact)
    return wildcard_matches(together, asked, pattern)


def _by_missing(cells: Cells, pattern: int) -> tuple[Int64, Int64, Int64, Int64, Int64]:
    """Digits, totals, and the classes put together by what they do not show: patterns, starts, order."""
    blank = cells.missing | pattern
    if len(blank) and (blank == blank[0]).all():  # spares the sort in the common case
        return cells.digits, cells.total, blank[:1], np.array([0, len(blank)]), np.arange(len(blank))
    order = np.argsort(blank, kind="stable")
    masks, first = np.unique(blank[order], return_index=True)
    return cells.digits, cells.total, masks, np.append(first, len(blank)), order


@njit(cache=True)
def _matches(
    digits: Int64,
    total: Int64,
    masks: Int64,
    start: Int64,
    order: Int64,
    their_digits: Int64,
    their_total: Int64,
    their_masks: Int64,
    their_start: Int64,
    their_order: Int64,
    records: Int64,
) -> Int64:
    """For each class: the records of the others that are equal in the keys that both show."""
    matches = np.zeros(len(total), np.int64)
    for a in range(len(masks)):
        for b in range(len(their_masks)):
            blank = masks[a] | their_masks[b]
            mine, theirs = order[start[a] : start[a + 1]], their_order[their_start[b] : their_start[b + 1]]
            asked, keys = total[mine], their_total[theirs]
            for j in range(len(digits)):
                if (blank >> j) & 1:
                    for i in range(len(mine)):
                        asked[i] -= digits[j, mine[i]]
                    for i in range(len(theirs)):
                        keys[i] -= their_digits[j, theirs[i]]
            found = count_equal(asked, keys, records[theirs])
            for i in range(len(mine)):
                matches[mine[i]] += found[i]
    return matches
