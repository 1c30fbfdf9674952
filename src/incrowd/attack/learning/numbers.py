"""A sensitive number, named as a number: how near does an intruder come to it?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.attack.knowledge import Bools, Sensitive, middles, whole_of
from incrowd.attack.learning.features import Floats
from incrowd.attack.matching.neighbours import Near
from incrowd.attack.situation import Int64, Situation

#: A number that is off by at most this share of the truth counts as named.
CLOSE = 0.05


@dataclass(frozen=True)
class Numbers:
    """A sensitive variable as numbers, in the release and in truth; NaN where there is none."""

    released: Floats
    true: Floats
    cuts: Floats  # between the bands by which it counts as learnt

    @staticmethod
    def of(situation: Situation, sensitive: Sensitive) -> Numbers:
        """The numbers behind a variable that is judged by bands."""
        released = middles(whole_of(situation.released[sensitive.name]))
        true = middles(whole_of(situation.known[sensitive.name]))
        inner = []
        for band in range(sensitive.values - 1):
            below, above = released[sensitive.released == band], released[sensitive.released == band + 1]
            inner.append((below.max() + above.min()) / 2)
        return Numbers(released, true, np.array(inner))

    def bands(self, numbers: Floats) -> Int64:
        """The band that each number lies in; -1 where there is none."""
        found = np.searchsorted(self.cuts, np.nan_to_num(numbers), side="right")
        return np.where(np.isnan(numbers), -1, found).astype(np.int64)


def close(stated: Floats, true: Floats) -> Bools:
    """Whether each number that is stated is the true one to within the share that counts."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(stated - true) <= CLOSE * np.abs(true))


def middle_number(near: Near, numbers: Floats) -> Floats:
    """For each target the middle one (the lower of two) of the numbers that the nearest records have, of those learnt
    from; NaN where none has one.
    """
    told = ~np.isnan(numbers)
    rows, numbers = near.row_of[told], numbers[told]
    order = np.lexsort((numbers, rows))
    counts = np.bincount(rows, minlength=near.rows)
    begins = np.cumsum(counts) - counts
    found = np.full(max(near.rows, 1), np.nan)
    there = np.flatnonzero(counts)
    found[there] = numbers[order][begins[there] + (counts[there] - 1) // 2]
    return np.asarray(found[near.nearest])
