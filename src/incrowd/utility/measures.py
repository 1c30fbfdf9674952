"""Measures of one column, or of two, that use cases and general measures share."""

from __future__ import annotations

from math import atanh, sqrt, tanh

import numpy as np

from incrowd.keys.table import Int64
from incrowd.keys.tally import Moments
from incrowd.utility.outcome import NOTHING, Estimate, Z


def entropy(counts: Int64) -> float:
    """Shannon's entropy in bits of values with these counts.

    >>> entropy(np.array([2, 1, 1]))
    1.5
    """
    there = counts[counts > 0]
    shares = there / max(there.sum(), 1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def pearson(moments: Moments) -> Estimate:
    """Pearson's r over all rows, with Fisher's 95% interval."""
    whole = moments.merge(np.zeros(len(moments.n), np.int64), 1)
    n, both = int(whole.n[0]), float(whole.xx[0] * whole.yy[0])
    if n < 4 or not both > 0:
        return NOTHING
    r = float(np.clip(whole.xy[0] / sqrt(both), -1, 1))
    if abs(r) == 1:
        return Estimate(r, r, r, n)
    half = Z / sqrt(n - 3)
    return Estimate(r, tanh(atanh(r) - half), tanh(atanh(r) + half), n)
