"""The rarest combinations of the keys, by their categories: whom would somebody pick who knows two or three things?

They name values of the file, so they stay in the audit, as figures by group do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from incrowd.keys.codebook import RARE
from incrowd.keys.table import Int64, KeyTable, Mask

#: So many are kept, those that are still in the release first.
SHOWN = 10
#: Combinations of so many keys are looked at: who needs more knows somebody well.
MOST_KEYS = 3
#: The sets of keys times the classes that are worth the time; above it only pairs of keys are counted, or nothing.
MOST_WORK = 20_000_000


@dataclass(frozen=True)
class Combination:
    """Values of two or three keys that fewer than RARE share, with nothing taken away and as it leaves."""

    values: tuple[tuple[str, str | None], ...]  # key and value, at the release's categories
    before: int
    after: int


@dataclass(frozen=True)
class Rarest:
    """The rarest combinations, and how many there are of them. With `keys` at 0 the classes were too many to count."""

    combinations: tuple[Combination, ...] = ()
    total: int = 0
    left: int = 0  # how many of them somebody in the release still has
    unnamed: int = 0  # values that fewer than RARE have by themselves: each is somebody, and none is named
    keys: int = 0  # combinations of up to so many keys were counted


def rarest(original: KeyTable, released: KeyTable) -> Rarest:
    """Which few values together are had by fewer than RARE, and are they still in the release?

    A combination is taken only where no part of it is as rare: its values are common, one by one. A value that is rare
    by itself is somebody: it is counted, and never named. Keys whose values in the release have other names are left
    out: their people are not gone. Misleads: a combination that chance has made (swap, pram) counts as still there.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": list("yyyooo"), "status": list("ssswws")})
    >>> [(one.values, one.before, one.after) for one in rarest(people, people).combinations]
    [((('age', 'o'), ('status', 's')), 1, 1)]
    """
    names = [name for name in original.names if name in released.names and not _relabelled(original, released, name)]
    before, after = (_bare(table).project(names)[0] for table in (original, released))
    reach = _reach(len(names), len(before.records))
    if not reach:
        return Rarest()
    found, unnamed, total, left = list[Combination](), 0, 0, 0
    small: dict[tuple[int, ...], Mask] = {}  # of each set of keys the classes that a part of it makes rare
    for size in range(1, reach + 1):
        for at in combinations(range(len(names)), size):
            cells, to = before.project([names[i] for i in at])
            parts = np.zeros(len(before.records), bool)
            for part in combinations(at, size - 1) if size > 1 else ():
                parts |= small[part]
            rare = (cells.sizes < RARE)[to] & (before.sizes > 0)
            small[at] = rare | parts
            fresh = np.unique(to[rare & ~parts])
            if size == 1:
                unnamed += len(fresh)
                continue
            there = cells.sizes[fresh] if original is released else _still_there(cells, fresh, after)
            total, left = total + len(fresh), left + int(np.count_nonzero(there))
            found = sorted([*found, *_first(cells, fresh, there)], key=_order)[:SHOWN]
    return Rarest(tuple(found), total, left, unnamed, reach)


def _order(one: Combination) -> tuple[object, ...]:
    """What is still in the release first, then what needs least knowledge, then what fewest have."""
    return one.after == 0, len(one.values), one.before, [(name, value or "") for name, value in one.values]


def _still_there(cells: KeyTable, rare: Int64, released: KeyTable) -> Int64:
    """How many people of the release have the values of each of these cells."""
    left, _ = released.project(cells.names)
    codes = []
    for domain, other, column in zip(cells.domains, left.domains, left.codes, strict=True):
        code_of = {value: code for code, value in enumerate(domain.values)}
        codes.append(np.array([code_of.get(value, -1) for value in other.values], np.int64)[column])
    sizes = dict(zip(zip(*(column.tolist() for column in codes), strict=True), left.sizes.tolist(), strict=True))
    wanted = zip(*(column[rare].tolist() for column in cells.codes), strict=True)
    return np.array([sizes.get(one, 0) for one in wanted], np.int64)


def _first(cells: KeyTable, rare: Int64, there: Int64) -> Iterator[Combination]:
    """Those of these cells that come first in `_order`: there may be hundreds of thousands."""
    people = cells.sizes[rare]
    ranks = []
    for domain, column in zip(cells.domains, cells.codes, strict=True):
        rank = np.empty(len(domain.values), np.int64)
        rank[np.argsort(np.array([value or "" for value in domain.values], object), kind="stable")] = np.arange(
            len(rank)
        )
        ranks.append(rank[column[rare]])
    order = np.lexsort((*reversed(ranks), people, there == 0))[:SHOWN]
    for at in order.tolist():
        codes = cells.codes[:, rare[at]].tolist()
        values = tuple((d.name, d.values[code]) for d, code in zip(cells.domains, codes, strict=True))
        yield Combination(values, int(people[at]), int(there[at]))


def _relabelled(original: KeyTable, released: KeyTable, name: str) -> bool:
    """Whether the release has values of a key that the original does not have, other than blanks."""
    one, other = (table.domains[table.names.index(name)].values for table in (original, released))
    at = released.names.index(name)
    present = np.unique(released.codes[at][released.records > 0]).tolist()
    return bool({other[code] for code in present} - {None} - set(one))


def _bare(table: KeyTable) -> KeyTable:
    """Only the counts: sensitive variables and the population are not asked for, and would be merged each time."""
    return replace(table, histograms={}, population=None)


def _reach(keys: int, classes: int) -> int:
    """How many keys at once can be afforded; 0 where not even pairs."""
    for size in range(min(MOST_KEYS, keys), 1, -1):
        sets = sum(1 for s in range(1, size + 1) for _ in combinations(range(keys), s))
        if sets * classes <= MOST_WORK:
            return size
    return 0
