"""The mean of each group, given to every record in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]


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
