"""How far a released number or date lies from what is known, in levels: equal, near, further, else.

After noise, rounding or averaging hardly anybody's number is what it was. Whoever knows how far numbers were usually
moved weighs how near a record comes, instead of asking whether it is equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.matching.spans import are_numbers, middle
from incrowd.attack.matching.targets import Field
from incrowd.attack.situation import Auxiliary, Situation, coded

Floats = NDArray[np.float64]

#: So many of the true pairs lie within each level; what is farther than the last level is as good as different.
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
#: Pairs of strangers that tell how often each level is reached by chance.
STRANGERS = 200_000
SMOOTH = 0.5  # pairs that every level is given, so that none is impossible


@dataclass(frozen=True)
class Levels:
    """The levels of one key, with how often true pairs (m) and strangers (u) are in each: equal, near, ..., else."""

    points: Floats  # the number behind each code of the key; NaN where there is none
    ends: tuple[float, ...]  # the largest distance of each level, equal left out
    m: tuple[float, ...]
    u: tuple[float, ...]

    @property
    def farthest(self) -> float:
        """What is farther counts as different."""
        return self.ends[-1]


def levels_of(situation: Situation, auxiliary: Auxiliary, field: Field, key: int) -> Levels | None:
    """The levels of a key, by how far its numbers or dates lie from what is known of their own people; None where it
    has other labels, where labels stand for several values, or where nothing was moved.
    """
    name = situation.scenario.keys[key]
    if name in situation.loose:
        return None
    tables = [table for table in (situation.released, situation.known, auxiliary.register) if table is not None]
    points = points_of(coded(tables, name)[1].to_pylist())
    if points is None:
        return None
    label, known = field.labels[key], field.targets.known[key]
    target, record = field.pairs
    own = np.abs(points[label[record]] - points[known[target]])
    own = own[~np.isnan(own)]
    moved = own[own > 0]
    if not len(moved):
        return None
    ends = np.unique(np.quantile(moved, SHARES) * (1 + 1e-9))
    chance = np.random.default_rng(0)
    strangers = np.abs(points[chance.choice(label, STRANGERS)] - points[chance.choice(known, STRANGERS)])
    m, u = (_shares(each[~np.isnan(each)], ends) for each in (own, strangers))
    return Levels(points, tuple(ends.tolist()), m, u)


def _shares(distance: Floats, ends: Floats) -> tuple[float, ...]:
    """The share of the distances in each level."""
    level = np.where(distance == 0, 0, 1 + np.searchsorted(ends, distance))
    counts = np.bincount(level, minlength=len(ends) + 2) + SMOOTH
    return tuple((counts / counts.sum()).tolist())


def points_of(labels: Sequence[str | None]) -> Floats | None:
    """The number behind each label: of ranges the middle, of dates the day; None where some are neither.

    >>> points_of(["2001-03-01", "2001-02-28", None]).tolist()
    [730545.0, 730544.0, nan]
    """
    if are_numbers(labels):
        return np.array([middle(label) for label in labels])
    days = [_day(label) for label in labels]
    if not any(day is not None for day in days) or any(
        day is None and label is not None for day, label in zip(days, labels, strict=True)
    ):
        return None
    return np.array([np.nan if day is None else day for day in days], float)


def _day(label: str | None) -> int | None:
    """The day of a date, or the first of a month: 2001-02-28, 2001-02."""
    text = "" if label is None else label.strip()
    try:
        return date.fromisoformat(text if len(text) != 7 else f"{text}-01").toordinal()
    except ValueError:
        return None
