"""The slide negative binomial model of class sizes: F - 1 is negative binomial in every class that is not empty."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from incrowd.risk.value import Floats


def classes_in_population(sizes: Floats, numbers: Floats, fraction: float) -> float:
    """How many classes does the population have? Shlosser's estimator in the form of Haas and Stokes (1998).

    d + n_1 * [sum i q^2 (1-q^2)^(i-1) n_i / sum (1-q)^i ((1+q)^i - 1) n_i] * [sum (1-q)^i n_i / sum i q (1-q)^(i-1)
    n_i]^2, where q is the sampling fraction. (ARX 3.9.2 lacks the bracket of the first denominator.)

    Misleads: unstable for small fractions; it was made for a tenth and more.

    >>> round(classes_in_population(np.array([1.0, 2.0]), np.array([10.0, 5.0]), 0.5), 3)
    22.479
    """
    q, i, n = fraction, sizes, numbers
    ones = float(n[i == 1].sum())
    if q >= 1.0 or not ones:
        return float(n.sum())
    first = (i * q * q * (1 - q * q) ** (i - 1) * n).sum() / ((1 - q) ** i * ((1 + q) ** i - 1) * n).sum()
    second = ((1 - q) ** i * n).sum() / (i * q * (1 - q) ** (i - 1) * n).sum()
    return float(n.sum() + ones * first * second**2)


def snb_uniques(sizes: Floats, numbers: Floats, fraction: float) -> float | None:
    """How many population uniques does the model give? None where the equations have no solution.

    P(F = j) = C(a+j-2, j-1) b^a (1-b)^(j-1). With g(s) = (b / (1 - (1-b)s))^a, q = 1 - fraction and x = (1-b) /
    (1 - q(1-b)), the expected sample has n_1 = K fraction g(q) (1 + q a x) and
    n_2 = K fraction^2 / 2 g(q) a x (2 + (a+1) q x); K is Shlosser's. Solved for a and b; then S1 = K b^a.

    The two equations are solved one inside the other, a for every b, so that a root is a root and nothing is guessed.
    (ARX 3.9.2 multiplies where the second equation divides, and always gives 0.)

    Reference: Chen and Keller-McNulty (1998), Journal of Official Statistics 14.

    >>> snb_uniques(np.array([5.0]), np.array([10.0]), 0.1) is None
    True
    """
    ones, twos = float(numbers[sizes == 1].sum()), float(numbers[sizes == 2].sum())
    if not ones or not twos or not 0 < fraction < 1:
        return None
    total, q = classes_in_population(sizes, numbers, fraction), 1.0 - fraction
    share_one, share_two = ones / (total * fraction), 2.0 * twos / (total * fraction**2)

    def x_of(b: float) -> float:
        return (1.0 - b) / (1.0 - q * (1.0 - b))

    def first(a: float, b: float) -> float:
        x = x_of(b)
        return float(np.exp(a * np.log(b / (1.0 - q * (1.0 - b)))) * (1.0 + q * a * x) - share_one)

    def a_for(b: float) -> float | None:
        """The a that meets the first equation: it falls from 1 (a = 0) once a is past its top."""
        x = x_of(b)
        fall = -np.log(b / (1.0 - q * (1.0 - b)))
        top = max(0.0, 1.0 / fall - 1.0 / (q * x))
        if first(top, b) < 0:
            return None
        far = max(top, 1.0)
        while first(far, b) > 0:
            far *= 2.0
            if far > 1e12:
                return None
        return float(brentq(first, top, far, args=(b,), xtol=1e-14, rtol=1e-13))

    def second(b: float) -> float | None:
        if (a := a_for(b)) is None:
            return None
        x = x_of(b)
        g = np.exp(a * np.log(b / (1.0 - q * (1.0 - b))))
        return float(g * a * x * (2.0 + (a + 1.0) * q * x) - share_two)

    grid = 1.0 / (1.0 + np.exp(-np.linspace(-9.0, 9.0, 61)))
    values = [second(float(b)) for b in grid]
    for left, right, low, high in zip(grid, grid[1:], values, values[1:], strict=False):
        if low is not None and high is not None and low * high <= 0:
            b = float(brentq(lambda at: second(at) or 0.0, left, right, xtol=1e-13))
            a = a_for(b)
            return None if a is None else float(total * np.exp(a * np.log(b)))
    return None
