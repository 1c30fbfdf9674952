"""What a measure gives back: never a bare number.

A risk carries its method, the scenario it was measured in, an interval where it is an estimate, and in `why` the
reason where there is no interval or no value at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.table import KeyTable

Floats = NDArray[np.float64]

#: Counted, not estimated: the figure has no sampling error.
COUNTED = "counted in the file, not estimated"
#: The normal quantile of a two-sided 95% interval.
Z95 = 1.959963984540054


@dataclass(frozen=True)
class Risk:
    """One figure: what it is, its value and interval, how it was found, and for which scenario.

    >>> Risk("prosecutor_max", 1.0, None, None, "1/f", "neighbour", COUNTED).value
    1.0
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    scenario: str
    why: str = ""

    def __post_init__(self) -> None:
        if (self.value is None or self.low is None) and not self.why:
            raise ValueError(f"{self.name}: a figure without a value or an interval says why")


@dataclass(frozen=True)
class Scenario:
    """What an intruder knows: which keys, how often wrongly, and whether they know who is in the file.

    `error` gives for a key the chance that what the intruder knows of it differs from the file; 0 when left out.
    """

    name: str
    keys: tuple[str, ...]
    error: dict[str, float] = field(default_factory=dict)
    knows_who_is_in: bool = True

    @property
    def right(self) -> float:
        """The chance that all keys the intruder knows are as they stand in the file, if errors are independent."""
        chance = 1.0
        for key in self.keys:
            chance *= 1.0 - self.error.get(key, 0.0)
        return chance


#: Where no scenario is named: all keys are known, without error, and so is who is in the file.
EVERYTHING = "all keys known"


def not_estimated(name: str, method: str, scenario: str, why: str) -> Risk:
    """A figure that an estimator could not give, with the reason."""
    return Risk(name, None, None, None, method, scenario, why)


def sizes_of(table: KeyTable) -> tuple[Floats, Floats]:
    """The sizes that classes of the file have, and how many classes have each: all that many estimators need."""
    found = table.size_histogram()
    return np.array(list(found), float), np.array(list(found.values()), float)


def interval(value: float, deviation: float, least: float, most: float) -> tuple[float, float]:
    """A normal 95% interval, kept where the figure can be."""
    return max(value - Z95 * deviation, least), min(value + Z95 * deviation, most)


def wilson(hits: float, tries: float) -> tuple[float, float]:
    """The 95% interval of a share that was counted in so many tries (Wilson 1927). By hand, for statsmodels takes two
    seconds to import and sixty times as long for each; a test holds the two against each other.

    >>> [round(end, 4) for end in wilson(5, 10)]
    [0.2366, 0.7634]
    """
    share, square = hits / tries, Z95 * Z95
    middle = (share + square / (2 * tries)) / (1 + square / tries)
    half = Z95 / (1 + square / tries) * np.sqrt(share * (1 - share) / tries + square / (4 * tries * tries))
    low, high = float(max(middle - half, 0.0)), float(min(middle + half, 1.0))
    return 0.0 if not hits else low, 1.0 if hits == tries else high  # rounding leaves a trace of either


def named(risks: Sequence[Risk]) -> dict[str, Risk]:
    """Risks by their names."""
    return {risk.name: risk for risk in risks}
