"""A hierarchy changed by hand: groups put together, renamed, levels added and taken away. It stays nested."""

from __future__ import annotations

from collections.abc import Collection

from incrowd.errors import InputError
from incrowd.keys.hierarchies.validate import require_valid
from incrowd.keys.hierarchy import Hierarchy


def put_together(hierarchy: Hierarchy, level: int, labels: Collection[str], name: str) -> Hierarchy:
    """Make one group of several at a level; a group that has this name already is among them. Where they were apart
    further up, all go where the first of them is, with what is beside them below there.

    >>> ages = Hierarchy("age", (("31", "30s", "*"), ("38", "30s", "*"), ("45", "40s", "*")))
    >>> put_together(ages, 1, ["30s", "40s"], "30 to 49").groups(1)
    {'30 to 49': ('31', '38', '45')}
    """
    _need(hierarchy, level, labels, name)
    together = {row[level] for row in hierarchy.rows if row[level] in labels} | {name}
    first = next(row for row in hierarchy.rows if row[level] in together)
    rows = []
    for row in hierarchy.rows:
        if row[level] in together:
            row = (*row[:level], name, *first[level + 1 :])
        rows.append(row)
    return require_valid(Hierarchy(hierarchy.name, tuple(rows)))


def rename(hierarchy: Hierarchy, level: int, label: str, name: str) -> Hierarchy:
    """Give a group of a level another name; one that another group has is refused."""
    _need(hierarchy, level, [label], name)
    if name != label and any(row[level] == name for row in hierarchy.rows):
        raise InputError(
            "D451", "another group of this level has that name.", "Put the two together, or choose another."
        )
    rows = ((*row[:level], name, *row[level + 1 :]) if row[level] == label else row for row in hierarchy.rows)
    return require_valid(Hierarchy(hierarchy.name, tuple(rows)))


def add_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """A new level above this one, the same as it: to be made coarser."""
    if not 0 <= level < hierarchy.height:
        raise InputError("D452", "there is nothing to add above the top.", "Choose a level below it.")
    rows = (row[: level + 1] + row[level : level + 1] + row[level + 1 :] for row in hierarchy.rows)
    return require_valid(Hierarchy(hierarchy.name, tuple(rows)))


def drop_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Without a level; the values themselves and the top stay."""
    if not 0 < level < hierarchy.height:
        raise InputError("D452", "the values themselves and the top stay.", "Choose a level between them.")
    return require_valid(Hierarchy(hierarchy.name, tuple(row[:level] + row[level + 1 :] for row in hierarchy.rows)))


def _need(hierarchy: Hierarchy, level: int, labels: Collection[str], name: str) -> None:
    if not 0 < level < hierarchy.height:
        raise InputError("D452", "the values themselves and the top cannot be changed.", "Choose a level between them.")
    if not name.strip() or name != name.strip() or any(letter in name for letter in "\r\n"):
        raise InputError("D453", "a group needs a name, on one line and without blanks around it.", "Write one.")
    there = {row[level] for row in hierarchy.rows}
    if not labels or not there.issuperset(labels):
        raise InputError("D454", "groups of this level must be chosen.", "Tick them in the tree.")
