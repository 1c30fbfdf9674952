"""How close the release comes to somebody: what a file that holds a person's record has, and one without it has not."""

from __future__ import annotations

import numpy as np
from numba import njit

from incrowd.attack.learning.features import Floats
from incrowd.attack.matching.neighbours import Distinct
from incrowd.attack.situation import Int64

#: Records within such distances count as a person's surroundings (in keys that differ, or shares of a number's range).
WIDTHS = (0.1, 0.5, 1.5)


def closeness(table: Distinct, aims: Floats, categories: list[int]) -> Floats:
    """For each aim: Gower's distance to the nearest records, how many those are, and how many more lie around.

    Numbers of records are logarithms. Distances are those of `keys.nearest`, over all rows.
    """
    kinds = np.zeros(aims.shape[1], bool)
    kinds[categories] = True
    low, high = np.nanmin(table.rows, axis=0, initial=np.inf), np.nanmax(table.rows, axis=0, initial=-np.inf)
    scale = 1.0 / np.where(high > low, high - low, 1.0)
    counts = np.bincount(table.of, minlength=len(table.rows)).astype(np.int64)
    found: Floats = _around(np.ascontiguousarray(table.rows), counts, aims, scale, kinds, np.array(WIDTHS))
    return np.column_stack([found[:, 0], np.log1p(found[:, 1:])])


@njit(cache=True, nogil=True)
def _around(rows, counts, asked, scale, categories, widths):  # type: ignore[no-untyped-def]
    found = np.zeros((len(asked), 2 + len(widths)))
    for i in range(len(asked)):
        least, number = np.inf, 0
        for j in range(len(rows)):
            distance = 0.0
            for k in range(rows.shape[1]):
                one, other = rows[j, k], asked[i, k]
                if np.isnan(one) or np.isnan(other):
                    distance += 0.0 if np.isnan(one) and np.isnan(other) else 1.0
                elif categories[k]:
                    distance += 0.0 if one == other else 1.0
                else:
                    distance += min(abs(one - other) * scale[k], 1.0)
            if distance < least - 1e-12:
                least, number = distance, counts[j]
            elif distance <= least + 1e-12:
                number += counts[j]
            for w in range(len(widths)):
                if distance <= widths[w]:
                    found[i, 2 + w] += counts[j]
        found[i, 0], found[i, 1] = least, number
    return found


def auc(scores: Floats, member: Int64) -> float:
    """How often a member scores higher than another, ties counting half: the area under the ROC curve.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    from scipy.stats import rankdata

    ranks, inside = rankdata(scores), member == 1
    n, m = int(inside.sum()), int((~inside).sum())
    return float((ranks[inside].sum() - n * (n + 1) / 2) / (n * m))


def found_at(scores: Floats, member: Int64, false: float) -> tuple[int, int]:
    """How many members, of how many, score above the highest scores of the others, of whom such a share at most is
    taken for members.
    """
    others = np.sort(scores[member == 0])[::-1]
    above = others[int(false * len(others))]  # so many others score higher, or fewer
    inside = scores[member == 1]
    return int((inside > above).sum()), len(inside)
