"""People by place: how many live in each postcode area, district, sub-district and sector of a file?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.postcodes import COMPONENTS, NATIONS, Component, Reason, coarsen, component_of
from incrowd.rows import Rows, Source, open_source
from incrowd.rows.postcodes import PERSONS, Sums, sum_codes, sum_postcodes, sum_zip3

Int64 = NDArray[np.int64]
#: The population of a file without a column of counts: a line is a person.
RECORDS = "records"
ZIP3 = "zip3"
#: Words that say that a column counts people, and words that may stand beside them.
PEOPLE = {"people", "persons", "population", "pop", "residents", "inhabitants", "headcount"}
BESIDE = {"total", "all", "usual", "resident", "number", "num", "no", "n", "of", "count", "counts", "in", "the", "area"}


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of one component: their codes in order, and the people in each, by population."""

    component: str
    codes: tuple[str, ...]
    sizes: Mapping[str, Int64]

    def size(self, populations: Sequence[str]) -> Int64:
        """The smallest of some populations in each group: what a threshold must hold for."""
        smallest: Int64 = np.min([self.sizes[name] for name in populations], axis=0)
        return smallest


@dataclass(frozen=True, eq=False)
class Places:
    """The people of a file by its finest component, and what could not be placed.

    `invalid` counts records by the reason why their text is no postcode; the people in them are in no group.
    `explained` says what the figures of a population are, where that is known and not to be guessed by its name.
    """

    source: str
    finest: str
    codes: tuple[str, ...]
    sizes: Mapping[str, Int64]
    records: Int64
    per_postcode: bool
    invalid: Mapping[Reason, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    repairable: int = 0
    repaired: int = 0
    explained: Mapping[str, str] = field(default_factory=dict)

    @property
    def populations(self) -> tuple[str, ...]:
        """The names of the populations."""
        return tuple(self.sizes)

    @property
    def components(self) -> tuple[str, ...]:
        """The components that can be asked for, the finest first."""
        if self.finest not in COMPONENTS:
            return (self.finest,)
        return tuple(reversed(COMPONENTS[: COMPONENTS.index(self.finest) + 1]))

    def plain(self, population: str) -> bool:
        """Whether rows are counted, or a column that is known to count people or says so by its name."""
        return population in self.explained or self.sizes[population] is self.records or says_people(population)

    def counted(self, population: str) -> str:
        """What the figures of a population are, in words: whoever reads them must know what was taken for people."""
        if population in self.explained:
            return self.explained[population]
        if self.sizes[population] is self.records:
            return "Each row of the file is taken for one person."
        if self.plain(population):
            return f"The people of a row are the number in its column {population!r}."
        return (
            f"The sum of the column {population!r} is taken for people, and its name does not say that it counts any: "
            "make sure that it is no age, amount or number of an account."
        )

    def at(self, component: str) -> Groups:
        """The groups of a component: sums over the finer ones, so that people add up at every level."""
        if component not in self.components:
            raise InputError(
                "D171",
                f"{self.source} has no {component}s: it goes down to {self.finest}s.",
                f"It has {', '.join(self.components)}.",
            )
        if component == self.finest:
            return Groups(component, self.codes, self.sizes)
        parents = [coarsen(code, self.finest, component) for code in self.codes]  # type: ignore[arg-type]
        codes, place = np.unique(np.array(parents), return_inverse=True)
        sizes = {}
        for name, values in self.sizes.items():
            summed = np.zeros(len(codes), np.int64)
            np.add.at(summed, place, values)
            sizes[name] = summed
        return Groups(component, tuple(codes.tolist()), sizes)

    def clipped(self, component: str) -> tuple[str, ...]:
        """Groups that the border of the file may cut: in areas that reach into a nation the file leaves out.

        A nation is covered when an area that lies wholly in it is there. Such groups are small because the data stop,
        not because few people live there. It misleads where a file stops inside a nation: that it cannot see.
        """
        if self.finest not in COMPONENTS:
            return ()
        codes = self.at(component).codes
        area = {code: coarsen(code, component, "area") for code in codes}  # type: ignore[arg-type]
        covered = self.covered
        return tuple(code for code in codes if any(nation not in covered for nation in NATIONS.get(area[code], "")))

    @property
    def covered(self) -> frozenset[str]:
        """The nations of which the file has an area that lies wholly in it."""
        if self.finest not in COMPONENTS:
            return frozenset()
        reach = {NATIONS.get(coarsen(code, self.finest, "area"), "") for code in self.codes}
        return frozenset(nations for nations in reach if len(nations) == 1)


def count_places(
    source: Source,
    postcode: str,
    populations: Sequence[str] = (),
    *,
    finest: Component = "sector",
    repair: bool = False,
    zip_codes: bool = False,
    unit: str | None = None,
) -> Places:
    """How many people are in each place of a file?

    `postcode` is a column of postcodes, or of codes of one component in a file that is aggregated already. Without
    `populations` each record is one person. Values that are no postcode are counted by reason and left out; swapped
    O and 0, I and 1 are mended only with `repair`. `zip_codes`: the column holds ZIP codes of the United States.
    `unit` tells people apart where they have several records: each is counted once, where most of their records are.
    """
    if unit is not None and populations:
        message = "people are told apart, or a column says how many people a row stands for: not both."
        raise InputError("D189", message, "Leave out the columns of counts, or the column that tells people apart.")
    rows = open_source(source)
    if zip_codes:
        return _places(rows, sum_zip3(rows, postcode, populations, unit), ZIP3, True, unit)
    sums = sum_postcodes(rows, postcode, populations, finest, repair, unit)
    if sums.codes:
        return _places(rows, sums, finest, True, unit)
    sums = sum_codes(rows, postcode, populations, unit)
    component = component_of(list(sums.codes))
    if component is None:
        raise InputError(
            "D172",
            f"the values of {postcode!r} in {rows.place} are neither postcodes nor codes of one component.",
            "A sector is written with a space (AL1 1), a district without (AL1).",
        )
    return _places(rows, sums, component, False, unit)


def says_people(name: str) -> bool:
    """Does a column's name say that it holds a number of people?

    >>> [says_people(name) for name in ("People", "usual_residents", "age", "people_in_household", "total")]
    [True, True, False, False, False]
    """
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    return bool(words & PEOPLE) and words <= PEOPLE | BESIDE


def _places(rows: Rows, sums: Sums, finest: str, per_postcode: bool, unit: str | None) -> Places:
    return Places(
        rows.place, finest, sums.codes, sums.populations or {RECORDS: sums.records}, sums.records, per_postcode,
        sums.invalid, sums.left_out or {RECORDS: sum(sums.invalid.values())}, sums.repairable, sums.repaired,
        {} if unit is None else {PERSONS: _told_apart(unit, sums.several)},
    )  # fmt: skip


def _told_apart(unit: str, several: int) -> str:
    """What the figures are where the records of a person are known to be theirs."""
    told = f"People are told apart by the column {unit!r}, and each is counted once"
    if not several:
        return f"{told}."
    have = "person has" if several == 1 else "people have"
    return f"{told}, where most of their rows are: {several:,} {have} rows in several places."
