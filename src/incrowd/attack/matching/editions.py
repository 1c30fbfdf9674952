"""Two releases of a series as numbers: what is the same in both, whose record each is, and which classes there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array, eye_array

from incrowd.attack.matching.compatible import profiles
from incrowd.attack.situation import Int64, codes_of
from incrowd.keys.packing import group, pack

#: All combinations of so many keys are tried; of more, those of one or two keys, of all, and of all but one.
MOST_KEYS = 5
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
    whole = [np.concatenate(pair) for pair in columns]
    numbers = group(pack(whole, [int(column.max(initial=0)) + 1 for column in whole]))[1]
    return numbers[:here], numbers[here:]


def surplus(cells: Pair) -> Int64:
    """How many records more the first has in each cell."""
    number = int(max(cells[0].max(initial=0), cells[1].max(initial=0))) + 1
    return np.bincount(cells[0], minlength=number) - np.bincount(cells[1], minlength=number)


def distinct(class_of: Int64, what: Int64, number: int) -> Int64:
    """How many different ones each class has."""
    begin, _ = group(class_of * (int(what.max(initial=0)) + 2) + what + 1)
    return np.bincount(class_of[begin], minlength=number).astype(np.int64)


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


def itself(class_of: Int64) -> csr_array:
    """Which classes can be a target's whose class is known: that one."""
    return csr_array(eye_array(int(class_of.max(initial=0)) + 1))


def most_records(one: Edition, class_of: Int64) -> int:
    """The most records that one person has in a class: so many fewer people than records may be left."""
    assert one.people is not None
    named = one.people.is_valid().to_numpy(zero_copy_only=False)
    who = codes_of([pa.table({"who": one.people})], ["who"])[0][0][named]
    pairs = group(class_of[named] * (int(who.max(initial=0)) + 1) + who)[1]
    return int(np.bincount(pairs).max(initial=1))
