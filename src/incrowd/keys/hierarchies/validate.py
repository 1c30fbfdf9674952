"""Is a hierarchy sound? Every fault at once, and none names a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from incrowd.errors import Fault, InputError
from incrowd.keys.hierarchy import Hierarchy


def validate(hierarchy: Hierarchy, values: Sequence[str | None] | None = None) -> list[Fault]:
    """What is wrong with a hierarchy, for these values of its variable? An empty list if nothing is.

    Sound means: as many fields in every row, each leaf once, proper nesting (two values that are equal at one level
    are equal at all higher ones; otherwise a coarser release could tell apart what a finer one cannot), one top, and
    every value that occurs is a leaf. Missing needs no leaf.
    """
    place = f"hierarchy {hierarchy.name}"
    if not hierarchy.rows:
        return [Fault("D055", place, "it is empty.", "It needs a row for each value.")]
    width = len(hierarchy.rows[0])
    ragged = sum(len(row) != width for row in hierarchy.rows)
    if ragged:
        return [Fault("D050", place, f"{ragged} rows have not {width} fields like the first.", "Fill them up.")]
    faults = []
    repeated = sum(number > 1 for number in Counter(hierarchy.leaves).values())
    if repeated:
        faults.append(Fault("D053", place, f"{repeated} values are in it more than once.", "Keep one row for each."))
    for level in range(hierarchy.height):
        crossing = _crossing(hierarchy, level)
        if crossing:
            faults.append(
                Fault(
                    "D052",
                    place,
                    f"{crossing} values of level {level} are put under different values at level {level + 1}.",
                    "What is together at one level must stay together above it.",
                )
            )
    tops = len({row[-1] for row in hierarchy.rows})
    if tops > 1:
        faults.append(
            Fault("D054", place, f"its last level has {tops} different values.", "Add a level where all are '*'.")
        )
    if values is not None:
        known = set(hierarchy.leaves)
        outside = sum(value is not None and value not in known for value in values)
        if outside:
            message = f"{outside} of the {len(values)} values that occur are not in it."
            faults.append(Fault("D030", place, message, "Add them to its first column."))
    return faults


def require_valid(hierarchy: Hierarchy, values: Sequence[str | None] | None = None) -> Hierarchy:
    """The hierarchy itself, or an error that says all that is wrong with it."""
    faults = validate(hierarchy, values)
    if not faults:
        return hierarchy
    first, *others = faults
    more = "".join(f" Also: {fault.message}" for fault in others)
    raise InputError(first.code, f"the hierarchy of {hierarchy.name!r} is not sound: {first.message}{more}", first.hint)


def _crossing(hierarchy: Hierarchy, level: int) -> int:
    """Labels of a level with more than one label above them."""
    pairs = {(row[level], row[level + 1]) for row in hierarchy.rows}
    return sum(number > 1 for number in Counter(below for below, _ in pairs).values())
