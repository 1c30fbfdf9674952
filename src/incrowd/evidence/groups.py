"""The release by region and subgroup: who stands how, before anything was taken away and as it leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.keys.table import KeyTable

#: A key with more values than this is no grouping that a reader can follow.
MOST_VALUES = 30


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

    A person with several records is counted in each class that they are in.

    >>> from incrowd.keys.table import from_records
    >>> one = from_records({"sex": ["f", "f", "m"], "age": ["30", "40", "30"]})
    >>> [(g.value, g.before.people, g.after.uniques) for g in by_group(one, one) if g.variable == "sex"]
    [('f', 2, 2), ('m', 1, 1)]
    """
    found = []
    for name in released.names:
        before, after = _values(original, name), _values(released, name)
        values = sorted({*before, *after})
        if 1 < len(values) <= MOST_VALUES:
            found += [Group(name, value, before.get(value), after.get(value)) for value in values]
    return tuple(found)


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
