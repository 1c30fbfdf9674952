"""What all builders end with: lists of labels, level by level, made into rows with one top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from incrowd.errors import InputError
from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.keys.labels import Labels


def leaves_of(values: Iterable[str | None], name: str) -> list[str]:
    """The different values that are there, in the order they came in; missing needs no row."""
    leaves = list(dict.fromkeys(value for value in values if value is not None))
    if not leaves:
        raise InputError("D036", f"{name!r} has no values to build a hierarchy from.", "Is the column empty?")
    return leaves


def stack(leaves: Sequence[str], levels: Sequence[Labels], name: str, *, thin: bool = False) -> Hierarchy:
    """Put the levels on the leaves and a top on them, unless the last level is one already.

    `thin` leaves out levels that put nothing together that was apart below: a search would only waste time there.
    """
    columns: list[Sequence[str | None]] = [leaves]
    for level in levels:
        if not thin or len(set(level)) < len(set(columns[-1])):
            columns.append(level)
    if len(columns) == 1 or len(set(columns[-1])) > 1:
        columns.append([TOP] * len(leaves))
    return Hierarchy(name, tuple(tuple(str(label) for label in row) for row in zip(*columns, strict=True)))
