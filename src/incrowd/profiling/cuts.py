"""Where could bands of a number start? At round numbers, made from a rounded range that is nobody's value."""

from __future__ import annotations

import math
from decimal import Decimal

_AGES = ("16", "25", "35", "45", "55", "65", "75")
_MOST_BANDS = 7


def cuts_for(low: float | None, high: float | None, is_age: bool = False) -> tuple[str, ...]:
    """The starts of at most seven bands between `low` and `high`, as a plan writes them; none without a
    range.

    Ages have the starts that statistics of the United Kingdom use.

    >>> cuts_for(12000, 65000)
    ('20000', '30000', '40000', '50000', '60000')
    """
    if is_age and (high is None or 30 <= high <= 120):
        return _AGES
    if low is None or high is None or not low < high:
        return ()
    least, most = Decimal(str(low)), Decimal(str(high))
    step = _round_step((most - least) / (_MOST_BANDS - 1))
    first = math.ceil(least / step)
    cuts = [step * i for i in range(first, math.floor(most / step) + 1)]
    return tuple(format(cut.normalize(), "f") for cut in cuts if cut != 0 or least < 0) or ()


def _round_step(width: Decimal) -> Decimal:
    """The smallest of 1, 2, 5, 10 times a power of ten that is not below the width."""
    power = Decimal(10) ** width.adjusted()
    return next(power * n for n in (1, 2, 5, 10) if power * n >= width)
