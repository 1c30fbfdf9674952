"""Whose value can be behind a released label? Key by key, and then for whole combinations of keys."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.matching.spans import span
from incrowd.attack.situation import Int64

#: Label of a value that a hierarchy has given up altogether.
ANY = "*"
#: For one key: the codes of the values that can be behind a label; a label that is not there stands for itself.
Fits = dict[int, Int64]
_CHUNK = 50_000_000


def fits_of(labels: list[str | None], released: Int64, true: Int64, lines: Int64) -> Fits:
    """For one key, the released labels that are blank or coarser than the original's: whose value can be behind each.

    The intruder has the release's dictionary: a name that is no range stands for the values released under it.
    """
    number = len(labels)
    people, told = np.zeros(number, bool), np.zeros(number, bool)
    people[true], told[released] = True, True
    blank = np.array([label is None for label in labels])
    unsaid = told & ~people
    if (blank[released] & ~blank[true[lines]]).any():
        unsaid |= blank
    asked = np.flatnonzero(unsaid)
    anybody = np.array([labels[code] is None or labels[code] == ANY for code in asked.tolist()], bool)
    found: Fits = dict.fromkeys(asked[anybody].tolist(), np.arange(number))
    ends = np.array([span(labels[code]) or (inf, -inf) for code in asked.tolist()], float).reshape(-1, 2)
    ranges = ~anybody & (ends[:, 0] <= ends[:, 1])
    if ranges.any():
        found |= _in_ranges(labels, np.flatnonzero(people), asked[ranges], ends[ranges])
    return found | _under_names(asked[~anybody & ~ranges], released, true[lines], number)


def _in_ranges(labels: list[str | None], people: Int64, asked: Int64, ends: NDArray[np.float64]) -> Fits:
    """People's values that share a number with each range: exact numbers by searching, ranges one by one."""
    mine = np.array([span(labels[code]) or (inf, -inf) for code in people.tolist()], float).reshape(-1, 2)
    points, wide = mine[:, 0] == mine[:, 1], np.flatnonzero(mine[:, 0] < mine[:, 1])
    order = np.flatnonzero(points)[np.argsort(mine[points, 0], kind="stable")]
    sorted_codes, numbers = people[order], mine[order, 0]
    starts, stops = np.searchsorted(numbers, ends[:, 0]), np.searchsorted(numbers, ends[:, 1], side="right")
    found: Fits = {}
    for code, (low, high), start, stop in zip(asked.tolist(), ends, starts.tolist(), stops.tolist(), strict=True):
        found[code] = sorted_codes[start:stop]
        if len(wide):
            over = wide[(mine[wide, 0] <= high) & (low <= mine[wide, 1])]
            found[code] = np.concatenate([found[code], people[over]]) if len(over) else found[code]
    return found


def _under_names(asked: Int64, released: Int64, behind: Int64, number: int) -> Fits:
    """The values that were released under each name."""
    named = np.isin(released, asked)
    pairs = np.unique(released[named] * number + behind[named])
    parts = np.split(pairs % number, np.searchsorted(pairs, asked[1:] * number))
    return dict(zip(asked.tolist(), parts, strict=False))


def agreeing(codes: Int64, classes: Int64, fits: list[Fits]) -> tuple[Int64, Int64]:
    """Pairs of a combination and a class that agree in every key: one bit for each class, and-ed key by key."""
    number = classes.shape[1]
    if not number:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    bits = [_bits(int(codes[i].max(initial=0)) + 1, classes[i], fit) for i, fit in enumerate(fits)]
    step = max(_CHUNK // bits[0].shape[1], 1)
    rows: list[Int64] = []
    columns: list[Int64] = []
    for start in range(0, codes.shape[1], step):
        part = codes[:, start : start + step]
        both = bits[0][part[0]]
        for table, column in zip(bits[1:], part[1:], strict=True):
            both &= table[column]
        row, byte = np.nonzero(both)
        at, bit = np.nonzero(np.unpackbits(both[row, byte][:, None], axis=1))
        rows.append(start + row[at])
        columns.append(byte[at] * 8 + bit)
    return np.concatenate(rows), np.concatenate(columns)


def _bits(number: int, column: Int64, fit: Fits) -> NDArray[np.uint8]:
    """For each value of a person, a bit for each class: whether the class's label can be theirs."""
    found = np.zeros((number, (len(column) + 7) // 8), np.uint8)
    order = np.argsort(column, kind="stable")
    labels, starts = np.unique(column[order], return_index=True)
    for code, at in zip(labels.tolist(), np.split(order, starts[1:]), strict=True):
        whom = fit.get(code, np.array([code]))
        places, to = np.unique(at // 8, return_inverse=True)
        marks = np.zeros(len(places), np.uint8)
        np.bitwise_or.at(marks, to, (128 >> (at % 8)).astype(np.uint8))
        found[np.ix_(whom[whom < number], places)] |= marks
    return found
