"""Transition matrices for PRAM: how likely does each value become each other one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Int64 = NDArray[np.int64]

#: Draws are whole numbers from 0 up to below this.
DRAWS = 1 << 53


def uniform_matrix(values: int, rate: float) -> Floats:
    """Each value stays with probability 1 - rate and becomes each other one with rate / (m - 1).

    >>> uniform_matrix(3, 0.2).tolist()
    [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    """
    if values == 1:
        return np.ones((1, 1))
    matrix = np.full((values, values), rate / (values - 1))
    np.fill_diagonal(matrix, 1 - rate)
    return matrix


def given_matrix(values: Sequence[str], matrix: Mapping[str, Mapping[str, float]]) -> Floats:
    """The matrix as a plan gives it, in the order of these values; what is not mentioned has probability 0."""
    return np.array([[matrix[one].get(other, 0.0) for other in values] for one in values])


def invariant_matrix(matrix: Floats, counts: Int64) -> Floats:
    """Which matrix keeps the expected counts of all values?

    In two stages: P as given, then back with Q_jk = P_kj t_k / sum_l P_lj t_l, where t are the counts. R = P Q, and
    t R = t: the flow t_i R_ik from i to k is as large as the one from k to i. Values that do not occur stay.

    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), "Post randomisation for statistical disclosure control".

    >>> r = invariant_matrix(uniform_matrix(2, 0.2), np.array([30, 10]))
    >>> (np.array([30, 10]) @ r).round(9).tolist()
    [30.0, 10.0]
    """
    reached = counts @ matrix
    back = (matrix * counts[:, None]).T / np.where(reached > 0, reached, 1.0)[:, None]
    result = np.asarray(matrix @ back)
    absent = counts == 0
    result[absent] = np.eye(len(counts))[absent]
    return result


def bounds(matrix: Floats) -> Int64:
    """Where in the range of draws each new value begins and ends: for m values m + 1 numbers a row, from 0 to DRAWS.

    Probabilities are rounded to multiples of 2^-53.
    """
    cumulated = np.cumsum(matrix, axis=1)
    ends = np.rint(cumulated / cumulated[:, -1:] * DRAWS).astype(np.int64)
    return np.hstack([np.zeros((len(matrix), 1), np.int64), ends])
