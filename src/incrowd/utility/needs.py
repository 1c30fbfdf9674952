"""What use cases need to know of the records, fetched once: one query serves all that count by few columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from incrowd.keys.table import Int64, KeyTable, Mask
from incrowd.keys.tally import Pair, Tally
from incrowd.rows import Rows
from incrowd.rows.tallying import tally

T = TypeVar("T")


@dataclass(frozen=True)
class Need:
    """Counts by some columns, and moments of pairs of numbers. `alone`: a column may have very many values, so the
    need is a query of its own.
    """

    by: tuple[str, ...]
    pairs: tuple[Pair, ...] = ()
    alone: bool = False


@dataclass(frozen=True, eq=False)
class Fetched:
    """The tallies of some records, by the needs they serve; with `classes`, the class of each row of each tally."""

    tallies: Mapping[Need, Tally]
    classes: Mapping[Need, Int64] | None = None

    def get(self, need: Need) -> Tally:
        """What was needed, counted by exactly those columns."""
        return self.tallies[need].by(need.by)

    def keep(self, stay: Mask) -> Fetched:
        """Without the records of the classes that do not stay."""
        assert self.classes is not None
        kept: dict[int, Tally] = {}
        for need, whole in self.tallies.items():
            if id(whole) not in kept:  # several needs share one tally
                kept[id(whole)] = whole.keep(stay[self.classes[need]])
        return Fetched({need: kept[id(whole)] for need, whole in self.tallies.items()})


def fetch(rows: Rows, needs: Iterable[Need], classes: KeyTable | None = None) -> Fetched:
    """Ask the engine for what is needed: one query for all needs that are not alone.

    With `classes`, everything is counted by the keys of that table too, so that classes can be taken away later.
    """
    asked = list(dict.fromkeys(needs))
    keys = () if classes is None else classes.names
    together = [need for need in asked if not need.alone]
    found: dict[Need, Tally] = {}
    if together:
        whole = tally(rows, _union([keys, *(n.by for n in together)]), _union([n.pairs for n in together]))
        found |= dict.fromkeys(together, whole)
    for need in asked:
        if need.alone:
            found[need] = tally(rows, _union([keys, need.by]), need.pairs)
    if classes is None:
        return Fetched(found)
    at: dict[int, Int64] = {}
    for whole in found.values():
        if id(whole) not in at:
            at[id(whole)] = whole.classes_in(classes)
    return Fetched(found, {need: at[id(whole)] for need, whole in found.items()})


def tally_of(table: KeyTable) -> Tally:
    """The classes of a table as a tally by its keys."""
    there = table.records > 0
    return Tally(table.domains, np.ascontiguousarray(table.codes[:, there]), table.records[there])


def _union(parts: Sequence[Sequence[T]]) -> list[T]:
    return list(dict.fromkeys(item for part in parts for item in part))
