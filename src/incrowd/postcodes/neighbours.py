"""Which groups lie side by side? From a file of pairs, or from the beginning of codes that they share."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.postcodes import COMPONENTS, Component, coarsen, component_of
from incrowd.rows.dialect import open_text, sniff

Pairs = frozenset[tuple[str, str]]


def read_adjacency(path: Path) -> Pairs:
    """A CSV file with a header whose first two columns are codes that lie side by side."""
    dialect = sniff(path)
    pairs = set()
    with open_text(path, dialect) as file:
        reader = csv.reader(file, delimiter=dialect.delimiter)
        next(reader)
        for row in filter(None, reader):
            if len(row) < 2:
                raise InputError("D175", f"line {reader.line_num} of {path.name} has one field only.", "It needs two.")
            pairs.add((row[0].strip().upper(), row[1].strip().upper()))
    return frozenset(pairs)


class Neighbours:
    """The groups beside a group. Pairs may be of a finer or of a coarser component than the groups are.

    Finer pairs are rolled up: EC1A beside E1 makes EC1 a neighbour of E1. With coarser ones, groups of one code or of
    two codes side by side are neighbours. Without pairs, and for a group that no pair names, those groups are
    neighbours that share most of the code: first the outward code, then the district, then the area.
    """

    def __init__(self, codes: Sequence[str], component: Component, pairs: Pairs | None = None) -> None:
        self._codes = codes
        self._component: Component = component
        self._level: Component = component
        self._beside: dict[str, set[str]] = {}
        if pairs is not None:
            self._level = self._read(pairs)
        self._members = self._by(self._level)
        above = COMPONENTS[: COMPONENTS.index(component)]
        self._shared = [(level, self._by(level)) for level in reversed(above)]
        self.alone = 0 if pairs is None else sum(not self._named(code) for code in codes)

    def rings(self, members: Sequence[str]) -> Iterator[set[str]]:
        """The neighbours of some groups together, nearest first: each set holds groups that are equally near."""
        own = set(members)
        places = {self._up(code, self._level) for code in members if self._named(code)}
        if self._level != self._component:
            yield {other for place in places for other in self._members[place]} - own
        beside = {there for place in places for there in self._beside[place]}
        yield {other for there in beside for other in self._members.get(there, ())} - own
        for level, inside in self._shared:
            yield {other for place in {self._up(code, level) for code in members} for other in inside[place]} - own
        yield set(self._codes) - own

    def _read(self, pairs: Pairs) -> Component:
        level = component_of(sorted({code for pair in pairs for code in pair}))
        if level is None:
            raise InputError(
                "D176",
                "the pairs of neighbours are not codes of one component.",
                "A sector is written with a space (AL1 1), a district without (AL1).",
            )
        common = min(level, self._component, key=COMPONENTS.index)
        for pair in pairs:
            a, b = (coarsen(code, level, common) for code in pair)
            if a != b:
                self._beside.setdefault(a, set()).add(b)
                self._beside.setdefault(b, set()).add(a)
        return common

    def _named(self, code: str) -> bool:
        return self._up(code, self._level) in self._beside

    def _up(self, code: str, level: Component) -> str:
        return coarsen(code, self._component, level)

    def _by(self, level: Component) -> dict[str, list[str]]:
        members: dict[str, list[str]] = {}
        for code in self._codes:
            members.setdefault(self._up(code, level), []).append(code)
        return members
