"""Normal noise from keyed numbers, plain and correlated, and numbers as texts with so many decimals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from incrowd.keys.siphash import KEY_BYTES, hash_texts

Floats = NDArray[np.float64]
#: A variance below this share of the variable's own is taken for rounding: the variable follows from those before it.
NEGLIGIBLE = 1e-9


def normals(draws: NDArray[np.int64], subkey: bytes) -> Floats:
    """A standard normal number for each record, from the record's own number and a key: same in, same out.

    SipHash-2-4 makes 53 random bits u of the number; the inverse of the normal distribution makes them normal.
    """
    numbers = np.ascontiguousarray(draws, dtype="<i8")
    ends = np.arange(len(numbers) + 1, dtype=np.int32) * 8
    bits = hash_texts(numbers.view(np.uint8), ends, subkey[:KEY_BYTES]).view(np.uint64) >> np.uint64(11)
    return np.asarray(ndtri((bits.astype(np.float64) + 0.5) / 2.0**53))


def factor(covariance: Floats) -> Floats:
    """The lower triangle L with L L' = covariance (Cholesky); a variable that follows from others adds nothing new.

    >>> factor(np.array([[4.0, 2.0], [2.0, 2.0]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    size = len(covariance)
    lower = np.zeros((size, size))
    for i in range(size):
        rest = covariance[i, i] - float(lower[i, :i] @ lower[i, :i])
        if rest <= NEGLIGIBLE * covariance[i, i]:
            continue
        lower[i, i] = np.sqrt(rest)
        for j in range(i + 1, size):
            lower[j, i] = (covariance[j, i] - float(lower[j, :i] @ lower[i, :i])) / lower[i, i]
    return lower


def correlated(draws: NDArray[np.int64], weights: Sequence[float], subkeys: Sequence[bytes]) -> Floats:
    """The noise of one variable: its row of the factor times the record's normal numbers, one for each subkey."""
    total = np.zeros(len(draws))
    for weight, subkey in zip(weights, subkeys, strict=True):
        if weight:
            total += weight * normals(draws, subkey)
    return total


def as_texts(values: Floats, decimals: int) -> list[str]:
    """Numbers with so many decimals; there is no minus zero.

    >>> as_texts(np.array([1.25, -0.001, 1e6]), 1)
    ['1.2', '0.0', '1000000.0']
    """
    rounded = np.round(values, decimals) + 0.0
    return [f"{value:.{decimals}f}" for value in rounded.tolist()]
