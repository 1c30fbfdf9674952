"""How rungs are said to people: bands, and values that go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from incrowd.keys.labels import Labels
from incrowd.proposals.ladder_rungs import Key

#: So many bands or groups are told, and so many values of a group; others are counted.
TOLD = 8
MEMBERS = 6


def in_bands(labels: Labels) -> str:
    """Bands in words; `labels` are those of the values in the order of their numbers.

    >>> in_bands(["16-24", "16-24", "25+"])
    'in 2 bands: 16-24, 25+'
    """
    bands = list(dict.fromkeys(str(label) for label in labels))
    return f"in {len(bands)} bands: {', '.join(bands[:TOLD])}{', ...' if len(bands) > TOLD else ''}"


def together(key: Key, groups: Iterable[Sequence[str]]) -> str:
    """What goes together, by the words of the codebook. A value of so few people that it is theirs is counted."""
    made = [group for group in groups if len(group) > 1]
    told = "; ".join(f"{_group(key, group)} together" for group in made[:TOLD])
    return told + (f"; and {len(made) - TOLD} more groups" if len(made) > TOLD else "")


def _group(key: Key, group: Sequence[str]) -> str:
    named = [key.book.word(key.name, value) or "(empty)" for value in group if not key.is_rare(value)]
    hidden = len(group) - len(named)
    parts = named if len(named) <= MEMBERS else [*named[:MEMBERS], f"{len(named) - MEMBERS} more"]
    parts = [*parts, f"{hidden} rare value{'s' * (hidden > 1)}"] if hidden else parts
    return listed(parts, "and")


def listed(parts: Sequence[str], last: str) -> str:
    """A list as people write it; parts with commas of their own are told apart by semicolons.

    >>> listed(["A", "B", "C"], "or"), listed(["A, a", "B", "C"], "and")
    ('A, B or C', 'A, a; B and C')
    """
    if len(parts) < 2:
        return "".join(parts)
    between = "; " if any("," in part for part in parts) else ", "
    return f"{between.join(parts[:-1])} {last} {parts[-1]}"
