"""What all builders end with: lists of labels, level by level, made into rows with one top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from incrowd.errors import InputError
from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.keys.labels import Labels, as_numbers


def leaves_of(values: Iterable[str | None], name: str) -> list[str]:
    """The different values that are there, in the order they came in; missing needs no row."""
    leaves = list(dict.fromkeys(value for value in values if value is not None))
    if not leaves:
        raise InputError("D055", f"{name!r} has no values to build a hierarchy from.", "Is the column empty?")
    return leaves


def numbered_leaves(values: Iterable[str | None], name: str) -> tuple[list[str], list[Decimal]]:
    """The different values, smallest number first, and their numbers; a value that is no number is a fault."""
    leaves = leaves_of(values, name)
    pairs = [(n, leaf) for n, leaf in zip(as_numbers(leaves, name), leaves, strict=True) if n is not None]
    pairs.sort()
    return [leaf for _, leaf in pairs], [number for number, _ in pairs]


def stack(
    leaves: Sequence[str], levels: Sequence[Labels], name: str, *, thin: bool = False, own_top: bool = False
) -> Hierarchy:
    """Put the levels on the leaves, and the top '*' on them.

    `thin` leaves out levels that put nothing together that was apart below, or everything: a search would only waste
    time there. `own_top` takes a last level of one label for the top. (Otherwise even then a '*' goes on it: at the
    top a missing value is told like all others, and it need not be one of the '1980s'.)
    """
    columns: list[Sequence[str | None]] = [leaves]
    for level in levels:
        if not thin or 1 < len(set(level)) < len(set(columns[-1])):
            columns.append(level)
    if not (own_top and len(columns) > 1 and len(set(columns[-1])) == 1):
        columns.append([TOP] * len(leaves))
    return Hierarchy(name, tuple(tuple(str(label) for label in row) for row in zip(*columns, strict=True)))
