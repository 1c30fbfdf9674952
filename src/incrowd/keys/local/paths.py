"""Paths: for each class of the base table, its value and that value's loss at every level of every key.

Local recoding asks one thing again and again: what is the finest label that a set of classes has in common? With
the whole way from leaf to top side by side in memory, that is a walk up a few columns and no lookup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Levels
from incrowd.keys.table import Int32, Int64, KeyTable

Floats = NDArray[np.float64]
#: The loss of a label that does not exist, where a key's hierarchy has no single top: never worth it.
NO_LABEL = 1e6


@dataclass(frozen=True, eq=False)
class Paths:
    """`codes[a, at[i] + j]`: the code of class a in key i at level j; `losses` alike, divided by the keys.

    `at` has one entry more than there are keys. Where the top of a hierarchy has several values, one more level
    stands above it, which all classes share and which costs more than any release (`NO_LABEL`).
    """

    at: Int64
    codes: Int32
    losses: Floats
    heights: tuple[int, ...]

    @property
    def keys(self) -> int:
        """The number of keys."""
        return len(self.heights)

    def means(self, records: Int64) -> tuple[Floats, Floats]:
        """The mean and the standard deviation of each column's loss over the records."""
        share = records / max(int(records.sum()), 1)
        mean = share @ self.losses
        return mean, np.sqrt(np.maximum(share @ (self.losses * self.losses) - mean**2, 0))

    def tops(self) -> Int64:
        """Which base classes can come under one label: those with the same values at every key's top, numbered."""
        tops = self.codes[:, self.at[:-1] + np.array(self.heights, np.int64)]
        return np.unique(tops, axis=0, return_inverse=True)[1].ravel()


def paths_of(table: KeyTable, levels: Sequence[Levels]) -> Paths:
    """Lay out the way from leaf to top. A hierarchy that is not nested is a fault: its labels share no tree."""
    if [level.domain.name for level in levels] != list(table.names):
        raise InputError("D047", "the hierarchies are not those of the keys, in the same order.")
    columns, losses, at, heights = [], [], [0], []
    for codes, key in zip(table.codes, levels, strict=True):
        _check_nested(key)
        for recode, loss in zip(key.recodes, key.losses, strict=True):
            columns.append(recode.codes[codes])
            losses.append(loss[recode.codes[codes]] / len(levels))
        if len(codes) and columns[-1].min() != columns[-1].max():
            columns.append(np.zeros_like(columns[-1]))
            losses.append(np.full(len(codes), NO_LABEL))
        at.append(len(columns))
        heights.append(key.height)
    return Paths(
        np.array(at, np.int64),
        np.ascontiguousarray(np.array(columns, np.int32).T),
        np.ascontiguousarray(np.array(losses, np.float64).T),
        tuple(heights),
    )


def _check_nested(key: Levels) -> None:
    for fine, coarse in zip(key.recodes, key.recodes[1:], strict=False):
        pairs = fine.codes.astype(np.int64) * len(coarse.domain) + coarse.codes
        if len(np.unique(pairs)) != len(np.unique(fine.codes)):
            raise InputError(
                "D052",
                f"the hierarchy of {key.domain.name!r} is not nested: two values with one label at a level have "
                "different labels at the level above.",
                "Local recoding needs a tree; the search over whole variables does not.",
            )
