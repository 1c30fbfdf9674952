"""What several requirements on one sensitive variable share: per-class figures, each computed once and kept."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.requirements import kernels
from incrowd.keys.requirements.ground import Order, Tree
from incrowd.keys.requirements.kernels import Float64
from incrowd.keys.requirements.reference import Reference
from incrowd.keys.table import Histogram, Int32, Int64, KeyTable


class Figures:
    """The classes of one histogram in figures; each is computed at its first use and kept with the histogram."""

    def __init__(self, histogram: Histogram, classes: int) -> None:
        owner, values, people = histogram.cells()
        self.domain = histogram.domain
        self.values, self.people = values, people
        self.starts: Int64 = kernels.offsets(owner, classes)
        # The rows themselves, not the histogram: a value that held its own key would never be let go.
        self._rows = (histogram.values, histogram.people, histogram.units)
        self._against: WeakKeyDictionary[Reference, Comparison] = WeakKeyDictionary()
        self._tails: dict[int, Int64] = {}

    @cached_property
    def distinct(self) -> Int64:
        """Different values in each class."""
        return np.diff(self.starts)

    @cached_property
    def _sums(self) -> tuple[Int64, Int64]:
        pair: tuple[Int64, Int64] = kernels.totals_and_largest(self.starts, self.people)
        return pair

    @property
    def total(self) -> Int64:
        """People in all cells of each class."""
        return self._sums[0]

    @property
    def largest(self) -> Int64:
        """People with the most frequent value of each class: r1."""
        return self._sums[1]

    @cached_property
    def entropy(self) -> Float64:
        """H(q) of each class, natural logarithm."""
        result: Float64 = kernels.entropies(self.starts, self.people)
        return result

    def tail(self, l: int) -> Int64:  # noqa: E741 - the literature's name
        """r_l + ... + r_m of each class, the counts in falling order."""
        if l not in self._tails:
            self._tails[l] = kernels.tails(self.starts, self.people, l)
        return self._tails[l]

    def having(self, value: str | None) -> Int64:
        """People with one value, for each class."""
        values = self.domain.values
        code = values.index(value) if value in values else -1
        result: Int64 = kernels.cells_of(self.starts, self.values, self.people, code)
        return result

    @cached_property
    def own(self) -> Reference:
        """The distribution in this table itself."""
        return Reference.of(self.domain, *self._rows)

    def against(self, reference: Reference | None) -> Comparison:
        """The classes compared with a distribution; None stands for the table's own."""
        reference = reference or self.own
        found = self._against.get(reference)
        if found is None:
            found = self._against[reference] = Comparison(self, reference)
        return found


class Comparison:
    """The classes of one histogram compared with one reference."""

    def __init__(self, figures: Figures, reference: Reference) -> None:
        self.m = len(reference.values)
        self._starts, self._people, self._total = figures.starts, figures.people, figures.total
        self._counts, self._p = reference.counts, reference.p
        self._places = reference.place_cells(figures.domain, figures.values)
        self._distances: dict[Order | Tree, Float64] = {}

    @cached_property
    def _ratios(self) -> tuple[Float64, Float64, Float64, NDArray[np.bool_]]:
        result: tuple[Any, Any, Any, Any] = kernels.against_whole(
            self._starts, self._people, self._places, self._total, self._p
        )
        return result

    @property
    def most(self) -> Float64:
        """The largest q/p of each class."""
        return self._ratios[0]

    @property
    def least(self) -> Float64:
        """The smallest q/p of each class among the values it has."""
        return self._ratios[1]

    @property
    def equal_distance(self) -> Float64:
        """1/2 sum |p - q|."""
        return self._ratios[2]

    @property
    def beyond_cap(self) -> NDArray[np.bool_]:
        """Where some (q - p)/p is above -ln p."""
        return self._ratios[3]

    def above(self, caps: Float64) -> Float64:
        """What the values of each class have beyond these shares, all together."""
        result: Float64 = kernels.above(self._starts, self._people, self._places, self._total, caps)
        return result

    @property
    def p(self) -> Float64:
        """The shares of the reference."""
        return self._p

    def _sorted(self, rank: Int32) -> tuple[Int32, Int64]:
        if bool((np.diff(rank) == 1).all()):
            return self._places, self._people
        pair: tuple[Int32, Int64] = kernels.sort_cells(self._starts, self._places, self._people, rank)
        return pair

    def distance(self, ground: Order | Tree) -> Float64:
        """How far each class is from the reference, the values standing in an order or a tree."""
        if ground not in self._distances:
            ranks, people = self._sorted(ground.rank)
            if isinstance(ground, Order):
                counts = self._counts[np.argsort(ground.rank)]
                found = kernels.ordered_distances(self._starts, ranks, people, self._total, counts)
            else:
                shares = ground.shares(self._p)
                found = kernels.tree_distances(self._starts, ranks, people, self._total, ground.parents, shares)
            self._distances[ground] = found
        return self._distances[ground]


_kept: WeakKeyDictionary[Histogram, Figures] = WeakKeyDictionary()


def figures_of(table: KeyTable, name: str) -> Figures:
    """The figures of a sensitive variable in a table."""
    histogram = histogram_of(table, name)
    found = _kept.get(histogram)
    if found is None:
        found = _kept[histogram] = Figures(histogram, len(table.records))
    return found


def histogram_of(table: KeyTable, name: str) -> Histogram:
    """The histogram of a sensitive variable, which whoever tabulated must have asked for."""
    if name not in table.histograms:
        raise InputError("D040", f"the table was counted without {name!r}.", "Name it when the rows are counted.")
    return table.histograms[name]
