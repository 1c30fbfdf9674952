"""Which small values go together, so that every group is large enough?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Hierarchy

Labels = dict[str | None, str | None]
#: How many people have one of these values? Where people have several records, the people of two values do not add up.
Together = Callable[[Collection[str]], int]


#: A value with so many times the asked number of people, or more, is large: it joins a group only where it is named.
LARGE = 2


def merge_into_one(
    counts: Mapping[str | None, int],
    fewer_than: int,
    into: str,
    name: str,
    *,
    host: str | None = None,
    apart: Collection[str] = (),
    together: Together | None = None,
) -> Labels:
    """The small values under one name. Where they are too few together, the next smallest come in too, as many as it
    takes; but never a large one, and never the largest: those only by name.

    `host` is a value that takes the small ones in, however large it is. Those that say why there is no value (`apart`)
    are no group that others join, and join none.

    >>> merge_into_one({"a": 9, "b": 4, "c": 2, "d": 1}, 5, "other", "x")
    {'a': 'a', 'b': 'other', 'c': 'other', 'd': 'other'}
    >>> merge_into_one({"a": 900, "b": 400, "c": 2}, 5, "b or c", "x", host="b")
    {'a': 'a', 'b': 'b or c', 'c': 'b or c'}
    """
    people = together or _added(counts)
    there = {value: n for value, n in counts.items() if value is not None and value not in apart}
    small = {value for value, n in there.items() if 0 < n < fewer_than}
    if small:
        # A value that only the population has goes with them, and is no reason by itself to merge anything.
        small |= {value for value, n in there.items() if n == 0 or value in (into, host)}
    largest = max(there, key=lambda value: (there[value], value), default=None)
    waiting = sorted(
        (n, value) for value, n in there.items() if value not in small and value != largest and n < LARGE * fewer_than
    )
    while small and people(small) < fewer_than:
        if not waiting:
            raise _too_few(name, fewer_than) if people(there) < fewer_than else _only_large(name, fewer_than)
        small.add(waiting.pop(0)[1])
    return {value: into if value in small else value for value in counts}


def merge_into_parents(
    counts: Mapping[str | None, int],
    fewer_than: int,
    hierarchy: Hierarchy,
    *,
    apart: Collection[str] = (),
    together: Together | None = None,
) -> Labels:
    """Each small value under its parent's name, which then stands for the rest of the parent. Where these are too few
    together, their smallest sibling comes in too, unless it is large; where there is none left, all go one level up.
    Those that say why there is no value (`apart`) stay.

    Misleads a reader who takes the parent's name for all of the parent: siblings that are large enough keep theirs.
    """
    people = together or _added(counts)
    paths = dict(zip(hierarchy.leaves, hierarchy.rows, strict=True))
    there = {value: n for value, n in counts.items() if value is not None and n and value not in apart}
    if missing := sum(value not in paths for value in there):
        message = f"{missing} of the {len(there)} values of {hierarchy.name!r} are not in its hierarchy."
        raise InputError("D117", message, "Add them to the file.")
    level = dict.fromkeys(there, 0)
    while True:
        groups: dict[tuple[int, str], list[str]] = {}
        for value in there:
            groups.setdefault((level[value], paths[value][level[value]]), []).append(value)
        sizes = {group: people(values) for group, values in groups.items()}
        failing = sorted((size, *group) for group, size in sizes.items() if size < fewer_than)
        if not failing:
            break
        _, at, label = failing[0]
        _grow(groups[at, label], at, label, there, level, paths, fewer_than, hierarchy, people)
    return {value: paths[value][level[value]] if value in level and value is not None else value for value in counts}


def _grow(
    members: list[str],
    at: int,
    label: str,
    there: Collection[str],
    level: dict[str, int],
    paths: Mapping[str, tuple[str, ...]],
    fewer_than: int,
    hierarchy: Hierarchy,
    people: Together,
) -> None:
    """Take the smallest sibling in, or go one level up where there is none but large ones."""
    under: dict[tuple[int, str], list[str]] = {}
    for value in there:
        if at and level[value] < at and paths[value][at] == label:
            under.setdefault((level[value], paths[value][level[value]]), []).append(value)
    sizes = sorted((people(values), group) for group, values in under.items())
    if sizes and sizes[0][0] < LARGE * fewer_than:
        for value in under[sizes[0][1]]:
            level[value] = at
        return
    if at == hierarchy.height:
        too_few = people(there) < fewer_than
        raise _too_few(hierarchy.name, fewer_than) if too_few else _only_large(hierarchy.name, fewer_than)
    for value in members:
        level[value] = at + 1


def _added(counts: Mapping[str | None, int]) -> Together:
    return lambda values: sum(counts[value] for value in values)


def _too_few(name: str, fewer_than: int) -> InputError:
    message = f"all values of {name!r} together do not have {fewer_than} people in one group."
    return InputError("D118", message, "Ask for smaller groups, or drop the variable.")


def _only_large(name: str, fewer_than: int) -> InputError:
    message = f"the small values of {name!r} together do not have {fewer_than} people, and all others are large."
    hint = "Say which value takes them in (with: ...), or recode or drop them: a large value is not merged unasked."
    return InputError("D365", message, hint)
