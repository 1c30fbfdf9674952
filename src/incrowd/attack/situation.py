"""What an attack works on: the release, what an intruder could know, and the truth by which the attack is judged."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.risk.value import Scenario
from incrowd.rows import Rows
from incrowd.rows.frame import LINE

Int64 = NDArray[np.int64]
T = TypeVar("T")


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
    hidden: tuple[str, ...] = ()  # the plan's sensitive variables that are not released
    by_chance: NDArray[np.bool_] | None = None  # for each record of the original, whether a sample alone left it out
    besides: tuple[str, ...] = ()  # keys of the scenario that the original has and this release does not tell
    trial: Callable[[], Situation] | None = None  # the same on a release made without some people, held out by chance
    # What attacks have worked out of it. Not an argument, so that `replace` begins anew: of other data nothing is true.
    _done: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def within(self, scenario: Scenario) -> Situation:
        """The same in another scenario; of its keys those count that are released. What is worked out is shared.

        The others are kept in `besides`: they find nobody in this release, but they do in another file that tells them.
        """
        kept = tuple(key for key in scenario.keys if key in self.keys)
        besides = tuple(key for key in scenario.keys if key not in kept and key in self.columns)
        other = replace(self, scenario=replace(scenario, keys=kept), besides=besides)
        object.__setattr__(other, "_done", self._done)  # frozen for everybody else
        return other

    def once(self, make: Callable[[], T], *what: Hashable) -> T:
        """What `make` gives, worked out once however many attacks ask. Nobody may change it.

        `what` names it, with all of the scenario that it depends on (see `believes`): it is kept for every scenario.
        """
        if what not in self._done:
            self._done[what] = make()
        found: T = self._done[what]
        return found

    @property
    def whole_scenario(self) -> Scenario:
        """The scenario with the keys that this release does not tell."""
        return replace(self.scenario, keys=(*self.scenario.keys, *self.besides))

    @property
    def believes(self) -> Hashable:
        """All of the scenario that decides what its intruder believes of people: the keys, and how often wrongly."""
        return self.scenario.keys, tuple(sorted(self.scenario.error.items()))

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
    salts: tuple[str, ...] = ()  # of pseudonyms, that may have leaked
    thorough: bool = False  # whether attacks may take longer than the run itself: more targets, more models


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
        for place, piece in zip(found, coded(tables, name)[0], strict=True):
            place.append(piece)
    return found


def coded(tables: Sequence[pa.Table], column: str) -> tuple[list[Int64], pa.Array]:
    """One column of several tables: for each table the codes, and the values in the order of their codes."""
    parts = [table[column].combine_chunks() for table in tables]
    whole = pa.concat_arrays([p if isinstance(p, pa.Array) else pa.concat_arrays(p.chunks) for p in parts])
    found = whole.dictionary_encode(null_encoding="encode")
    codes = found.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.split(codes, np.cumsum([len(part) for part in parts])[:-1]), found.dictionary


def lines_of(traced: Rows) -> Int64:
    """The lines that the records of a traced file came from, from 0 on."""
    numbers: Int64 = traced.collect(traced.table.select(LINE))[LINE].to_numpy().astype(np.int64) - 1
    if len(np.unique(numbers)) < len(numbers):
        raise InputError("D191", "a record of the source was released twice, so no attack can be judged.")
    return numbers
