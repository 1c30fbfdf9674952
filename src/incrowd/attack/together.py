"""What three releases or more of a series give away together although no two of them do.

Somebody who was there for one quarter only is new among many who came, and gone among many who went; nobody else is
both. Who holds the releases before and after takes both away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.compatible import chained
from incrowd.attack.matching.editions import Edition, alike, distinct, subsets, values_of
from incrowd.attack.matching.in_all import in_all
from incrowd.attack.matching.left_over import Exposed
from incrowd.attack.matching.meeting import labels_of
from incrowd.attack.situation import Int64, codes_of

SOME, ALL = "in some of these releases and not in the others", "in all of these releases"
#: One column of several releases, the same number for labels that can stand for the same.
Several = list[Int64]


def compare_together(editions: Sequence[Edition]) -> tuple[Exposed, ...]:
    """Whom do all these releases of a series give away together? At least three, and whose each record is.

    An intruder knows in which of them a target is, and in which classes. Of one release, what the others have that the
    target is not in is taken away, and what those lack that the target is in is left out: the people who remain in the
    target's class must be as many as the release promises, and must not all have one value where the class has several.
    A target counts where their kind of record is seen to remain: it has more of it than all the releases that are taken
    away, not counting those who are in every one and never change. Misleads where few columns are released: what
    remains then may be somebody else's by exchange, and is refused nevertheless.
    """
    shared = [name for name in editions[0].table.column_names if all(name in e.table.column_names for e in editions)]
    keys = [name for name in shared if any(name in one.keys for one in editions)]
    more = [name for name in shared if name not in keys]
    most = max((in_all(one, [e for e in editions if e is not one], ALL) for one in editions), key=lambda e: e.found)
    if not more:
        return Exposed(SOME, 0, 0, why="they share no column beside the keys, so nothing can be taken away"), most
    people = _people(editions)
    values = [
        {name: values_of(one.table, name) for name in one.sensitive if name in one.table.column_names}
        for one in editions
    ]  # fmt: skip
    number = max(int(one.max(initial=0)) for one in people) + 1
    of, small, told = (np.zeros(number, bool) for _ in range(3))
    worst, learnt = Exposed(SOME, 0, 0), dict[str, None]()
    for columns in _readings([one.table for one in editions], shared):
        rows = _changing(people, columns)
        who = [each[mine] for each, mine in zip(people, rows, strict=True)]
        some = {name: [each[mine] for each, mine in zip(column, rows, strict=True)] for name, column in columns.items()}
        for chosen in subsets(keys):
            whole = _numbered([columns[name] for name in chosen], [len(one) for one in people])
            classes = [each[mine] for each, mine in zip(whole, rows, strict=True)]
            views = [
                _View.of(
                    place, kept.crowd, chosen, (people[place], whole[place]), values[place], rows[place], who, classes
                )
                for place, kept in enumerate(editions)
            ]
            for names in [[name] for name in more] + ([list(more)] if len(more) > 1 else []):
                cells = _numbered([classes, *(some[name] for name in names)], [len(one) for one in who])
                for view in views:
                    one = view.look(cells)
                    for marks, mine in ((of, one.new), (small, one.small), (told, one.told)):
                        marks[who[view.place][mine]] = True
                    learnt |= dict.fromkeys(one.exposed.learnt)
                    if one.exposed.found >= worst.found:
                        worst = one.exposed
    found, tried, few, sure = (int(each.sum()) for each in (small | told, of, small, told))
    return replace(worst, found=found, of=tried, small=few, told=sure, learnt=tuple(learnt)), most


@dataclass(frozen=True)
class _Seen:
    new: Bools
    small: Bools
    told: Bools
    exposed: Exposed


@dataclass(frozen=True)
class _View:
    """One release in classes by some keys, and those of its records whose people are not the same in all of them."""

    place: int  # among the releases
    need: int
    keys: tuple[str, ...]
    size: Int64  # people in each class
    values: Mapping[str, Int64]  # of those records
    several: Mapping[str, Bools]  # whether each class has several values
    who: Several  # of the records of all releases
    classes: Several
    came: Mapping[int, Bools]  # for each other release, whose person is not in their class there

    @staticmethod
    def of(
        place: int, need: int, keys: tuple[str, ...], everybody: tuple[Int64, Int64], values: Mapping[str, Int64],
        rows: Int64, who: Several, classes: Several,
    ) -> _View:  # fmt: skip
        """From everybody of a release, with their classes, and the places of the records that are looked at."""
        people, class_of = everybody
        number = int(class_of.max(initial=0)) + 1
        several = {name: distinct(class_of, value, number) > 1 for name, value in values.items()}
        mine = {name: value[rows] for name, value in values.items()}
        came = {i: _lacking((classes[place], who[place]), (classes[i], who[i])) for i in range(len(who)) if i != place}
        return _View(place, need, keys, distinct(class_of, people, number), mine, several, who, classes, came)

    def look(self, cells: Several) -> _Seen:
        """Who of it is found by taking away some of the others, and leaving out what others lack?"""
        mine, class_of, who, number = cells[self.place], self.classes[self.place], self.who[self.place], len(self.size)
        span = int(max(each.max(initial=0) for each in cells)) + 1
        counts = [np.bincount(each, minlength=span) for each in cells]
        absent, possible, unchanged = (
            np.zeros(len(mine), np.int64),
            np.zeros(len(mine), np.int64),
            np.ones(len(mine), bool),
        )
        for bit, (i, came) in enumerate(self.came.items()):
            new = _lacking((mine, who), (cells[i], self.who[i]))
            absent |= new.astype(np.int64) << bit
            unchanged &= new == came
            possible |= (counts[i] > 0)[mine].astype(np.int64) << bit
        targets = unchanged & (absent > 0)
        small, told, least, learnt = np.zeros(len(mine), bool), np.zeros(len(mine), bool), 0, list[str]()
        everyone = (1 << len(self.came)) - 1
        for pattern in np.unique(absent[targets]).tolist():
            there = everyone & ~pattern
            remains = ((absent & pattern) == pattern) & ((possible & there) == there)
            crowd = distinct(class_of[remains], who[remains], number)
            taken = sum((counts[i] for bit, i in enumerate(self.came) if pattern >> bit & 1), np.zeros(span, np.int64))
            seen = targets & (absent == pattern) & (counts[self.place] > taken)[mine]
            few = seen & ((crowd < self.need) & (crowd < self.size))[class_of]
            small |= few
            least = min(least or number + len(who), int(crowd[class_of[few]].min())) if few.any() else least
            for name, value in self.values.items():
                one = (distinct(class_of[remains], value[remains], number) == 1) & self.several[name]
                if (sure := seen & one[class_of] & (value >= 0)).any():
                    told |= sure
                    learnt += [name] if name not in learnt else []
        hit = small | told
        exposed = Exposed(
            SOME, len(np.unique(who[hit])), 0, self.need, 0, 0, len(np.unique(class_of[hit])), least, self.keys,
            tuple(learnt),
        )  # fmt: skip
        return _Seen(targets, small, told, exposed)


def _lacking(mine: tuple[Int64, Int64], theirs: tuple[Int64, Int64]) -> Bools:
    """Which records have none there of the same person and the same class or cell."""
    width = int(max(mine[1].max(initial=0), theirs[1].max(initial=0))) + 1
    wanted, there = mine[0] * width + mine[1], np.sort(theirs[0] * width + theirs[1])
    if not len(there):
        return np.ones(len(wanted), bool)
    at = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
    return np.asarray(there[at] != wanted)


def _people(editions: Sequence[Edition]) -> Several:
    """Whose record each is, by the same numbers; those without a name are taken for one person."""
    return [codes[0] for codes in codes_of([pa.table({"who": one.people}) for one in editions], ["who"])]


def _numbered(columns: Sequence[Several], sizes: Sequence[int]) -> Several:
    """The same number for records of several releases that are alike in all these columns."""
    if not columns:
        return [np.zeros(size, np.int64) for size in sizes]
    return np.split(alike([np.concatenate(column) for column in columns]), np.cumsum(sizes)[:-1])


def _changing(people: Several, columns: dict[str, Several]) -> Several:
    """The places of the records that are not taken away whatever is compared: all but those of people who have one
    record in each release, the same in all columns.
    """
    number = max(int(one.max(initial=0)) for one in people) + 1
    gone = np.all([np.bincount(one, minlength=number) == 1 for one in people], axis=0)
    records = _numbered(list(columns.values()), [len(one) for one in people])
    first = np.full(number, -1, np.int64)
    first[people[0]] = records[0]
    for who, record in zip(people[1:], records[1:], strict=True):
        other = np.full(number, -1, np.int64)
        other[who] = record
        gone &= first == other
    return [np.flatnonzero(~gone[who]) for who in people]


def _readings(tables: Sequence[pa.Table], shared: Sequence[str]) -> Iterator[dict[str, Several]]:
    """The ways to read the labels of several releases, as of two (see editions.py): what any two of them can mean alike
    is one.
    """
    seen: list[list[int]] = []
    plain = {name: [codes[0] for codes in codes_of(tables, [name])] for name in shared}
    for strict in (None, True, False):
        columns = plain if strict is None else {name: _chain(tables, name, plain[name], strict) for name in shared}
        told = [len(np.unique(np.concatenate(columns[name]))) for name in shared]
        if told not in seen:  # each is coarser than the one before, so as many are the same
            seen.append(told)
            yield columns


def _chain(tables: Sequence[pa.Table], name: str, codes: Several, strict: bool) -> Several:
    labels = labels_of(tables, name)
    links = [chained(labels, np.unique(codes[i]), np.unique(codes[j]), strict) for i, j in
             combinations(range(len(tables)), 2)]  # fmt: skip
    ends = np.concatenate([len(labels) * (1 + i) + link for i, link in enumerate(links)])
    starts = np.tile(np.arange(len(labels)), len(links))
    size = len(labels) * (1 + len(links))
    graph = coo_array((np.ones(len(starts)), (starts, ends)), shape=(size, size))
    to = np.asarray(connected_components(graph, directed=False)[1], np.int64)
    return [to[each] for each in codes]
