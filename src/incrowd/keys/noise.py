"""Normal noise from keyed numbers, plain and correlated, and numbers as texts with so many decimals."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from incrowd.keys.siphash import KEY_BYTES, hash_texts

Floats = NDArray[np.float64]
#: A variance below this share of the variable's own is taken for rounding: the variable follows from those before it.
NEGLIGIBLE = 1e-9
#: A path of noise has variances from 2^-SPAN to 2^SPAN, and so many places in each doubling.
SPAN, STEPS = 256, 1 << 15
#: The standard deviations in between; what is added to a number is never infinite.
LEAST, MOST = 1e-38, 1e38


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


def path(draws: NDArray[np.int64], subkey: bytes, variance: float) -> Floats:
    """How far has each record's noise gone, once it has this variance? The point W(variance) of a Brownian path.

    W(t) is normal with variance t, and Cov(W(s), W(t)) = min(s, t): a file with more noise is the file with less noise
    and more added to it. So two files, or many, tell nothing that the one with the least noise does not tell alone:
    2 (x + W(s)) - (x + W(4s)) is not x, as it would be with one number scaled. The key makes the path; the variance
    says only where on it we are.

    U(v) = W(2^v) / 2^(v/2) is stationary, with the correlation 2^(-|v-w|/2). Its ends at -SPAN and SPAN are
    independent; between two known points the middle is normal given both, and so on by halves (Levy 1948) until the
    variance is met. All records of a file ask for one variance and so for the same middles: each has a key of its own.
    The variance is rounded up to the next of STEPS in each doubling: 0.002% more at most.

    >>> one, two = path(np.arange(9), bytes(16), 1.0), path(np.arange(9), bytes(16), 4.0)
    >>> bool((path(np.arange(9), bytes(16), 1.0) == one).all()), bool((2 * one == two).any())
    (True, False)
    """
    if not LEAST**2 <= variance <= MOST**2:
        raise ValueError("no path reaches this variance")
    place = int(np.ceil(np.log2(variance) * STEPS))
    low, high = -SPAN * STEPS, SPAN * STEPS
    before, after = (_bend(draws, subkey, end) for end in (low, high))
    while True:
        middle = (low + high) // 2
        apart = (high - low) / STEPS  # in doublings
        both = 2.0 ** (-apart / 2)  # the square of the correlation with either end
        free = -np.expm1(-apart / 2 * np.log(2.0)) / (1 + both)
        here = np.sqrt(both) / (1 + both) * (before + after) + np.sqrt(free) * _bend(draws, subkey, middle)
        if middle == place:
            return np.asarray(here * 2.0 ** (place / STEPS / 2))
        if place < middle:
            high, after = middle, here
        else:
            low, before = middle, here


def _bend(draws: NDArray[np.int64], subkey: bytes, place: int) -> Floats:
    return normals(draws, hmac.digest(subkey, str(place).encode(), "sha3_256"))


def correlated(draws: NDArray[np.int64], weights: Sequence[float], subkeys: Sequence[bytes], variance: float) -> Floats:
    """The noise of one variable: its row of the factor times the record's paths, one for each subkey."""
    total = np.zeros(len(draws))
    for weight, subkey in zip(weights, subkeys, strict=True):
        if weight:
            total += weight * path(draws, subkey, variance)
    return total


def as_texts(values: Floats, decimals: int) -> list[str]:
    """Numbers with so many decimals; there is no minus zero.

    >>> as_texts(np.array([1.25, -0.001, 1e6]), 1)
    ['1.2', '0.0', '1000000.0']
    """
    rounded = np.round(values, decimals) + 0.0
    return [f"{value:.{decimals}f}" for value in rounded.tolist()]
