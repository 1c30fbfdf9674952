"""What a level of a hierarchy holds, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.apart import stand_apart
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.natural import in_order

_NUMBER = re.compile(r"-?[0-9.]+")
_BAND = re.compile(r"<?-?[0-9.]+(?:(?:-| to | to under )-?[0-9.]+)?\+?")
#: So many groups of a level are told, and so many values of a group; others are counted.
GROUPS = 8
MEMBERS = 6


def describe(hierarchy: Hierarchy, book: Codebook | None = None) -> list[str]:
    """Every level in words, the values first and the top last.

    >>> rows = (("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3", "*"), ("-9", "-9", "*"))
    >>> book = Codebook(codes={"age": {"1": "under 16", "2": "16 to 64", "-9": "not asked"}})
    >>> print("\\n".join(describe(Hierarchy("age", rows), book)))
    level 0: 4 values as they are
    level 1: 3 groups; 1-2 (under 16, 16 to 64); 1 value as it is; -9 (not asked) apart
    level 2: all values in one: *
    """
    apart = stand_apart(hierarchy.leaves, hierarchy.name, book or Codebook(), guess=True)
    levels = range(hierarchy.height + 1)
    return [f"level {level}: {_in_words(hierarchy, level, book or Codebook(), apart)}" for level in levels]


def level_in_words(hierarchy: Hierarchy, level: int, book: Codebook | None = None) -> str:
    """What one level holds: its groups and what is in them, what stays as it is, and what stands apart."""
    apart = stand_apart(hierarchy.leaves, hierarchy.name, book or Codebook(), guess=True)
    return _in_words(hierarchy, level, book or Codebook(), apart)


def _in_words(hierarchy: Hierarchy, level: int, book: Codebook, none: Sequence[str]) -> str:
    name = hierarchy.name
    if level == 0:
        return f"{_counted(len(hierarchy.rows), 'value')} as {'it is' if len(hierarchy.rows) == 1 else 'they are'}"
    groups = hierarchy.groups(level)
    if len(groups) == 1:
        return f"all values in one: {next(iter(groups))}"
    apart = {leaf for leaf in none if groups.get(leaf) == (leaf,)}
    same = [label for label, leaves in groups.items() if leaves == (label,) and label not in apart]
    made = {label: leaves for label, leaves in groups.items() if label not in apart and leaves != (label,)}
    told = [_group(label, leaves, name, book) for label, leaves in list(made.items())[:GROUPS]]
    parts = [_counted(len(groups), "group")]
    if told:
        parts.append(", ".join(told) + (f" and {len(made) - GROUPS} more" if len(made) > GROUPS else ""))
    if same:
        parts.append(f"{_counted(len(same), 'value')} as {'it is' if len(same) == 1 else 'they are'}")
    parts += [f"{book.both(name, leaf)} apart" for leaf in none if leaf in apart]
    return "; ".join(parts)


def _group(label: str, leaves: Sequence[str], name: str, book: Codebook) -> str:
    """A group and what is in it: the words of its values; of a band only how many there are, unless they have words."""
    leaves = in_order(leaves) if _is_number(leaves) else list(leaves)
    words = [book.word(name, leaf) for leaf in leaves]
    if words == leaves and label == "|".join(in_order(leaves)):
        return label
    if words == leaves and _is_number(leaves) and _BAND.fullmatch(label):
        return f"{label} ({_counted(len(leaves), 'value')})"
    more = f" and {len(words) - MEMBERS} more" if len(words) > MEMBERS else ""
    return f"{label} ({', '.join(words[:MEMBERS])}{more})"


def _is_number(leaves: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(leaf.strip()) for leaf in leaves)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
