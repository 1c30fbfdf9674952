"""Merge groups that are too small: into one, into their parent, or into neighbours; afterwards all are large enough.

What is lost is place: people of a merged group are told less exactly where they live. So the fewest people go first:
the smallest group is merged before others, and into whatever leaves the smallest group that is large enough.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.postcodes import COMPONENTS, coarsen
from incrowd.postcodes.count import Groups, Int64, Places
from incrowd.postcodes.neighbours import Neighbours, Pairs

Way = Literal["one", "parent", "neighbours"]
OTHER = "other"
#: The rule of the United States (HIPAA, 45 CFR 164.514): three digits of a ZIP code are kept where *more than* 20,000
#: people live; otherwise they become 000.
US_THRESHOLD, US_OTHER = 20_001, "000"


@dataclass(frozen=True, eq=False)
class Merged:
    """Groups after merging: which codes each label stands for, and what that cost.

    `touched` codes lost their name, with `people_touched` people in them; `extra` of them were large enough and were
    needed to make others so. `coarser` is how many groups each coarser component would have left instead.
    """

    source: str
    component: str
    populations: tuple[str, ...]
    threshold: int
    way: Way
    members: Mapping[str, tuple[str, ...]]
    sizes: Mapping[str, Int64]
    before: int
    below: int
    touched: int
    people_touched: Mapping[str, int]
    extra: int
    alone: int
    coarser: Mapping[str, int]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each code: what a lookup or a recode step needs."""
        return {code: label for label, codes in self.members.items() for code in codes}

    @property
    def smallest(self) -> int:
        """People in the smallest group, in whichever of the populations it is smallest."""
        return min(int(values.min()) for values in self.sizes.values())

    @property
    def passes(self) -> bool:
        """Is every group large enough? Counted again from the labels, not taken from the merging."""
        return self.smallest >= self.threshold


def merge_places(
    places: Places,
    component: str,
    threshold: int,
    *,
    populations: Sequence[str] | None = None,
    way: Way = "one",
    pairs: Pairs | None = None,
    other: str = OTHER,
) -> Merged:
    """Merge the groups of a component that have fewer than `threshold` people in any of the populations.

    'one': all of them into one group, named `other`. 'parent': those of one parent together, as 'AL1 (rest)'; where
    that is not enough the smallest group beside them joins, and then the next parent. 'neighbours': the smallest group
    into the neighbour with the fewest people, until none is too small; `pairs` says who is beside whom. If one group
    of small ones is still too small, the smallest large one joins it.
    """
    groups = places.at(component)
    names = tuple(populations or places.populations)
    if threshold < 1:
        raise InputError("D173", "the threshold must be 1 or more.")
    size = dict(zip(groups.codes, _rows(groups, names), strict=True))
    total = np.sum(list(size.values()), axis=0)
    if total.min() < threshold:
        raise InputError(
            "D177",
            f"all people of {places.source} together are fewer than the threshold.",
            "No merging helps: lower the threshold, or leave the place out.",
        )
    alone = 0
    match way:
        case "one":
            members = _into_one(size, threshold, other)
        case "parent":
            members = _into_parent(size, threshold, component, other)
        case _:
            if component not in COMPONENTS:
                raise InputError("D178", f"who is beside whom is not known for {component}.", "Use another way.")
            near = Neighbours(groups.codes, component, pairs)
            alone, members = near.alone, _into_neighbours(size, threshold, near)
    merged = _merged(places, groups, names, threshold, way, members, alone)
    assert merged.passes  # the ways above end only then
    return merged


def us_zip3(places: Places) -> Merged:
    """The preset of the United States: three digits where more than 20,000 people live, otherwise 000.

    000 is a name for the rest and may itself hold few people: the rule does not ask, `passes` tells.
    """
    groups = places.at("zip3")
    names = places.populations
    size = dict(zip(groups.codes, _rows(groups, names), strict=True))
    members: dict[str, list[str]] = {}
    for code, people in size.items():
        # A file may have 000 already: then it stays the name of the rest.
        members.setdefault(code if people.min() >= US_THRESHOLD and code != US_OTHER else US_OTHER, []).append(code)
    return _merged(places, groups, names, US_THRESHOLD, "one", members, 0)


def _rows(groups: Groups, names: Sequence[str]) -> Int64:
    rows: Int64 = np.stack([groups.sizes[name] for name in names], axis=1)
    return rows


