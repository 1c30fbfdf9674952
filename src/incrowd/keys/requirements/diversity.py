"""Requirements on how diverse a sensitive variable is inside a class: distinct, entropy and recursive l-diversity.

Where people have several records, a person with two values counts for both: diversity counts them once in each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.keys.requirements.base import MOST, Numbers, Requirement, within
from incrowd.keys.requirements.conditions import ClassTest
from incrowd.keys.requirements.convex import Convex
from incrowd.keys.requirements.form import Form
from incrowd.keys.requirements.kernels import TOLERANCE
from incrowd.keys.table import KeyTable, Mask


@dataclass(frozen=True)
class DistinctL(Requirement):
    """Distinct l-diversity: does every class show at least l different sensitive values?

    Misleads where one value is far more likely than the others. Missing counts as one value.
    Reference: Machanavajjhala et al. 2007. A class flu, flu, flu, cold has 2.
    """

    sensitive: str
    l: int  # noqa: E741 - the literature's name
    model: ClassVar[str] = "distinct_l"
    forms: ClassVar[Mapping[str, Form]] = dict.fromkeys(
        ("distinct_l", "dl"), Form("A:L", lambda f, _: DistinctL(f[0], int(f[1])))
    )
    measured: ClassVar[str] = "different values, in the least diverse class"
    smallest_is_worst: ClassVar[bool] = True
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Homogeneity"

    def __post_init__(self) -> None:
        within(self, "l", 1, MOST)

    @property
    def fewest_people(self) -> int:
        """One for each value."""
        return self.l

    @property
    def survives_growth(self) -> bool:
        """Values only come in."""
        return True

    def measure(self, table: KeyTable) -> Numbers:
        """Different values in each class."""
        return self._figures(table).distinct

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Fewer than l."""
        return figures < self.l

    def class_test(self, keys: tuple[str, ...]) -> ClassTest:
        """Fewer than l."""
        return ClassTest(keys, sensitive=self.sensitive, l=self.l)

    def words(self) -> str:
        """In words."""
        return f"every class has at least {self.l} different values of {self.sensitive}"


@dataclass(frozen=True)
class EntropyL(Requirement):
    """Entropy l-diversity: is a class as uncertain as l equally frequent values? exp(H(q)) >= l, not floored.

    Misleads where values are alike in meaning (three kinds of cancer are three values), and asks too much where one
    harmless value dominates the whole file. Reference: Machanavajjhala et al. 2007. A class 3:1 has 1.7548.
    """

    sensitive: str
    l: float  # noqa: E741 - the literature's name
    model: ClassVar[str] = "entropy_l"
    forms: ClassVar[Mapping[str, Form]] = dict.fromkeys(
        ("entropy_l", "el"), Form("A:L", lambda f, _: EntropyL(f[0], float(f[1])))
    )
    measured: ClassVar[str] = "equally frequent values, in the least diverse class"
    smallest_is_worst: ClassVar[bool] = True
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Homogeneity"

    def __post_init__(self) -> None:
        within(self, "l", 1, MOST)

    @property
    def fewest_people(self) -> int:
        """One for each value."""
        return math.ceil(self.l)

    def measure(self, table: KeyTable) -> Numbers:
        """exp(H) of each class."""
        return np.exp(self._figures(table).entropy)

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """Entropy is concave, and 0 where all have one value."""
        return [Convex(-self._figures(table).entropy, -math.log(self.l * (1 - TOLERANCE)), 0.0)]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Below l."""
        return figures < self.l * (1 - TOLERANCE)

    def words(self) -> str:
        """In words."""
        return f"every class is as diverse in {self.sensitive} as {self.l:g} equally frequent values"


@dataclass(frozen=True)
class RecursiveL(Requirement):
    """Recursive (c,l)-diversity: is the most frequent value not too frequent? r1 < c (r_l + ... + r_m), counts falling.

    An intruder who rules out l - 2 values still cannot be sure. The figure is r1 / (r_l + ... + r_m): the smallest c
    that is just not enough; infinite for a class with fewer than l values. Misleads like entropy l.
    Reference: Machanavajjhala et al. 2007. A class 3:2:1 has 3/1 = 3 for l = 3, so c must be above 3.
    """

    sensitive: str
    c: float
    l: int  # noqa: E741 - the literature's name
    model: ClassVar[str] = "recursive_l"
    forms: ClassVar[Mapping[str, Form]] = dict.fromkeys(
        ("recursive_l", "rl"), Form("A:C:L", lambda f, _: RecursiveL(f[0], float(f[1]), int(f[2])))
    )
    measured: ClassVar[str] = "how many times the most frequent value outweighs the rare ones"
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Homogeneity"

    def __post_init__(self) -> None:
        within(self, "c", 0, open_low=True)
        within(self, "l", 1, MOST)

    @classmethod
    def is_strict(cls, limit: float) -> bool:
        """By definition."""
        return True

    @property
    def fewest_people(self) -> int:
        """One for each value."""
        return self.l

    def measure(self, table: KeyTable) -> Numbers:
        """r1 / (r_l + ... + r_m) of each class."""
        figures = self._figures(table)
        tail = figures.tail(self.l)
        ratio = np.full(len(tail), np.inf)
        np.divide(figures.largest, tail, out=ratio, where=tail > 0)
        return ratio

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """r1 - c (r_l + ... + r_m) as shares: the largest share is convex, and so is the sum of the l - 1 largest."""
        figures, c = self._figures(table), self.c * (1 - TOLERANCE)
        total = np.maximum(figures.total, 1)
        return [Convex((figures.largest - c * figures.tail(self.l)) / total, 0.0, 1.0 if self.l > 1 else 1.0 - c)]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Not below c."""
        return figures >= self.c * (1 - TOLERANCE)

    def words(self) -> str:
        """In words."""
        return f"every class is recursively ({self.c:g},{self.l})-diverse in {self.sensitive}"
