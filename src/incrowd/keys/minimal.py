"""Minimal sample uniques: for each record, the smallest sets of keys that no other record shares.

SUDA2 finds them by a recursive search over values. Here every set of keys is one roll-up of the KeyTable: a record
unique on a set is unique on every larger one, so a set is minimal for it when the record is unique there and on none of
the sets with one key less. The results are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.table import Int64, KeyTable, Mask

#: Numbering groups by an array needs as many places as there are groups times values; above this, by sorting.
PLACES = 1 << 24


def minimal_uniques(table: KeyTable, largest: int) -> Iterator[tuple[tuple[int, ...], Int64]]:
    """Each set of up to `largest` keys, with the classes for which it is a minimal sample unique.

    A missing value is part of no minimal unique and matches nothing. Only a class of one record can have any.
    """
    number, keys = len(table.records), len(table.domains)
    alone = np.flatnonzero(table.records == 1)
    there = [codes != _missing(d.values) for d, codes in zip(table.domains, table.codes, strict=True)]
    unique: dict[int, Mask] = {0: np.zeros(len(alone), bool)}
    everyone = np.arange(number, dtype=np.int64)
    # Depth first, so that a set's numbering of groups is made from that of the set without its last key.
    waiting = [(1 << i, i, everyone, np.zeros(number, np.int64), 1) for i in reversed(range(keys))]
    while waiting:
        mask, last, inside, groups, reach = waiting.pop()
        stay = there[last][inside]
        inside, groups = inside[stay], groups[stay]
        codes = table.codes[last][inside].astype(np.int64)
        groups, reach = _renumber(groups * len(table.domains[last]) + codes, reach * len(table.domains[last]))
        people = np.bincount(groups, weights=table.records[inside].astype(float), minlength=reach)
        found = np.zeros(number, bool)
        found[inside[people[groups] == 1]] = True
        unique[mask] = found[alone]
        if mask.bit_count() < largest:
            waiting.extend((mask | 1 << i, i, inside, groups, reach) for i in reversed(range(last + 1, keys)))
    for mask in sorted(unique, key=lambda m: (m.bit_count(), m)):
        bits = tuple(i for i in range(keys) if mask >> i & 1)
        if not bits:
            continue
        minimal = unique[mask].copy()
        for i in bits:
            minimal &= ~unique[mask ^ (1 << i)]
        if minimal.any():
            yield bits, alone[minimal]


def _renumber(groups: NDArray[np.int64], reach: int) -> tuple[NDArray[np.int64], int]:
    """The groups that occur, numbered without gaps."""
    if reach <= PLACES:
        occurs = np.zeros(max(reach, 1), bool)
        occurs[groups] = True
        number = np.cumsum(occurs) - 1
        return number[groups], int(number[-1]) + 1
    distinct, inverse = np.unique(groups, return_inverse=True)
    return inverse.astype(np.int64).ravel(), len(distinct)


def _missing(values: tuple[str | None, ...]) -> int:
    return values.index(None) if None in values else -1
