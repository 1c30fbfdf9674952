"""What a use case finds: figures side by side, how far they moved, and whether the conclusion stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import asin, isfinite, sqrt

from incrowd.risk.value import wilson

#: The verdict on a use case that any file would pass.
CANNOT = "cannot be judged"


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval, and the records behind it. None where it cannot be computed."""

    value: float | None
    low: float | None = None
    high: float | None = None
    records: int = 0


@dataclass(frozen=True)
class Figure:
    """One figure in the original, brought to the release's categories, and in the release.

    `effect` is its change as an effect size (the outcome says which), `overlap` the overlap of the intervals from 0 to
    1, `same` whether the conclusion drawn from it is the same (None where none is drawn from it alone). `more` holds
    what else is worth a column.
    """

    name: str
    original: Estimate
    released: Estimate
    effect: float | None
    overlap: float | None
    same: bool | None
    more: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The verdict on one use case. What could not be computed does not pass, and `why` says so; with `judged` false it
    could not have failed either, so it says nothing.
    """

    use_case: str
    test: str
    rule: str
    passed: bool
    found: str
    effect: str
    figures: tuple[Figure, ...] = ()
    why: str = ""
    beside: str = "the original at the release's categories"  # what the release is compared with
    judged: bool = True
    by: str = ""  # the variable whose values the figures are named after, where they are

    @property
    def verdict(self) -> str:
        """What became of the conclusion, in words."""
        return CANNOT if not self.judged else "stays" if self.passed else "changes"

    @property
    def largest_effect(self) -> float | None:
        """The largest change of a figure, in size."""
        sizes = [abs(figure.effect) for figure in self.figures if figure.effect is not None]
        return max(sizes, default=None)

    @property
    def least_overlap(self) -> float | None:
        """The smallest overlap of intervals."""
        return min((figure.overlap for figure in self.figures if figure.overlap is not None), default=None)


NOTHING = Estimate(None)


def share(part: int, whole: int) -> Estimate:
    """A share with Wilson's 95% interval.

    >>> found = share(850, 1000)
    >>> round(found.low, 3), round(found.high, 3)
    (0.827, 0.871)
    """
    return Estimate(part / whole, *wilson(part, whole), whole) if whole else NOTHING


def overlap(a: Estimate, b: Estimate) -> float | None:
    """How much do two intervals share? The mean of the shared part of each; 0 where they do not meet (Karr 2006).

    >>> overlap(Estimate(1, 0, 2), Estimate(2, 1, 3))
    0.5
    """
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return None
    shared = min(a.high, b.high) - max(a.low, b.low)
    if shared < 0:
        return 0.0
    parts = [shared / (one.high - one.low) if one.high > one.low else 1.0 for one in (a, b)]  # type: ignore[operator]
    return sum(parts) / 2


def cohens_h(original: Estimate, released: Estimate) -> float | None:
    """The change of a share on the arcsine scale: 0.2 is small, 0.5 medium, 0.8 large (Cohen 1988)."""
    if original.value is None or released.value is None:
        return None
    return 2 * asin(sqrt(released.value)) - 2 * asin(sqrt(original.value))


def finite(number: float) -> float | None:
    """A number, or None where it is none."""
    return float(number) if isfinite(number) else None
