"""All tables of up to four keys, from one KeyTable: each is the sum of a table with one key more.

A table whose cells fit into memory is an array with one axis for each key, and leaving a key out is a sum over its
axis; one that does not is a list of the cells that occur. The rows are never counted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numba
import numpy as np
from numpy.typing import NDArray

from incrowd.keys.packing import group, pack
from incrowd.keys.table import Int32, Int64, KeyTable

Floats = NDArray[np.float64]
#: So many cells, whatever the number of classes, are always kept as an array; and never more than the second.
ALWAYS_DENSE, NEVER_DENSE = 1 << 16, 1 << 25


@dataclass(frozen=True)
class CellCounts:
    """The cells of one table: how many occur, hold one, two or fewer than k people, and how many people those are.

    `matched` counts cells with one person of the file who is also alone in the population.
    """

    cells: int
    uniques: int
    pairs: int
    below: int
    people_below: int
    population_cells: int
    population_uniques: int
    population_pairs: int
    population_below: int
    matched: int


@dataclass(frozen=True, eq=False)
class _Part:
    """A table while it is rolled up: dense (codes is None, one axis a key) or sparse (the cells that occur)."""

    at: tuple[int, ...]
    file: Floats
    people: Floats | None
    codes: Int32 | None


def count_tables(table: KeyTable, most: int = 4, k: int = 3) -> Iterator[tuple[tuple[str, ...], CellCounts]]:
    """Every table of 1 to `most` keys, with the counts of its cells. Those of one key come last.

    Counts are sums of whole numbers in 64-bit floats: exact up to 2^53 people.
    """
    spans = [len(domain) for domain in table.domains]
    most = min(most, len(spans))
    if table.pairs is not None:  # people do not add up across cells: each table counts them anew
        for size in range(most, 0, -1):
            for at in combinations(range(len(spans)), size):
                smaller = table.project([table.names[i] for i in at])[0]
                people = None if smaller.population is None else smaller.population.astype(np.float64)
                yield smaller.names, _counted(smaller.sizes.astype(np.float64), people, k)
        return
    children = _tree(spans, most)
    whole = _Part(
        tuple(range(len(spans))),
        table.records.astype(np.float64),
        None if table.population is None else table.population.astype(np.float64),
        table.codes,
    )
    waiting = [(at, whole) for at in combinations(range(len(spans)), most)]
    while waiting:
        at, parent = waiting.pop()
        part = _project(parent, at, spans)
        yield tuple(table.names[i] for i in at), _counted(part.file.ravel(), _flat(part.people), k)
        waiting.extend((child, part) for child in children.get(at, ()))


def _tree(spans: list[int], most: int) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    """Which table each smaller table is summed from: the one with the key added that has the fewest values."""
    children: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for size in range(1, most):
        for at in combinations(range(len(spans)), size):
            extra = min((i for i in range(len(spans)) if i not in at), key=lambda i: (spans[i], i))
            children.setdefault(tuple(sorted((*at, extra))), []).append(at)
    return children


def _project(parent: _Part, at: tuple[int, ...], spans: list[int]) -> _Part:
    gone = tuple(axis for axis, i in enumerate(parent.at) if i not in at)
    if parent.codes is None:
        people = None if parent.people is None else parent.people.sum(axis=gone)
        return _Part(at, parent.file.sum(axis=gone), people, None)
    codes = parent.codes[[parent.at.index(i) for i in at]]
    shape = [max(spans[i], 1) for i in at]
    cells = int(np.prod([float(span) for span in shape]))
    packed = pack(list(codes), shape)
    if cells <= min(max(ALWAYS_DENSE, 8 * len(packed)), NEVER_DENSE):
        people = None if parent.people is None else _summed(packed, parent.people, cells).reshape(shape)
        return _Part(at, _summed(packed, parent.file, cells).reshape(shape), people, None)
    first, to = group(packed)
    people = None if parent.people is None else _summed(to, parent.people, len(first))
    return _Part(at, _summed(to, parent.file, len(first)), people, np.ascontiguousarray(codes[:, first]))


def _summed(cells: Int64, amounts: Floats, number: int) -> Floats:
    return np.bincount(cells, weights=amounts, minlength=number).astype(np.float64, copy=False)


def _flat(cells: Floats | None) -> Floats | None:
    return None if cells is None else cells.ravel()


def _counted(file: Floats, people: Floats | None, k: int) -> CellCounts:
    return CellCounts(*(int(n) for n in _count_cells(file, file[:0] if people is None else people, k)))


@numba.njit(cache=True)
def _count_cells(file: Floats, people: Floats, k: int) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    cells = uniques = pairs = below = people_below = 0
    there = there_uniques = there_pairs = there_below = matched = 0
    for i in range(len(file)):
        f = file[i]
        if f > 0:
            cells += 1
            uniques += f == 1
            pairs += f == 2
            if f < k:
                below += 1
                people_below += int(f)
    for i in range(len(people)):
        g = people[i]
        if g > 0:
            there += 1
            there_uniques += g == 1
            there_pairs += g == 2
            there_below += g < k
        # Where the population lacks a class of the file it cannot have more people than the file.
        matched += g <= 1 and file[i] == 1
    return cells, uniques, pairs, below, people_below, there, there_uniques, there_pairs, there_below, matched
