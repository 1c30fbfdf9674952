"""Do the levels of a rule nest? It shows without the data, so a plan can be refused before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from incrowd.keys.postcodes import COMPONENTS, Component

#: The finest first.
DATE_PARTS = ("month", "quarter", "year", "decade")


def cuts_nest(levels: Sequence[Sequence[Decimal]]) -> bool:
    """Whether a coarser level only leaves cut points out.

    >>> cuts_nest([[Decimal(16), Decimal(30)], [Decimal(30)]]), cuts_nest([[Decimal(16)], [Decimal(30)]])
    (True, False)
    """
    return all(set(coarse) <= set(fine) for fine, coarse in pairwise(levels))


def widths_nest(widths: Sequence[Decimal]) -> bool:
    """Whether each width is above 0 and a multiple of the one before."""
    return all(width > 0 for width in widths) and not any(coarse % fine for fine, coarse in pairwise(widths))


def numbers_fall(numbers: Sequence[int], least: int) -> bool:
    """Whether numbers of bands, or lengths of prefixes, fall and end at `least` or more."""
    return all(number >= least for number in numbers) and all(b < a for a, b in pairwise(numbers))


def parts_nest(parts: Sequence[str]) -> bool:
    """Whether parts of a date are in order."""
    return list(parts) == [part for part in DATE_PARTS if part in parts]


def components_nest(components: Sequence[Component]) -> bool:
    """Whether components of postcodes become coarser; none at all is no hierarchy."""
    places = [COMPONENTS.index(component) for component in components]
    return bool(places) and all(b < a for a, b in pairwise(places))
