"""Which component keeps everyone in a crowd? The share of groups below a threshold, for every threshold.

Reference: A. Hardy, Postcode Anonymity Analysis (2021). Its figure 1 is drawn from 1,000 bins; here the curve is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from incrowd.errors import InputError
from incrowd.postcodes.count import Groups, Int64, Places

#: The steep part of a curve lies between these shares of the groups.
STEEP = (0.1, 0.9)


@dataclass(frozen=True, eq=False)
class Curve:
    """The sizes of one component's groups, smallest first: all that thresholds need."""

    component: str
    population: str
    sizes: Int64

    @cached_property
    def _sums(self) -> Int64:
        return np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)])

    def below(self, threshold: int) -> int:
        """How many groups have fewer people than this?"""
        return int(np.searchsorted(self.sizes, threshold, side="left"))

    def share(self, threshold: int) -> float:
        """Which share of the groups has fewer?"""
        return self.below(threshold) / max(len(self.sizes), 1)

    def people_below(self, threshold: int) -> int:
        """How many people are in those groups? That is the size of the group they would make together."""
        return int(self._sums[self.below(threshold)])

    def points(self) -> tuple[list[int], list[float]]:
        """The whole curve: just above each size the share of groups below jumps to the value given with it.

        >>> Curve("area", "people", np.array([3, 3, 8])).points()
        ([4, 9], [0.6666666666666666, 1.0])
        """
        sizes, counts = np.unique(self.sizes, return_counts=True)
        return (sizes + 1).tolist(), (np.cumsum(counts) / max(len(self.sizes), 1)).tolist()

    @property
    def steep(self) -> tuple[int, int]:
        """Where the curve rises: left of the first threshold less than 10% of the groups are below, right of the
        second more than 90%. Between them it depends on which groups are small.
        """
        last = len(self.sizes) - 1
        low, high = (int(self.sizes[min(int(share * len(self.sizes)), last)]) for share in STEEP)
        return low, high


@dataclass(frozen=True)
class ComponentLine:
    """One component, population and threshold: how many groups are below it, and what they make together."""

    component: str
    population: str
    threshold: int
    groups: int
    below: int
    percent_below: float
    people_below: int
    at_or_above: int
    smallest: int
    steep: tuple[int, int]


@dataclass(frozen=True)
class Small:
    """A group below the threshold. `clipped`: the file may hold only a part of it."""

    code: str
    people: int
    clipped: bool


@dataclass(frozen=True, eq=False)
class Analysis:
    """The answer for a file: a line for every component and population, and the finest component that does."""

    places: Places
    threshold: int
    tolerance: float
    curves: tuple[Curve, ...]

    @cached_property
    def lines(self) -> tuple[ComponentLine, ...]:
        """The table: components by populations."""
        return tuple(line(curve, self.threshold) for curve in self.curves)

    def finest(self, population: str) -> str | None:
        """The finest component of which at most `tolerance` of the groups are below the threshold."""
        return next((one.component for one in self.lines if one.population == population and self.does(one)), None)

    def does(self, line: ComponentLine) -> bool:
        """Whether at most `tolerance` of a component's groups are below the threshold."""
        return line.below <= self.tolerance * line.groups

    def small(self, component: str, population: str) -> tuple[Small, ...]:
        """The groups below the threshold, the smallest first."""
        return small_groups(self.places, component, population, self.threshold)

    def to_dict(self) -> dict[str, object]:
        """Everything that is shown, for JSON. No value of a record is in it."""
        places = self.places
        return {
            "source": places.source,
            "finest_component": places.finest,
            "records": int(places.records.sum()),
            "counted": {name: places.counted(name) for name in places.populations},
            "invalid": dict(places.invalid),
            "people_left_out": dict(places.left_out),
            "repairable": places.repairable,
            "repaired": places.repaired,
            "threshold": self.threshold,
            "tolerance": self.tolerance,
            "lines": [asdict(one) for one in self.lines],
            "finest": {name: self.finest(name) for name in places.populations},
            "clipped": {name: list(places.clipped(name)) for name in {c.component: None for c in self.curves}},
        }


def analyse_places(
    places: Places, threshold: int, *, components: Sequence[str] | None = None, tolerance: float = 0.05
) -> Analysis:
    """Measure every component (or some) and every population of a file against a threshold.

    A group of exactly the threshold is large enough. `tolerance` is the share of groups that may be below it; they are
    to be merged (`postcodes/merge.py`).
    """
    if threshold < 1:
        raise InputError("D173", "the threshold must be 1 or more.")
    if not 0 <= tolerance < 1:
        raise InputError("D174", "the tolerance must be a share from 0 to below 1.", "0.05 lets 5% of groups be small.")
    curves = [
        Curve(component, name, np.sort(groups.sizes[name]))
        for component in components or places.components
        for groups in [places.at(component)]
        for name in places.populations
    ]
    return Analysis(places, threshold, tolerance, tuple(curves))


def line(curve: Curve, threshold: int) -> ComponentLine:
    """One curve at one threshold."""
    groups, below = len(curve.sizes), curve.below(threshold)
    return ComponentLine(
        curve.component, curve.population, threshold, groups, below, 100 * curve.share(threshold),
        curve.people_below(threshold), groups - below, int(curve.sizes[0]), curve.steep,
    )  # fmt: skip


def small_groups(places: Places, component: str, population: str, threshold: int) -> tuple[Small, ...]:
    """The groups below a threshold, the smallest first."""
    groups: Groups = places.at(component)
    clipped = set(places.clipped(component))
    pairs = sorted((int(n), code) for code, n in zip(groups.codes, groups.sizes[population], strict=True))
    return tuple(Small(code, people, code in clipped) for people, code in pairs if people < threshold)
