"""Which row is most like another? Gower's distance over numbers and categories, row by row in a loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bools = NDArray[np.bool_]


def nearest_rows(rows: Floats, asked: Floats, categories: Bools, apart: Sequence[Floats] = ()) -> Int64:
    """For each of the asked, the number of the row that is nearest to it; the first of several.

    The distance (Gower 1971) is the sum over the columns: of a number its difference as a share of the column's range
    (at most 1), of a category 0 or 1; a value that one of the two does not have counts 1. The loop gives a row up as
    soon as it is farther than the best so far. A column with a table in `apart` (an empty one is none) has codes: the
    table has the distance of each code of the rows to each code of the asked.

    >>> nearest_rows(np.array([[0.0, 1.0], [10.0, 0.0]]), np.array([[4.0, 1.0]]), np.array([False, True])).tolist()
    [0]
    """
    low, high = _ends(rows)
    scale = 1.0 / np.where(high > low, high - low, 1.0)
    tables = [*apart] or [np.zeros((0, 0))] * rows.shape[1]
    widths = np.array([table.shape[1] for table in tables], np.int64)
    starts = np.cumsum([0, *(table.size for table in tables)])[:-1]
    flat = np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
    found: Int64 = _nearest(
        np.ascontiguousarray(rows), np.ascontiguousarray(asked), scale, categories, flat, starts, widths
    )
    return found


def _ends(rows: Floats) -> tuple[Floats, Floats]:
    known = np.where(np.isnan(rows), np.inf, rows), np.where(np.isnan(rows), -np.inf, rows)
    return known[0].min(axis=0, initial=np.inf), known[1].max(axis=0, initial=-np.inf)


@njit(cache=True, nogil=True)
def _nearest(rows, asked, scale, categories, flat, starts, widths):  # type: ignore[no-untyped-def]
    found = np.zeros(len(asked), np.int64)
    for i in range(len(asked)):
        least = np.inf
        for j in range(len(rows)):
            distance = 0.0
            for k in range(rows.shape[1]):
                one, other = rows[j, k], asked[i, k]
                if widths[k]:
                    distance += flat[starts[k] + int(one) * widths[k] + int(other)]
                elif np.isnan(one) or np.isnan(other):
                    distance += 0.0 if np.isnan(one) and np.isnan(other) else 1.0
                elif categories[k]:
                    distance += 0.0 if one == other else 1.0
                else:
                    distance += min(abs(one - other) * scale[k], 1.0)
                if distance >= least:
                    break
            if distance < least:
                least = distance
                found[i] = j
                if distance == 0.0:
                    break
    return found
