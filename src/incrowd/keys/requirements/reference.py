"""The reference: how a sensitive variable is spread in the whole file, the p of t-closeness and its relatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.requirements.ground import Order, Tree, declared_order, numeric_order, text_order, tree_of
from incrowd.keys.requirements.kernels import Float64
from incrowd.keys.table import Domain, Int32, Int64


@dataclass(frozen=True, eq=False)
class Reference:
    """Which values does a sensitive variable take in the file before anything is suppressed, and how often?

    Only values that somebody has are in it, so every p is above 0. Values are matched by their text: the reference
    of the original file can be held against a release that was read again, where some values are gone and the
    others have other codes.
    """

    name: str
    values: tuple[str | None, ...]
    counts: Int64
    _places: WeakKeyDictionary[Domain, Int32] = field(default_factory=WeakKeyDictionary, repr=False)
    _grounds: dict[object, Order | Tree] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(domain: Domain, values: Int32, people: Int64, units: Int64 | None) -> Reference:
        """The distribution in all rows of a histogram; a person with several records counts once for each value."""
        if units is not None:
            reach = int(units.max(initial=0)) + 1
            first, _ = group(pack([values, units], [len(domain), reach]))
            values, people = values[first], np.ones(len(first), np.int64)
        counts = add_up(values.astype(np.int64), people, len(domain))
        texts = [value for value, number in zip(domain.values, counts.tolist(), strict=True) if number]
        return Reference(domain.name, tuple(texts), counts[counts > 0])

    @staticmethod
    def from_counts(name: str, counts: Sequence[tuple[str | None, int]]) -> Reference:
        """A reference that was written down before: pairs of a value and its people."""
        kept = [(value, number) for value, number in counts if number]
        return Reference(name, tuple(v for v, _ in kept), np.array([n for _, n in kept], np.int64))

    @property
    def p(self) -> Float64:
        """The shares."""
        return self.counts / max(int(self.counts.sum()), 1)

    def order(self, kind: str, declared: tuple[str, ...] | None) -> Order:
        """The values in a row: by number, by text, or as declared."""
        found = self._grounds.get((kind, declared))
        if not isinstance(found, Order):
            if declared is not None:
                found = declared_order(self.values, declared, self.name)
            else:
                found = text_order(self.values) if kind == "ordered-text" else numeric_order(self.values, self.name)
            self._grounds[kind, declared] = found
        return found

    def tree(self, hierarchy: Hierarchy) -> Tree:
        """The values as leaves of a hierarchy."""
        found = self._grounds.get(hierarchy)
        if not isinstance(found, Tree):
            found = self._grounds[hierarchy] = tree_of(self.values, hierarchy, self.name)
        return found

    def places(self, domain: Domain) -> Int32:
        """For each code of the domain its place in this reference; -1 for a value nobody had."""
        found = self._places.get(domain)
        if found is None:
            if self.values == domain.values:
                found = np.arange(len(domain), dtype=np.int32)
            else:
                at = {value: place for place, value in enumerate(self.values)}
                found = np.array([at.get(value, -1) for value in domain.values], np.int32)
            self._places[domain] = found
        return found

    def place_cells(self, domain: Domain, values: Int32) -> Int32:
        """The place of each cell's value; a value the reference does not know is a fault."""
        places: Int32 = self.places(domain)[values]
        unknown = int(np.count_nonzero(np.bincount(values[places < 0]))) if len(places) else 0
        if unknown:
            raise InputError(
                "D041",
                f"{unknown} values of {self.name!r} are not in the distribution it is compared with.",
                "Was it recoded since? Take the distribution from the file after that step.",
            )
        return places
