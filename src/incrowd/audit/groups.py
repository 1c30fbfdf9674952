"""Before and after: the release by region and subgroup, and what the file reached of each requirement as it came."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from incrowd.errors import IncrowdError
from incrowd.keys.codebook import RARE
from incrowd.keys.natural import in_order
from incrowd.keys.requirements import Requirement
from incrowd.keys.table import KeyTable

#: A key with more values than this is no grouping that a reader can follow.
MOST_VALUES = 30
#: With more classes the file as it came is not measured by its requirements: it would cost as much as the run.
MOST_CLASSES = 2_000_000


@dataclass(frozen=True)
class Seen:
    """A group in one state of the file: its people by class, those who are alone, and its smallest class."""

    people: int
    uniques: int
    smallest: int


@dataclass(frozen=True)
class Group:
    """One value of a key: with nothing taken away, at the release's categories, and as it leaves."""

    variable: str
    value: str
    before: Seen | None
    after: Seen | None


def by_group(original: KeyTable, released: KeyTable) -> tuple[Group, ...]:
    """How does each value of each key stand, before and after?

    A person with several records is counted in each class that they are in. Rare values are one group without a name.

    >>> from incrowd.keys.table import from_records
    >>> one = from_records({"sex": ["f", "f", "f", "m"], "age": ["30", "40", "30", "30"]})
    >>> [(g.value, g.before.people, g.after.uniques) for g in by_group(one, one) if g.variable == "sex"]
    [('f', 3, 1), ('(rare values)', 1, 1)]
    """
    found = []
    for name in released.names:
        before, after = _values(original, name), _values(released, name)
        rare = {v for v in {*before, *after} if max(t[v].people for t in (before, after) if v in t) < RARE}
        before, after = _pooled(before, rare), _pooled(after, rare)
        values = in_order({*before, *after})
        if 1 < len(values) <= MOST_VALUES:
            found += [Group(name, value, before.get(value), after.get(value)) for value in values]
    return tuple(found)


def _pooled(seen: dict[str, Seen], rare: set[str]) -> dict[str, Seen]:
    """Rare values as one."""
    few = [one for value, one in seen.items() if value in rare]
    rest = {value: one for value, one in seen.items() if value not in rare}
    if not few:
        return rest
    people, uniques = sum(one.people for one in few), sum(one.uniques for one in few)
    return {**rest, "(rare values)": Seen(people, uniques, min(one.smallest for one in few))}


def _values(table: KeyTable, name: str) -> dict[str, Seen]:
    if name not in table.names:
        return {}
    at = table.names.index(name)
    sizes, codes = table.sizes, table.codes[at]
    seen = {}
    for code in np.unique(codes[sizes > 0]).tolist():
        here = sizes[(codes == code) & (sizes > 0)]
        value = table.domains[at].values[code]
        seen["(missing)" if value is None else value] = Seen(int(here.sum()), int((here == 1).sum()), int(here.min()))
    return seen


def achieved_by(table: KeyTable, requirement: Requirement) -> float | None:
    """Which figure does a table reach? None where it was not counted for that: a condition is met by later values.

    >>> from incrowd.keys.requirements import K
    >>> from incrowd.keys.table import from_records
    >>> achieved_by(from_records({"sex": ["f", "f", "m"]}), K(2))
    1.0
    """
    if any(name not in table.histograms for name in requirement.needs_histograms):
        return None
    try:
        found = requirement.bind(table).achieved(table)
    except IncrowdError:
        return None
    return found if found is not None and isfinite(found) else None
