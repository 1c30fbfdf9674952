"""Two releases of a series as numbers: what is the same in both, whose record each is, and which classes there are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from incrowd.attack.matching.compatible import profiles
from incrowd.attack.situation import Int64, codes_of
from incrowd.keys.packing import group, pack

#: All combinations of so many keys are tried; of more, those of one or two keys, of all, and of all but one.
MOST_KEYS = 5
#: Up to so many times as many numbers as records are marked in an array; more are sorted.
_DENSE = 8
#: One column of two releases: the same number for labels that can stand for the same.
Pair = tuple[Int64, Int64]


@dataclass(frozen=True)
class Edition:
    """One release of a series: its records as texts, and whose each is (None where nobody can tell)."""

    table: pa.Table
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    people: pa.Array | None
    crowd: int  # what it promises to everybody in it


def readings(mine: pa.Table, theirs: pa.Table, shared: Sequence[str]) -> Iterator[dict[str, Pair]]:
    """The ways to read the labels of two releases: as they are; ranges that overlap as one; and names that only one of
    them uses as what only the other uses. What is recoded otherwise is brought to the coarser categories.
    """
    seen: list[dict[str, Pair]] = []
    for strict in (None, True, False):
        columns = {
            name: equal_codes(mine, theirs, name) if strict is None else profiles(mine, theirs, [name], strict)[:2]
            for name in shared
        }
        if not any(all(_same_pair(one[name], columns[name]) for name in shared) for one in seen):
            seen.append(columns)
            yield columns


def _same_pair(one: Pair, other: Pair) -> bool:
    """Whether two readings tell the same records apart."""
    both = numbered([one, other], len(one[0]), len(one[1]))
    numbers = [len(np.unique(np.concatenate(pair))) for pair in (one, other, both)]
    return numbers[0] == numbers[1] == numbers[2]


def subsets(keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The combinations of keys that somebody may know."""
    number = len(keys)
    sizes = range(number + 1) if number <= MOST_KEYS else sorted({0, 1, 2, number - 1, number})
    for size in sizes:
        yield from combinations(keys, size)


def equal_codes(mine: pa.Table, theirs: pa.Table, name: str) -> Pair:
    """One column of both, label by label."""
    (here,), (there,) = codes_of([mine, theirs], [name])
    return here, there


def values_of(table: pa.Table, name: str) -> Int64:
    """The values of one column as numbers; -1 where it is missing or empty."""
    codes = codes_of([table], [name])[0][0]
    blank = np.array([text in (None, "") for text in table[name].to_pylist()], bool)
    return np.where(blank, -1, codes)


def people_codes(kept: Edition, other: Edition) -> Pair:
    """Whose record each is, by the same numbers. Those without a name are taken for one person: they hide nobody."""
    tables = [pa.table({"who": one.people}) for one in (kept, other)]
    return equal_codes(tables[0], tables[1], "who")


def numbered(columns: Sequence[Pair], here: int, there: int) -> Pair:
    """The same number for the records of two releases that are alike in all these columns."""
    if not columns:
        return np.zeros(here, np.int64), np.zeros(there, np.int64)
    numbers = alike([np.concatenate(pair) for pair in columns])
    return numbers[:here], numbers[here:]


def alike(columns: Sequence[Int64]) -> Int64:
    """The same number, from 0 on, for records that are alike in all these columns. Without sorting where the numbers
    are small.
    """
    spans = [int(column.max(initial=0)) + 1 for column in columns]
    packed = pack(columns, spans)
    if math.prod(spans) > _DENSE * (len(packed) + 1):
        return group(packed)[1]
    there = np.zeros(math.prod(spans), bool)
    there[packed] = True
    return (np.cumsum(there) - 1)[packed]


def surplus(cells: Pair) -> Int64:
    """How many records more the first has in each cell."""
    number = int(max(cells[0].max(initial=0), cells[1].max(initial=0))) + 1
    return np.bincount(cells[0], minlength=number) - np.bincount(cells[1], minlength=number)


def distinct(class_of: Int64, what: Int64, number: int) -> Int64:
    """How many different ones each class has."""
    width = int(what.max(initial=0)) + 2
    pairs = class_of * width + what + 1
    if number * width <= _DENSE * (len(pairs) + 1):
        there = np.zeros(number * width, bool)
        there[pairs] = True
        return np.asarray(there.reshape(number, width).sum(axis=1), np.int64)
    pairs.sort()  # several times as quick as with the places beside it
    first = np.ones(len(pairs), bool)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    return np.bincount(pairs[first] // width, minlength=number).astype(np.int64)


def differing(who: Pair, columns: Iterable[Pair]) -> Pair:
    """The places of the records that are not taken away whatever is compared: all but those of people who have one
    record in each release, the same in all columns.
    """
    number = int(max(who[0].max(initial=0), who[1].max(initial=0))) + 1
    one = np.logical_and(*(np.bincount(each, minlength=number) == 1 for each in who))
    place = np.zeros(number, np.int64)
    place[who[1]] = np.arange(len(who[1]))
    rows = np.flatnonzero(one[who[0]])
    there = place[who[0][rows]]
    same = np.ones(len(rows), bool)
    for mine, theirs in columns:
        same &= mine[rows] == theirs[there]
    gone = np.zeros(number, bool)
    gone[who[0][rows[same]]] = True
    return np.flatnonzero(~gone[who[0]]), np.flatnonzero(~gone[who[1]])


def single_records(kept: Edition, other: Edition) -> tuple[Int64, Int64, int]:
    """The records of people who have one in each of two releases, side by side; and how many people have more."""
    mine, theirs = people_codes(kept, other)
    assert kept.people is not None
    named = kept.people.is_valid().to_numpy(zero_copy_only=False)
    number = int(max(mine.max(initial=0), theirs.max(initial=0))) + 1
    here, there = np.bincount(mine[named], minlength=number), np.bincount(theirs, minlength=number)
    both = (here > 0) & (there > 0)
    one = both & (here == 1) & (there == 1)
    place = np.zeros(number, np.int64)
    place[theirs] = np.arange(len(theirs))
    rows = np.flatnonzero(one[mine] & named)
    return rows, place[mine[rows]], int((both & ~one).sum())


def classes_of(one: Edition) -> Int64:
    """The class of each record by its own release's keys."""
    keys = [name for name in one.keys if name in one.table.column_names]
    codes = codes_of([one.table], keys)[0]
    return numbered([(column, column[:0]) for column in codes], one.table.num_rows, 0)[0]
