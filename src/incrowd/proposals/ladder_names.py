"""Ladders of names: the merging that loses least, of names with and without an order; and of very many names, where
those that few people have go together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.hierarchies.naming import free_label, run_name
from incrowd.keys.hierarchies.neighbours import merge_neighbours
from incrowd.keys.hierarchies.reading import are_numbers
from incrowd.keys.merging import merge_into_one
from incrowd.keys.natural import in_order
from incrowd.proposals.ladder_numbers import sizes_of
from incrowd.proposals.ladder_rungs import Content, Key, Level, mapping_step, recode
from incrowd.proposals.ladder_words import listed, together
from incrowd.protect.values import ValuePeople

#: More names than this are not mapped one by one.
MANY = 60
#: The longest label that lists what is in it.
LONGEST = 60
#: The least number of values that very many names are brought down to.
LEAST = 10

Group = tuple[str, ...]


def name_levels(key: Key) -> list[Level]:
    """Names put together: always the two groups that the fewest people have, so every level nests in the next."""
    if len(key.told) > MANY:
        return _many(key)
    members: list[Group] = [(value,) for value in in_order(key.told)]
    waiting = [(key.people.get(group[0], 0), place, group) for place, group in enumerate(members)]
    heapq.heapify(waiting)
    levels = []
    for size in sizes_of(len(members), 1 if key.named else 2):
        while len(waiting) > size:
            first, second = heapq.heappop(waiting), heapq.heappop(waiting)
            joined = tuple(in_order([*first[2], *second[2]]))
            heapq.heappush(waiting, (first[0] + second[0], min(first[1], second[1]), joined))
        levels.append([group for _, _, group in sorted(waiting, key=lambda one: one[1])])
    return _called(key, levels, ordered=False)


def ordered_levels(key: Key, order: Sequence[str]) -> list[Level]:
    """Neighbours put together, those with the fewest people first. One that stands apart is a border."""
    places = [value for value in order if value in {*key.told, *key.named}]
    apart = {value for value in places if value not in key.told}
    huge = 2 * sum(key.people.values()) + len(places)
    people = [huge if value in apart else key.people.get(value, 0) for value in places]
    runs = sum(value not in apart and (i == 0 or places[i - 1] in apart) for i, value in enumerate(places))
    least = max(runs + len(apart), 2)
    found = merge_neighbours(people, sizes_of(len(places), least))
    return _called(key, [[tuple(places[start:end]) for start, end in groups] for groups in found], ordered=True)


def _called(key: Key, levels: Iterable[Sequence[Group]], *, ordered: bool) -> list[Level]:
    """Levels of groups with labels that a reader understands. A group has one label at all levels, and no other group,
    value or code has the same.
    """
    others = {*key.book.codes.get(key.name, {}), *key.book.missing.get(key.name, ())}
    members = {value: frozenset({value}) for value in (*key.leaves, *others)}
    label_of = {frozenset({value}): value for value in key.leaves}
    made: list[Level] = []
    for groups in levels:
        new = [group for group in groups if frozenset(group) not in label_of]
        long = sum(len(group) > 1 and len(_listed(key, group)) > LONGEST for group in groups)
        for group in new:
            wanted = _run(key, group, groups) if ordered else _label(key, group, alone=long == 1)
            label = free_label(wanted, frozenset(group), members)
            members[label], label_of[frozenset(group)] = frozenset(group), label
        labels = key.whole({value: label_of[frozenset(group)] for group in groups for value in group})
        words = together(key, groups)
        made.append((labels, key.rung(str(len(set(labels.values()))), mapping_step(key.name, labels), words)))
    return made


def _label(key: Key, group: Group, *, alone: bool) -> str:
    """What values are called together: by their names, as long as those fit. A value of so few people that it is theirs
    is counted: readers of the release see the label.
    """
    said = _listed(key, group)
    common = sorted((value for value in group if not key.is_rare(value)), key=lambda v: (-key.people.get(v, 0), v))
    if len(said) <= LONGEST and len(common) == len(group):
        return said
    if not common or (alone and len(said) > LONGEST):
        return f"Other ({len(group)} of {len(key.leaves)} values)"
    for number in range(min(len(common), len(group) - 1), 0, -1):
        left = len(group) - number
        said = f"{', '.join(value or '(empty)' for value in common[:number])} or {left} other{'s' * (left > 1)}"
        if len(said) <= LONGEST:
            break
    return said


def _run(key: Key, group: Group, groups: Sequence[Group]) -> str:
    """What neighbours in an order are called together. No end of it is the value of one or two people: numbers that
    rise have an open range instead, other values are counted.
    """
    if len(group) == 1 or not (key.is_rare(group[0]) or key.is_rare(group[-1])):
        return run_name(group)
    rising = all(map(str.isdigit, group)) and [*map(int, group)] == sorted(map(int, group))
    if rising and group is groups[-1] and not key.is_rare(group[0]):
        return f"{group[0]}+"
    if rising and group is groups[0] and not key.is_rare(group[-1]):
        return f"up to {group[-1]}"
    common = [value for value in group if not key.is_rare(value)]
    if not common:
        return f"Other ({len(group)} of {len(key.leaves)} values)"
    left = len(group) - len(common)
    return f"{run_name(common)} or {left} other{'s' * (left > 1)}"


def _listed(key: Key, group: Group) -> str:
    """Codes as '3|4|5', texts as 'A, B or C'."""
    codes = key.book.codes.get(key.name, {})
    if all(value in codes for value in group) or are_numbers(group):
        return "|".join(group)
    return listed([value or "(empty)" for value in group], "or")


def _many(key: Key) -> list[Level]:
    """Very many names: those that fewer than so many people have become one group, for ever larger numbers."""
    one, _ = key.table.project([key.name])
    having = [one.domains[0].values[code] for code in one.codes[0]]
    counts = dict(zip(having, one.sizes.tolist(), strict=True))
    people = ValuePeople(counts, one.pairs, {value: number for number, value in enumerate(having)})
    into = _pot(key)
    levels = []
    for limit in _limits([counts.get(value, 0) for value in key.told]):
        try:
            named = merge_into_one(
                counts,
                limit,
                into,
                key.name,
                apart=key.book.missing.get(key.name, ()),
                together=people.together,
            )
        except InputError:  # the rare ones are too few together: this level is none
            continue
        level = _pot_level(key, named, into, limit)
        levels += [] if level is None else [level]
    return levels


def _pot_level(key: Key, named: Mapping[str | None, str | None], into: str, limit: int) -> Level | None:
    labels = key.whole({value: str(label) for value, label in named.items() if value is not None})
    step: Content = {"step": "merge_small", "variable": key.name, "fewer_than": limit, "into": into}
    if any(labels[value] != value for value in key.loose):  # the step would take one in that keeps its label
        labels |= {value: value for value in key.apart}
        kept = [value for value in (*key.told, *key.loose) if labels[value] == value]
        if len(kept) > MANY:
            return None
        step = recode(key.name, mapping={value: value for value in in_order(kept)}, others=into)
    own = sum(labels[value] == value for value in key.told)
    words = f"the {own} values that most people have as they are; the other {len(key.told) - own} as '{into}'"
    return labels, key.rung(str(len(set(labels.values()))), (step,), words)


def _pot(key: Key) -> str:
    """A name for the rare ones that no value has, whatever its capitals."""
    codes = key.book.codes.get(key.name, {})
    taken = {text.strip().casefold() for text in (*key.leaves, *codes, *codes.values())}
    taken |= {text.casefold() for text in key.book.missing.get(key.name, ())}
    wanted = ("Other", "Other values", "All other values", *(f"Other values ({n})" for n in range(2, len(taken) + 3)))
    return next(text for text in wanted if text.casefold() not in taken)


def _limits(counts: Sequence[int]) -> list[int]:
    """Rising limits that leave about 1/2, 1/4, 1/10 and few of the values; in two digits, as people write them.

    >>> _limits(list(range(1, 101)))
    [51, 76, 91]
    """
    falling = np.sort(np.array(counts))[::-1]
    number = len(falling)
    sizes = [number // 2, number // 4, number // 10, *([LEAST] if number // 10 > 2 * LEAST else [])]
    limits = {_two_digits(int(falling[size - 1])) for size in sizes if size > 0}
    return sorted(limit for limit in limits if limit >= 2)


def _two_digits(number: int) -> int:
    unit: int = 10 ** max(len(str(number)) - 2, 0)
    return -(-number // unit) * unit
