"""What an attack works on: the release, what an intruder could know, and the truth by which the attack is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.risk.value import Scenario
from incrowd.rows import Rows
from incrowd.rows.frame import LINE

Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Situation:
    """A release with the truth behind it. All columns are texts; missing is null.

    An attack may *use* `released`, the scenario, and of a target the scenario's keys in `known` (which it gets wrong
    as often as the scenario says); `lines`, `people` and `came` are for judging only.
    """

    released: pa.Table  # as written, in the order of the file
    lines: Int64  # for each released record, the number of its record in `known`, from 0 on
    known: pa.Table  # everybody in the original, in the order of the source, at the release's categories
    people: Int64  # for each of them the number of the person: records of one person share it
    keys: tuple[str, ...]  # the released keys
    sensitive: tuple[str, ...]  # the released sensitive variables
    scenario: Scenario  # its keys are released ones
    at_start: Callable[[Sequence[str]], pa.Table]  # columns of the original as it came, in the order of the source
    draws: Callable[..., Callable[[int], NDArray[np.uint64]]]  # purpose -> so many keyed random numbers, and more
    identifiers: tuple[str, ...] = ()  # the plan's identifiers, released or not
    columns: tuple[str, ...] = ()  # the columns of the original as it came: what `came` can be asked for
    loose: frozenset[str] = frozenset()  # keys with blanked cells, or labels that stand for several values of `known`
    by_chance: NDArray[np.bool_] | None = None  # for each record of the original, whether a sample alone left it out

    @property
    def inside(self) -> NDArray[np.bool_]:
        """For each record of the original, whether it was released."""
        found = np.zeros(self.known.num_rows, bool)
        found[self.lines] = True
        return found

    def chosen(self, most: int, *purpose: str) -> Int64:
        """At most so many records of the original, picked by keyed chance, in order: targets for a costly attack."""
        number = self.known.num_rows
        if number <= most:
            return np.arange(number)
        return np.sort(np.argsort(self.draws(*purpose)(number), kind="stable")[:most])


@dataclass(frozen=True)
class Auxiliary:
    """What an intruder has beside the release and what they know of a target."""

    register: pa.Table | None = None  # people with the scenario's keys, at the release's categories
    register_lines: Int64 | None = None  # for judging: the number of each one's record in `known`, or -1
    others: Mapping[str, pa.Table] = field(default_factory=dict)  # other releases about some of the same people
    tables: Mapping[str, pa.Table] = field(default_factory=dict)  # published tables of counts
    linker: str = "duckdb"  # on which engine probabilistic linkage runs: duckdb or spark
    no_others: str = ""  # who says that there is no other release about any of these people
    no_tables: str = ""  # who says that no table of these people is published
    unnamed: str = ""  # that there are other releases which nobody has named, in words


def fetch(rows: Rows, columns: Sequence[str], order: str | None = None) -> pa.Table:
    """Columns of rows as texts here, in the order of a number."""
    table = rows.table if order is None else rows.table.order_by(order)
    return rows.collect(table.select(**{name: rows.text(name) for name in columns}), "the records for an attack")


def codes_of(tables: Sequence[pa.Table], columns: Sequence[str]) -> list[list[Int64]]:
    """The same numbers for the same values in several tables: for each table, the codes of each column. Missing is a
    value like any other.
    """
    found: list[list[Int64]] = [[] for _ in tables]
    for name in columns:
        parts = [table[name].combine_chunks() for table in tables]
        whole = pa.concat_arrays([p if isinstance(p, pa.Array) else pa.concat_arrays(p.chunks) for p in parts])
        codes = whole.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
        ends = np.cumsum([len(part) for part in parts])
        for place, piece in zip(found, np.split(codes.astype(np.int64), ends[:-1]), strict=True):
            place.append(piece)
    return found


def lines_of(traced: Rows) -> Int64:
    """The lines that the records of a traced file came from, from 0 on."""
    numbers: Int64 = traced.collect(traced.table.select(LINE))[LINE].to_numpy().astype(np.int64) - 1
    if len(np.unique(numbers)) < len(numbers):
        raise InputError("D191", "a record of the source was released twice, so no attack can be judged.")
    return numbers
