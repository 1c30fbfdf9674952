"""Requirements on how many people share a class: k, weak k, k-map, delta-presence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.requirements.base import MOST, ClassTest, Numbers, Requirement, refuse, within
from incrowd.keys.requirements.form import Form
from incrowd.keys.table import Int64, KeyTable, Mask


@dataclass(frozen=True)
class K(Requirement):
    """k-anonymity: is every person hidden among at least k people with the same keys? min f >= k.

    Misleads where a whole class shares one sensitive value: then the crowd hides nobody's secret.
    Reference: Sweeney 2002. Classes of 5, 2 and 3 people: the file has k = 2, and K(3) fails the second.
    """

    k: int
    model: ClassVar[str] = "k"
    forms: ClassVar[Mapping[str, Form]] = {"k": Form("K", lambda f, _: K(int(f[0])))}
    measured: ClassVar[str] = "people in the smallest class"
    smallest_is_worst: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True

    def __post_init__(self) -> None:
        within(self, "k", 1, MOST)

    @property
    def fewest_people(self) -> int:
        """As many as it asks for."""
        return self.k

    @property
    def survives_growth(self) -> bool:
        """A class only grows when others join it."""
        return True

    def measure(self, table: KeyTable) -> Numbers:
        """People in each class."""
        return table.sizes

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Fewer than k."""
        return figures < self.k

    def class_test(self, keys: tuple[str, ...]) -> ClassTest:
        """Fewer than k."""
        return ClassTest(keys, k=self.k)

    def words(self) -> str:
        """In words."""
        return f"every class has at least {self.k} people"


@dataclass(frozen=True)
class WeakK(K):
    """Weak k-anonymity: does k hold for the keys and the records that matter most? min f >= k over bound classes.

    Own `keys`, own records (`where`), or both: f counts the whole file, and classes without a record of the subset
    are free. Misleads if the subset is read as the file: outside it anybody may be unique. Reference: ONS practice
    for census microdata.
    """

    model: ClassVar[str] = "weak_k"
    forms: ClassVar[Mapping[str, Form]] = {
        "weak_k": Form("K", lambda f, given: WeakK(int(f[0]), keys=given.keys, where=given.where))
    }
    measured: ClassVar[str] = "people in the smallest class by its keys"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keys is None and self.where is None:
            raise refuse("weak_k", "weak k needs its own keys or a condition (where).", "For all of them say k.")

    def on_all_keys(self) -> Requirement:
        """Without a condition that is k itself."""
        return super().on_all_keys() if self.where is not None else K(self.k)


@dataclass(frozen=True)
class KMap(Requirement):
    """k-map: is every person of the file hidden among at least k people of the population? min F >= k where f > 0.

    Misleads where an intruder knows who is in the file: then the crowd is f, not F; and where the population counts
    are estimates. Reference: Sweeney 2001.
    """

    k: int
    model: ClassVar[str] = "k_map"
    forms: ClassVar[Mapping[str, Form]] = {"k_map": Form("K", lambda f, _: KMap(int(f[0])))}
    measured: ClassVar[str] = "people of the population in the smallest class"
    counts_people: ClassVar[bool] = True
    smallest_is_worst: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        within(self, "k", 1, MOST)

    @property
    def survives_growth(self) -> bool:
        """Population counts only grow."""
        return True

    def measure(self, table: KeyTable) -> Numbers:
        """People of the population in each class."""
        return _population(table, self.model)

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Fewer than k."""
        return figures < self.k

    def words(self) -> str:
        """In words."""
        return f"every class of the file has at least {self.k} people in the population"


@dataclass(frozen=True)
class DeltaPresence(Requirement):
    """delta-presence: can nobody tell whether somebody is in the file? dmin <= f/F <= dmax in every population class.

    Classes of the population with nobody in the file count too: f/F = 0 tells for certain who is *not* in it, and
    with dmin > 0 dropping a class's records cannot mend it. A class the population does not know has f/F = infinity.
    Misleads where the population file is not the one the intruder has. Reference: Nergiz, Atzori and Clifton 2007.
    """

    dmin: float
    dmax: float
    model: ClassVar[str] = "delta_presence"
    forms: ClassVar[Mapping[str, Form]] = {
        "delta_presence": Form("DMIN:DMAX", lambda f, _: DeltaPresence(float(f[0]), float(f[1])))
    }
    measured: ClassVar[str] = "share of a class of the population that is in the file, the nearest to its bound"
    two_bounds: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        within(self, "dmin", 0, 1)
        within(self, "dmax", self.dmin, 1)

    def measure(self, table: KeyTable) -> Numbers:
        """f/F of each class."""
        population = _population(table, self.model)
        ratio = np.full(len(population), np.inf)
        np.divide(table.sizes, population, out=ratio, where=population > 0)
        return ratio

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Below dmin or above dmax."""
        return (figures < self.dmin) | (figures > self.dmax)

    def worst(self, figures: Numbers) -> float:
        """The ratio that is furthest beyond its bounds, or nearest to them. Nothing is below a dmin of 0."""
        over, under = figures - self.dmax, self.dmin - figures
        return float(figures[np.argmax(np.maximum(over, under) if self.dmin > 0 else over)])

    def nearest(self, figure: float) -> str:
        """Which of the two bounds that is."""
        below = self.dmin > 0 and self.dmin - figure > figure - self.dmax
        return f"at least {self.dmin:.4g}" if below else f"at most {self.dmax:.4g}"

    def words(self) -> str:
        """In words."""
        return f"in every class between {self.dmin:.4g} and {self.dmax:.4g} of the population are in the file"

    def _concerned(self, table: KeyTable) -> Mask:
        return (table.sizes > 0) | (_population(table, self.model) > 0)


def _population(table: KeyTable, model: str) -> Int64:
    if table.population is None:
        raise InputError("D045", f"{model} needs the counts of a population.", "Name a population file.")
    return table.population