def _into_one(size: Mapping[str, Int64], threshold: int, other: str) -> dict[str, list[str]]:
    order = sorted(size, key=lambda code: (size[code].min(), code))
    rest = [code for code in order if size[code].min() < threshold]
    if not rest:
        return {code: [code] for code in size}
    while _sum(rest, size).min() < threshold:
        rest.append(order[len(rest)])
    if other in size:
        raise InputError("D179", "the name of the merged group is a code of the file.", "Choose a new one.")
    gone = set(rest)
    return {**{code: [code] for code in size if code not in gone}, other: rest}


def _into_parent(size: Mapping[str, Int64], threshold: int, component: str, other: str) -> dict[str, list[str]]:
    kept = {code: [code] for code in size if size[code].min() >= threshold}
    pool = [code for code in size if size[code].min() < threshold]
    index = COMPONENTS.index(component) if component in COMPONENTS else 0
    for level in (*reversed(COMPONENTS[:index]), None):
        waiting: dict[str, list[str]] = {}
        for code in pool:
            waiting.setdefault(other if level is None else coarsen(code, component, level), []).append(code)  # type: ignore[arg-type]
        inside: dict[str, list[str]] = {}
        for label, codes in kept.items():
            parent = other if level is None else coarsen(codes[0], component, level)  # type: ignore[arg-type]
            inside.setdefault(parent, []).append(label)
        pool = []
        for parent, codes in sorted(waiting.items()):
            siblings = inside.get(parent, [])
            # A rest of the same name, from a level below, comes first: two groups cannot share a name.
            siblings.sort(
                key=lambda label: (label not in (parent, _rest(parent)), _sum(kept[label], size).min(), label)
            )
            while siblings and (_sum(codes, size).min() < threshold or siblings[0] in (parent, _rest(parent))):
                codes += kept.pop(siblings.pop(0))
            if _sum(codes, size).min() < threshold:
                pool += codes
            else:
                kept[parent if level is None or not siblings else _rest(parent)] = codes
    return kept


def _into_neighbours(size: Mapping[str, Int64], threshold: int, near: Neighbours) -> dict[str, list[str]]:
    """Smallest first, each into the neighbour with the fewest people."""
    members = {code: [code] for code in size}
    people = dict(size)
    home = {code: code for code in size}  # the first code of the group that a code is in
    heap = [(int(row.min()), code) for code, row in size.items() if row.min() < threshold]
    heapq.heapify(heap)
    while heap:
        number, first = heapq.heappop(heap)
        if first not in members or int(people[first].min()) != number:
            continue  # merged since
        rings = ({home[code] for code in ring} - {first} for ring in near.rings(members[first]))
        beside = next(ring for ring in rings if ring)
        into = min(beside, key=lambda code: (int(people[code].min()), code))
        for code in members[first]:
            home[code] = into
        members[into] += members.pop(first)
        people[into] = people[into] + people.pop(first)
        if people[into].min() < threshold:
            heapq.heappush(heap, (int(people[into].min()), into))
    return {" + ".join(sorted(codes)): codes for codes in members.values()}


def _merged(
    places: Places, groups: Groups, names: tuple[str, ...], threshold: int, way: Way,
    members: Mapping[str, Sequence[str]], alone: int,
) -> Merged:  # fmt: skip
    """Count the groups again from their labels."""
    place = {code: number for number, code in enumerate(groups.codes)}
    at = {label: [place[code] for code in codes] for label, codes in sorted(members.items())}
    smaller = groups.size(names) < threshold
    # A group of one code that lost its name is touched, too.
    changed = [i for label, rows in at.items() for i in rows if groups.codes[i] != label]
    coarser = places.components[places.components.index(groups.component) + 1 :]
    return Merged(
        places.source, groups.component, names, threshold, way,
        {label: tuple(groups.codes[i] for i in sorted(rows)) for label, rows in at.items()},
        {name: np.array([int(groups.sizes[name][rows].sum()) for rows in at.values()], np.int64) for name in names},
        len(groups.codes), int(smaller.sum()), len(changed),
        {name: int(groups.sizes[name][changed].sum()) for name in names}, int((~smaller[changed]).sum()), alone,
        {name: len(places.at(name).codes) for name in coarser},
    )  # fmt: skip


def _sum(codes: Sequence[str], size: Mapping[str, Int64]) -> Int64:
    total: Int64 = np.sum([size[code] for code in codes], axis=0)
    return total


def _rest(parent: str) -> str:
    return f"{parent} (rest)"
