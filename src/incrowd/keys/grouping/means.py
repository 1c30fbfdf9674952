"""The mean of each group, given to every record in it; and the means of people who have several records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]
Mask = NDArray[np.bool_]


def group_means(values: Floats, groups: Groups) -> Floats:
    """Which value does each record get? The mean of its group: the total of the file stays.

    Sums are taken around the mean of the file, so that large numbers with small differences lose no digits.

    >>> group_means(np.array([1.0, 3.0, 10.0]), np.array([0, 0, 1])).tolist()
    [2.0, 2.0, 10.0]
    """
    if not len(values):
        return values
    middle = values.mean()
    sums = np.bincount(groups, values - middle)
    means: Floats = middle + (sums / np.bincount(groups))[groups]
    return means


def person_means(values: Floats, starts: Groups) -> tuple[Floats, Mask, Mask]:
    """What does each person have on the whole? Of records that stand together, from each of `starts` on to the next:
    the means of what is there, in which variables they differ, and which are there in some records only.

    >>> person_means(np.array([[1.0], [3.0], [7.0], [np.nan]]), np.array([0, 2]))[0].tolist()
    [[2.0], [7.0]]
    """
    if not len(starts):
        return values, np.zeros(values.shape, bool), np.zeros(values.shape, bool)
    there = ~np.isnan(values)
    number = np.add.reduceat(there.astype(np.int64), starts)
    records = np.diff(np.r_[starts, len(values)])[:, None]
    low = np.minimum.reduceat(np.where(there, values, np.inf), starts)
    high = np.maximum.reduceat(np.where(there, values, -np.inf), starts)
    # From the lowest on: one value is itself, while the mean of its copies may be off in the last digit.
    base = np.where(number > 0, low, 0.0)
    above = np.where(there, values - np.repeat(base, records[:, 0], axis=0), 0.0)
    means = np.where(number > 0, base + np.add.reduceat(above, starts) / np.maximum(number, 1), np.nan)
    return means, (number > 0) & (low < high), (number > 0) & (number < records)
