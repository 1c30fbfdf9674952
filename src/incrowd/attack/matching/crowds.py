"""People in classes, counted in groups of classes: several records of one person count once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from incrowd.attack.matching.predicates import Codes
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]
SPARSE = 4  # up to so many groups for each row, empty ones are cheaper than a sort


def grouped(columns: Sequence[Codes], spans: Sequence[int]) -> tuple[int, Int64]:
    """How many groups of equal rows there are, and each row's. A column alone is grouped already, and so are columns
    with few values: some of the groups may be empty.
    """
    packed, reach = pack(columns, spans), prod(spans)
    if len(columns) == 1 or reach <= SPARSE * len(packed):
        return reach, packed
    first, groups = group(packed)
    return len(first), groups


def number_of(people: Int64) -> int:
    """How many different people are there? Their numbers are small, so that marks are quicker than a sort."""
    there = np.zeros(int(people.max(initial=-1)) + 1, bool)
    there[people] = True
    return int(there.sum())


@dataclass(frozen=True)
class Crowd:
    """People in classes: each pair of a class and a person once."""

    place: Int64
    person: Int64
    once: bool  # nobody is in two classes

    @staticmethod
    def of(place: Int64, person: Int64) -> Crowd:
        """From the class and the person of each record."""
        spans = [int(column.max(initial=0)) + 1 for column in (place, person)]
        first, _ = group(pack([place, person], spans))
        return Crowd(place[first], person[first], number_of(person) == len(first))

    def count(self, groups: Int64, number: int) -> Int64:
        """How many people there are in each group of classes."""
        mine = groups[self.place]
        if not self.once and len(mine):
            mine = mine[group(pack([mine, self.person], [number, int(self.person.max()) + 1]))[0]]
        return np.bincount(mine, minlength=number).astype(np.int64)

    def last(self, groups: Int64, number: int) -> Int64:
        """One person of each group of classes; the only one, where there is one; -1 where there is none."""
        found = np.full(number, -1)
        found[groups[self.place]] = self.person
        return found


def largest_of(counts: csr_array) -> tuple[Int64, NDArray[np.float64], NDArray[np.float64]]:
    """For each row the column with the largest count (the first of several), the count, and the sum; -1 without any."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    order = np.lexsort((counts.indices, -counts.data, rows))
    first = order[np.r_[True, rows[order][1:] != rows[order][:-1]]] if len(order) else order
    value, largest = np.full(counts.shape[0], -1, np.int64), np.zeros(counts.shape[0])
    value[rows[first]], largest[rows[first]] = counts.indices[first], counts.data[first]
    return value, largest, np.asarray(counts.sum(axis=1)).ravel()
