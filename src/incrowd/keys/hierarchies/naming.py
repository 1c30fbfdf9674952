"""What a group of values is called in a release: in the form of its values, so that a reader sees what is in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.keys.natural import in_order

#: A name lists so many values, if it does not become longer than this.
LISTED = 4
LONGEST = 48
_RANGE = re.compile(r"(\d[\d,.]*)(\s*(?:-|\u2013|\bto\b)\s*)(\d[\d,.]*)")
_POT = re.compile(r"[0-9]+ rarer values(?: \(group\).*)?")
_OPEN = re.compile(r"(\d[\d,.]*)(\s*(?:\+|and over|or over|or more|and above))")


def run_name(run: Sequence[str]) -> str:
    """What neighbours in an order are called together.

    >>> run_name(["3", "4", "5"]), run_name(["16-24", "25-34"]), run_name(["70 to 74", "75 and over"])
    ('3-5', '16-34', '70 and over')
    >>> run_name(["low", "medium"]), run_name(["under 5", "5 to 9"])
    ('low to medium', 'under 5|5 to 9')
    """
    first, last = run[0], run[-1]
    if len(run) == 1:
        return first
    listed = "|".join(run)
    short = len(run) <= LISTED and len(listed) <= LONGEST
    if all(map(_is_whole, run)):  # codes in another order than that of numbers must not look like a range
        rising = [int(value) for value in run] == sorted(int(value) for value in run)
        return f"{first}-{last}" if rising else listed if short else f"{first}..{last}"
    low, high, end = _RANGE.fullmatch(first), _RANGE.fullmatch(last), _OPEN.fullmatch(last)
    start = low[1] if low else first if _is_whole(first) else None
    if start is not None and high and (low is None or low[2] == high[2]):
        return f"{start}{high[2]}{high[3]}"
    if start is not None and end:
        return f"{start}{end[2]}"
    if short and any(character.isdigit() for character in first + last):
        return listed
    return f"{first} to {last}"


def pot_name(rare: Sequence[str]) -> str:
    """What rare names are called together. Not 'other': many files have one, and it does not say what is in it.

    >>> pot_name(["9", "10", "2"]), pot_name([str(n) for n in range(12)])
    ('2|9|10', '12 rarer values')
    """
    listed = "|".join(in_order(rare)) if len(rare) <= LISTED else ""
    return listed if 0 < len(listed) <= LONGEST else f"{len(rare)} rarer values"


def is_pot_name(label: str) -> bool:
    """Whether a label is that of rare names, too many to list."""
    return _POT.fullmatch(label) is not None


def distinct(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy with no two labels alike that stand for different values, at whatever levels: classes may be
    recoded to different levels, and a reader of the release sees the label alone.
    """
    members: dict[str, frozenset[str]] = {leaf: frozenset({leaf}) for leaf in hierarchy.leaves}
    columns: list[list[str]] = [list(hierarchy.leaves)]
    for level in range(1, hierarchy.height + 1):
        column = [row[level] for row in hierarchy.rows]
        under: dict[str, set[str]] = {}
        for leaf, label in zip(hierarchy.leaves, column, strict=True):
            under.setdefault(label, set()).add(leaf)
        renamed = {label: free_label(label, frozenset(leaves), members) for label, leaves in under.items()}
        members |= {renamed[label]: frozenset(leaves) for label, leaves in under.items()}
        columns.append([renamed[label] for label in column])
    return Hierarchy(hierarchy.name, tuple(zip(*columns, strict=True)))


def free_label(label: str, leaves: frozenset[str], members: Mapping[str, frozenset[str]]) -> str:
    """The label, or one made of it that nothing else has; `members` are the labels so far with what they stand for.

    >>> free_label("A or B", frozenset("AB"), {"A or B": frozenset({"A or B"})})
    'A or B (group)'
    """
    first, number = ("all values", 1) if label == TOP else (f"{label} (group)", 1)
    chosen = label
    while members.get(chosen, leaves) != leaves:
        chosen, number = (first if number == 1 else f"{first} {number}"), number + 1
    return chosen


def _is_whole(value: str) -> bool:
    return re.fullmatch(r"[0-9]{1,18}", value) is not None
