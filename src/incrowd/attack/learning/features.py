"""Keys as numbers, as models take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.knowledge import believed
from incrowd.attack.matching.fitting import ANY
from incrowd.attack.matching.spans import are_numbers, middle
from incrowd.attack.situation import Int64, Situation, coded
from incrowd.keys.packing import group, pack

Floats = NDArray[np.float64]
#: Categories of a key that the model tells apart; rarer ones are as good as missing.
MOST_CATEGORIES = 1_000


@dataclass(frozen=True)
class Lesson:
    """What a model learns from, equal records once; and whom it is asked about."""

    table: Floats  # keys, as numbers
    values: Int64  # the value that goes with each row
    counts: Int64  # how many records each row stands for
    aims: Floats  # the keys of those who are asked about, as believed
    categories: list[int]  # which keys are categories
    seed: int

    @staticmethod
    def of(rows: Floats, row_of: Int64, values: Int64, aims: Floats, categories: list[int], seed: int) -> Lesson:
        """From distinct rows of keys, and for each record which of them it has, and its value."""
        first, to = group(pack([row_of, values], [len(rows), int(values.max(initial=0)) + 1]))
        return Lesson(rows[row_of[first]], values[first], np.bincount(to), aims, categories, seed)

    def fewer(self, most: int) -> Lesson:
        """At most so many rows, by chance."""
        if len(self.values) <= most:
            return self
        kept = np.sort(np.random.default_rng(self.seed).permutation(len(self.values))[:most])
        return Lesson(
            self.table[kept], self.values[kept], self.counts[kept], self.aims, self.categories, self.seed
        )  # fmt: skip


def features(situation: Situation, people: Int64) -> tuple[Floats, Floats, list[int]]:
    """The keys as numbers, of the released records and of people as believed; and which of them are categories.

    Labels that are numbers or ranges become numbers (the middle), so that a coarser label lies where its values do; one
    that was given up altogether is missing. Of other labels, a value that the release does not use is replaced by the
    label it was most often released under.
    """
    keys = situation.scenario.keys
    tables = [situation.released.select(keys), believed(situation, people), situation.known.select(keys)]
    columns: list[tuple[Floats, Floats]] = []
    categories = []
    for i, key in enumerate(keys):
        (released, mine, true), values = coded(tables, key)
        labels = values.to_pylist()
        if are_numbers([label for label in labels if label != ANY]):
            points = np.array([middle(label) for label in labels])
            columns.append((points[released], points[mine]))
            continue
        categories.append(i)
        columns.append(_category(labels, released, mine, true[situation.lines]))
    return np.column_stack([c[0] for c in columns]), np.column_stack([c[1] for c in columns]), categories


def _category(labels: list[str | None], released: Int64, mine: Int64, behind: Int64) -> tuple[Floats, Floats]:
    counts = np.bincount(released, minlength=len(labels))
    to = np.arange(len(labels))
    pairs, often = np.unique(behind * len(labels) + released, return_counts=True)
    for at in np.argsort(often, kind="stable").tolist():  # the most frequent is written last
        value, label = divmod(int(pairs[at]), len(labels))
        if not counts[value]:
            to[value] = label
    kept = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    number = np.full(len(labels), np.nan)
    number[kept[counts[kept] > 0]] = np.arange(int((counts[kept] > 0).sum()))
    number[[i for i, label in enumerate(labels) if label is None]] = np.nan
    return number[released], number[to[mine]]


def in_order(lesson: Lesson, which: list[int]) -> tuple[Floats, Floats]:
    """The table and the aims with these categories as numbers, in the order of the mean of the values that go with
    them, so that a cut parts like from unlike.
    """
    table, aims = lesson.table.copy(), lesson.aims.copy()
    for i in which:
        there = ~np.isnan(table[:, i])
        codes = table[there, i].astype(np.int64)
        sums = np.bincount(codes, weights=(lesson.values * lesson.counts)[there], minlength=MOST_CATEGORIES)
        means = sums / np.maximum(np.bincount(codes, weights=lesson.counts[there], minlength=MOST_CATEGORIES), 1)
        for part in (table, aims):
            known = ~np.isnan(part[:, i])
            part[known, i] = means[part[known, i].astype(np.int64)]
    return table, aims
