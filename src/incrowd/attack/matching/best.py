"""Which released records look most like what is known of somebody? Counted by classes, never pair by pair.

A released record *fits* a target in a key when its label says what is known. Mostly that is equality. A blanked cell
fits everything, and the label of a local recoding fits every value that was given it. Such keys have several *layers*:
in one layer every value has at most one label, so that a match in it is an equality again. Records whose labels lie in
the same layers are matched together, by sorting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.packing import group, pack
from incrowd.keys.sorting import sort_with_order

Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Layers:
    """How the labels of one key are read: each label's layer, and in each layer the label of every value (or -1)."""

    of_label: Int64
    labels: tuple[Int64, ...]

    @staticmethod
    def strict(codes: int) -> Layers:
        """A label fits the value that it is."""
        return Layers(np.zeros(codes, np.int64), (np.arange(codes),))

    @staticmethod
    def loose(codes: int, label: Int64, value: Int64, blank: int | None) -> Layers:
        """A label fits every value that was given it (`label` beside `value`), a blank fits everything."""
        pairs = np.unique(np.stack([label, value]), axis=1)
        of_label, layers = np.zeros(codes, np.int64), [np.arange(codes)]
        for one in np.unique(pairs[0]):
            values = pairs[1][pairs[0] == one]
            if one == blank:
                values = np.arange(codes)
            elif np.array_equal(values, [one]):
                continue
            fits = (i for i, layer in enumerate(layers) if i and (layer[values] < 0).all())
            at = next(fits, len(layers))
            if at == len(layers):
                layers.append(np.full(codes, -1))
            layers[at][values], of_label[one] = one, at
        return Layers(of_label, tuple(layers))

    def fits(self, label: Int64, value: Int64) -> NDArray[np.bool_]:
        """Label by label, whether it fits the value beside it."""
        found = np.zeros(len(label), bool)
        for number, layer in enumerate(self.labels):
            there = self.of_label[label] == number
            found[there] = layer[value[there]] == label[there]
        return found


@dataclass(frozen=True)
class File:
    """The released records as classes: the codes of their labels, how many records and how many people in each."""

    labels: list[Int64]  # key by key, one for each class
    records: Int64
    people: Int64
    layers: tuple[Layers, ...]
    spans: tuple[int, ...]

    @staticmethod
    def of(labels: Sequence[Int64], people: Int64, layers: Sequence[Layers]) -> File:
        """From the label codes of the records and whose record each is."""
        spans = tuple(len(layer.of_label) for layer in layers)
        first, classes = group(pack(list(labels), spans))
        records = np.bincount(classes, minlength=len(first)).astype(np.int64)
        persons = np.unique(people, return_inverse=True)[1]
        alone, _ = group(pack([classes, persons], [len(first), len(people)]))
        distinct = np.bincount(classes[alone], minlength=len(first)).astype(np.int64)
        return File([column[first] for column in labels], records, distinct, tuple(layers), spans)

    def fitting(self, known: Sequence[Int64], keys: Sequence[int]) -> tuple[Int64, Int64]:
        """For each target, the records that fit in all these keys, and their people. People in several classes count
        once for each.
        """
        number = len(known[0])
        records, people = np.zeros(number, np.int64), np.zeros(number, np.int64)
        if not keys:
            return records + self.records.sum(), people + self.people.sum()
        for first, classes in self._patterns(keys):
            columns, spans = [], []
            for key in keys:
                asked, layers = known[key], self.layers[key]
                if len(layers.labels) > 1:
                    asked = layers.labels[layers.of_label[self.labels[key][first]]][asked]
                    # What has no label in this layer is no released label at all.
                    asked = np.where(asked < 0, self.spans[key], asked)
                columns.append(np.concatenate([self.labels[key][classes], asked]))
                spans.append(self.spans[key] + 1)
            packed, number = pack(columns, spans), len(self.records[classes])
            more = _look_up(packed[:number], (self.records[classes], self.people[classes]), packed[number:])
            records += more[0]
            people += more[1]
        return records, people

    def _patterns(self, keys: Sequence[int]) -> Iterator[tuple[int, Int64 | slice]]:
        """The classes whose labels lie in the same layers, each time with one of them."""
        loose = [key for key in keys if len(self.layers[key].labels) > 1]
        if not loose:
            yield 0, slice(None)
            return
        where = [self.layers[key].of_label[self.labels[key]] for key in loose]
        patterns, which = group(pack(where, [len(self.layers[key].labels) for key in loose]))
        for pattern, first in enumerate(patterns):
            yield int(first), np.flatnonzero(which == pattern)


@dataclass(frozen=True)
class Best:
    """For each target, in how many keys the best records differ, how many those are, and of how many people. Where
    nothing fits well enough there are none.
    """

    differing: Int64
    records: Int64
    people: Int64


def best_matches(file: File, known: Sequence[Int64], most: int | None = None) -> Best:
    """The records that differ from what is known in the fewest keys, and in at most so many.

    Keys are left out one by one, then two by two, and so on, for the targets that nothing fits yet: a record that
    differs in exactly these keys is found exactly once.
    """
    number, every = len(known), range(len(known))
    first, place = group(pack(list(known), [span + 1 for span in file.spans]))
    asked = [column[first] for column in known]
    differing = np.full(len(first), number + 1)
    records, people = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    open_ = np.arange(len(first))
    for leave in range((number if most is None else most) + 1):
        for left_out in combinations(every, leave):
            kept = [key for key in every if key not in left_out]
            more = file.fitting([column[open_] for column in asked], kept)
            records[open_] += more[0]
            people[open_] += more[1]
        differing[open_[records[open_] > 0]] = leave
        open_ = open_[records[open_] == 0]
        if not len(open_):
            break
    return Best(differing[place], records[place], people[place])


def _look_up(classes: Int64, amounts: Sequence[Int64], asked: Int64) -> list[Int64]:
    """The sums of amounts of the classes with each number that is asked for."""
    in_order, order = sort_with_order(classes)
    starts = np.flatnonzero(np.r_[True, in_order[1:] != in_order[:-1]])
    numbers = in_order[starts]
    at = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    there = numbers[at] == asked
    return [np.where(there, np.add.reduceat(amount[order], starts)[at], 0) for amount in amounts]


def own_fitting(
    layers: Sequence[Layers], labels: Sequence[Int64], known: Sequence[Int64], best: Best, target: Int64, record: Int64
) -> Int64:
    """For each target, how many of their own records are among the best: `target` and `record` are all such pairs."""
    differs = np.zeros(len(target), np.int64)
    for layer, label, value in zip(layers, labels, known, strict=True):
        differs += ~layer.fits(label[record], value[target])
    right = target[differs == best.differing[target]]
    return np.bincount(right, minlength=len(best.records)).astype(np.int64)
