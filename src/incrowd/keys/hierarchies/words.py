"""What a level of a hierarchy holds, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from incrowd.keys.codebook import RARE, Codebook
from incrowd.keys.hierarchies.apart import stand_apart
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.natural import in_order

People = Mapping[str | None, int]

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


def level_in_words(hierarchy: Hierarchy, level: int, book: Codebook | None = None, people: People | None = None) -> str:
    """What one level holds: its groups and what is in them, what stays as it is, and what stands apart.

    With `people` (how many have each value), a value of so few that it is theirs is counted and not named.

    >>> tree = Hierarchy("job", (("cook", "cook|spy", "*"), ("spy", "cook|spy", "*"), ("clerk", "clerk", "*")))
    >>> level_in_words(tree, 1), level_in_words(tree, 1, people={"cook": 30, "spy": 1, "clerk": 50})
    ('2 groups; cook|spy; 1 value as it is', '2 groups; cook and 1 rare value; 1 value as it is')
    """
    apart = stand_apart(hierarchy.leaves, hierarchy.name, book or Codebook(), guess=True)
    return _in_words(hierarchy, level, book or Codebook(), apart, people)


def _in_words(
    hierarchy: Hierarchy,
    level: int,
    book: Codebook,
    none: Sequence[str],
    people: Mapping[str | None, int] | None = None,
) -> str:
    name = hierarchy.name

    def rare(leaf: str) -> bool:
        return people is not None and 0 < people.get(leaf, 0) < RARE and leaf not in book.codes.get(name, {})

    if level == 0:
        return f"{_counted(len(hierarchy.rows), 'value')} as {'it is' if len(hierarchy.rows) == 1 else 'they are'}"
    groups = hierarchy.groups(level)
    if len(groups) == 1:
        return f"all values in one: {next(iter(groups))}"
    apart = {leaf for leaf in none if groups.get(leaf) == (leaf,) and not rare(leaf)}
    same = [label for label, leaves in groups.items() if leaves == (label,) and label not in apart]
    made = {label: leaves for label, leaves in groups.items() if label not in apart and leaves != (label,)}
    told = [_group(label, leaves, name, book, rare) for label, leaves in list(made.items())[:GROUPS]]
    parts = [_counted(len(groups), "group")]
    if told:
        parts.append(", ".join(told) + (f" and {len(made) - GROUPS} more" if len(made) > GROUPS else ""))
    if same:
        parts.append(f"{_counted(len(same), 'value')} as {'it is' if len(same) == 1 else 'they are'}")
    parts += [f"{book.both(name, leaf)} apart" for leaf in none if leaf in apart]
    return "; ".join(parts)


def _group(label: str, leaves: Sequence[str], name: str, book: Codebook, rare: Callable[[str], bool]) -> str:
    """A group and what is in it: the words of its values; of a band only how many there are, unless they have words."""
    leaves = in_order(leaves) if _is_number(leaves) else list(leaves)
    words = [book.word(name, leaf) for leaf in leaves]
    if words == leaves and _is_number(leaves) and _BAND.fullmatch(label):
        return f"{label} ({_counted(len(leaves), 'value')})"
    named = [word for word, leaf in zip(words, leaves, strict=True) if not rare(leaf)]
    hidden = len(words) - len(named)
    rest = f"{hidden} rare value{'s' * (hidden != 1)}"
    if words == leaves and label == "|".join(in_order(leaves)):
        return label if not hidden else " and ".join(["|".join(in_order(named))] * bool(named) + [rest])
    if hidden and any(leaf in label for leaf in leaves if rare(leaf)):
        label = f"a group of {_counted(len(leaves), 'value')}"
    more = f" and {len(named) - MEMBERS} more" if len(named) > MEMBERS else ""
    more += f" and {rest}" if hidden else ""
    return f"{label} ({', '.join(named[:MEMBERS])}{more})" if named else f"{label} ({rest})"


def _is_number(leaves: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(leaf.strip()) for leaf in leaves)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
