"""Which records of the original fit each released record, by all columns that both files have?

Columns whose value tells the label sort the records of both files into blocks; only within a block are the other
columns (blanked cells, labels of several levels) compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from incrowd.attack.foreign.labels import Column
from incrowd.attack.situation import Int64
from incrowd.keys.packing import group, pack

#: So many pairs of combinations are compared at once, at most in all, and so many may fit.
AT_ONCE, MOST_COMPARED, MOST_FITTING = 5_000_000, 2_000_000_000, 20_000_000


@dataclass(frozen=True)
class Fitting:
    """Released records in classes, the records of the original in combinations, and which of these fit each other."""

    class_of: Int64  # for each released record
    combination_of: Int64  # for each record of the original
    pairs: tuple[Int64, Int64]  # a class and a combination that fit, in the order of the classes

    @cached_property
    def records(self) -> Int64:
        """How many released records each class has."""
        return np.bincount(self.class_of).astype(np.int64)

    @cached_property
    def people(self) -> Int64:
        """How many records of the original each combination has."""
        return np.bincount(self.combination_of).astype(np.int64)

    @cached_property
    def degrees(self) -> tuple[Int64, Int64]:
        """With how many combinations each class goes, and with how many classes each combination."""
        classes, combinations = self.pairs
        return (
            np.bincount(classes, minlength=len(self.records)).astype(np.int64),
            np.bincount(combinations, minlength=len(self.people)).astype(np.int64),
        )

    @cached_property
    def flow(self) -> Int64:
        """For each pair, how many records of the class are the combination's: one way to place as many as possible."""
        classes, combinations = self.pairs
        most = np.minimum(self.records[classes], self.people[combinations])
        alone = (self.degrees[0][classes] == 1) & (self.degrees[1][combinations] == 1)
        found = np.where(alone, most, 0)
        rest = np.flatnonzero(~alone)
        if len(rest):
            found[rest] = _flow(classes[rest], combinations[rest], self.records, self.people)
        return found

    @property
    def lacking(self) -> int:
        """Released records that no record of the original is left for."""
        return int(len(self.class_of) - self.flow.sum())

    @property
    def candidates(self) -> Int64:
        """For each released record, how many records of the original fit it."""
        classes, combinations = self.pairs
        return np.bincount(classes, self.people[combinations], len(self.records)).astype(np.int64)[self.class_of]

    @property
    def fitting(self) -> Int64:
        """For each record of the original, how many released records fit it."""
        classes, combinations = self.pairs
        counts = np.bincount(combinations, self.records[classes], len(self.people)).astype(np.int64)
        return counts[self.combination_of]


def fitting_of(columns: Sequence[Column], released: Sequence[Int64] | None = None) -> Fitting | None:
    """What fits by these columns; None where too much would have to be compared. `released` are other labels for the
    released records, column by column.
    """
    mine = [column.released for column in columns] if released is None else released
    strict = [i for i, column in enumerate(columns) if column.strict]
    loose = [i for i in range(len(columns)) if i not in strict]
    number = len(mine[0])
    both, spans = [], []
    for i in strict:
        column = columns[i]
        own = column.reading.label_of(len(column.values))[column.original]
        both.append(np.concatenate([mine[i], np.where(own < 0, len(column.labels), own)]))
        spans.append(len(column.labels) + 1)
    blocks = group(pack(both, spans))[1] if strict else np.zeros(number + len(columns[0].original), np.int64)
    here, there = blocks[:number], blocks[number:]
    size = int(blocks.max(initial=0)) + 1
    first, class_of = group(pack([here, *(mine[i] for i in loose)], [size, *(len(columns[i].labels) for i in loose)]))
    begun, combination_of = group(
        pack([there, *(columns[i].original for i in loose)], [size, *(len(columns[i].values) for i in loose)])
    )
    told = [(columns[i], mine[i][first], columns[i].original[begun]) for i in loose]
    pairs = _pairs(here[first], there[begun], size, told)
    return None if pairs is None else Fitting(class_of, combination_of, pairs)


def _pairs(
    classes: Int64, combinations: Int64, blocks: int, loose: Sequence[tuple[Column, Int64, Int64]]
) -> tuple[Int64, Int64] | None:
    """The pairs within each block that agree in the loose columns."""
    order = np.argsort(combinations, kind="stable")
    ends = np.cumsum(np.bincount(combinations, minlength=blocks))
    starts = np.r_[0, ends[:-1]]
    many = (ends - starts)[classes]
    if many.sum() > MOST_COMPARED:
        return None
    found: list[tuple[Int64, Int64]] = []
    fitting = 0
    for low, high in _chunks(many):
        size = many[low:high]
        one = np.repeat(np.arange(low, high), size)
        within = np.arange(len(one)) - np.repeat(np.cumsum(size) - size, size)
        other = order[np.repeat(starts[classes[low:high]], size) + within]
        for column, label, value in loose:
            kept = column.agrees(label[one], value[other])
            one, other = one[kept], other[kept]
        found.append((one, other))
        fitting += len(one)
        if fitting > MOST_FITTING:
            return None
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([one for one, _ in found]), np.concatenate([other for _, other in found])


def _chunks(many: Int64) -> Iterator[tuple[int, int]]:
    """Runs of classes with about so many pairs each."""
    total = np.cumsum(many)
    low = 0
    while low < len(many):
        base = total[low - 1] if low else 0
        high = max(int(np.searchsorted(total, base + AT_ONCE, side="right")), low + 1)
        yield low, high
        low = high


def _flow(classes: Int64, combinations: Int64, records: Int64, people: Int64) -> Int64:
    """As many records as possible placed, each where it fits: a largest flow from the classes to the combinations."""
    from scipy.sparse.csgraph import maximum_flow

    ours, mine = np.unique(classes, return_inverse=True)
    theirs, their = np.unique(combinations, return_inverse=True)
    number = len(ours) + len(theirs) + 2
    rows = np.concatenate([np.zeros(len(ours), np.int64), 1 + mine, 1 + len(ours) + np.arange(len(theirs))])
    columns = np.concatenate([1 + np.arange(len(ours)), 1 + len(ours) + their, np.full(len(theirs), number - 1)])
    most = np.minimum(records[classes], people[combinations])
    room = np.concatenate([records[ours], most, people[theirs]]).astype(np.int32)
    graph = csr_array((room, (rows, columns)), shape=(number, number))
    done = maximum_flow(graph, 0, number - 1).flow
    found: Int64 = np.asarray(done[1 + mine, 1 + len(ours) + their]).ravel().astype(np.int64)
    return np.maximum(found, 0)
