"""The released records that are most like a target: what they have, the target has. The simplest model there is.

It remembers every record, where a tree forgets all but leaves of ten: on nearly raw data it is the stronger of the two.
"""

from __future__ import annotations

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
class Near:
    """For each target, the combination of keys in the release that is nearest to what is believed of them."""

    row_of: Int64  # the combination of each of the records learnt from
    rows: int
    nearest: Int64  # for each target

    @staticmethod
    def of(table: Floats, aims: Floats, categories: list[int]) -> Near:
        """From the keys of the records learnt from and of the targets, as numbers (see inference.features).

        Of combinations equally near, the one that most records have.
        """
        first, row_of = equal(list(table.T))
        order = np.argsort(-np.bincount(row_of, minlength=len(first)), kind="stable")
        place = np.empty(len(first), np.int64)
        place[order] = np.arange(len(first))
        asked, back = equal(list(aims.T))
        kinds = np.zeros(table.shape[1], bool)
        kinds[categories] = True
        nearest = (
            nearest_rows(table[first[order]], aims[asked], kinds) if len(first) else np.zeros(len(asked), np.int64)
        )
        return Near(place[row_of], len(first), nearest[back])

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
