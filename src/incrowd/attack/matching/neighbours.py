"""The released records that are most like a target: what they have, the target has. The simplest model there is.

It remembers every record, where a tree forgets all but leaves of ten: on nearly raw data it is the stronger of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.situation import Int64
from incrowd.keys.nearest import nearest_rows
from incrowd.keys.packing import group, pack

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Distinct:
    """Rows of numbers, equal ones once and in order: far fewer than people, so that models are quick."""

    rows: Floats
    of: Int64  # for each row of the table, which it is

    @staticmethod
    def among(table: Floats) -> Distinct:
        """The distinct rows of a table."""
        first, of = equal(list(table.T))
        return Distinct(table[first], of)


@dataclass(frozen=True)
class Near:
    """For each target, the combination of keys in the release that is nearest to what is believed of them."""

    row_of: Int64  # the combination of each of the records learnt from
    rows: int
    nearest: Int64  # for each target

    @staticmethod
    def of(
        table: Distinct, learn: Bools, aims: Distinct, whom: Bools, categories: list[int], apart: Sequence[Floats] = ()
    ) -> Near:
        """From the keys of the records learnt from and of some targets, as numbers (see learning/features.py); with the
        distances of a key's codes where it has a table of them (see learning/coarse.py).

        Of combinations equally near, the one that most records have.
        """
        row_of = table.of[learn]
        counts = np.bincount(row_of, minlength=len(table.rows))
        there = np.flatnonzero(counts)
        order = there[np.argsort(-counts[there], kind="stable")]
        place = np.zeros(len(table.rows), np.int64)
        place[order] = np.arange(len(order))
        asked, back = np.unique(aims.of[whom], return_inverse=True)
        kinds = np.zeros(table.rows.shape[1], bool)
        kinds[categories] = True
        nearest = (
            nearest_rows(table.rows[order], aims.rows[asked], kinds, apart)
            if len(order)
            else np.zeros(len(asked), np.int64)
        )
        return Near(place[row_of], len(order), nearest[back])

    def state(self, values: Int64, number: int) -> Int64:
        """For each target the value that most of the nearest records have, of those learnt from; -1 where none has one
        (a value of -1 is none).
        """
        if not self.rows:
            return np.full(len(self.nearest), -1)
        told = values >= 0
        pairs = (self.row_of[told], values[told])
        counts = csr_array((np.ones(int(told.sum())), pairs), shape=(self.rows, number))
        return largest_of(counts)[0][self.nearest]


def equal(columns: list[Floats]) -> tuple[Int64, Int64]:
    """The first of each group of equal rows, and each row's group."""
    codes = [np.unique(column, return_inverse=True)[1].ravel().astype(np.int64) for column in columns]
    return group(pack(codes, [int(column.max(initial=0)) + 1 for column in codes]))
