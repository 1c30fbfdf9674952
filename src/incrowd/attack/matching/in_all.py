"""Who is in several releases, and is told apart by what each of them says: the records that all of them leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.attack.differencing import UNDERSTOOD
from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.compatible import profiles
from incrowd.attack.matching.editions import (
    Edition,
    Pair,
    alike,
    classes_of,
    distinct,
    equal_codes,
    people_codes,
    values_of,
)
from incrowd.attack.matching.left_over import Exposed
from incrowd.attack.situation import Int64

#: So many pairs of a way and a record are looked at at a time.
_BLOCK = 2_000_000


@dataclass(frozen=True)
class _Beside:
    """Another release, for the records of the one that is looked at."""

    edition: Edition
    who: Pair
    mate: Int64  # the record there of the same person, or -1
    class_of: Int64  # for each record there


def in_all(kept: Edition, others: Sequence[Edition], whom: str) -> Exposed:
    """Of whom in all of these releases does what stays the same leave too few people of one, or a single value?

    An intruder knows a target's keys in each release, and takes what nine in ten people keep for unchanged: a record
    stays when every other release has one that agrees with it there, in the target's class. That is only luck where as
    many people as are promised have the target's keys in all of them, and not all the same value: then it does not
    count. Of people with several records each is gone for that has one like it in every other release.
    """
    more = [
        name for name in kept.table.column_names
        if all(name in one.table.column_names for one in others)
        and not any(name in one.keys for one in (kept, *others))
    ]  # fmt: skip
    people = [people_codes(kept, one) for one in others]
    assert kept.people is not None
    inside = kept.people.is_valid().to_numpy(zero_copy_only=False)
    for mine, theirs in people:
        inside = inside & np.isin(mine, theirs)
    if not inside.any():
        return Exposed(whom, 0, 0, why="nobody is in both" if len(others) == 1 else "nobody is in all of them")
    stable = [
        name for name in more
        if all(_kept(kept, one, who, inside, name) >= UNDERSTOOD for one, who in zip(others, people, strict=True))
    ]  # fmt: skip
    if not stable:
        return Exposed(whom, 0, 0, why="no column beside the keys stays the same for nine in ten people")
    beside = [
        _Beside(one, who, _mates(kept, one, who, stable), classes_of(one))
        for one, who in zip(others, people, strict=True)
    ]
    who = people[0][0]
    rows = np.flatnonzero(inside & np.all([one.mate >= 0 for one in beside], axis=0))
    lost = len(np.unique(who[inside])) - len(np.unique(who[rows]))
    note = f"{lost:,} people with several records changed in all of them, and were not gone for" if lost else ""
    if not len(rows):
        return Exposed(whom, 0, 0, why=note)
    return _found(kept, beside, stable, rows, who, whom, note)


def _kept(kept: Edition, other: Edition, who: Pair, inside: Bools, name: str) -> float:
    """The share of the records whose person has one with the same value of a column in the other release."""
    mine, theirs = _joined([who, equal_codes(kept.table, other.table, name)])
    return float(np.isin(mine[inside], theirs).mean())


def _mates(kept: Edition, other: Edition, who: Pair, stable: Sequence[str]) -> Int64:
    """For each record the one of the same person there: the only one of each, or one alike in what is stable."""
    found = np.full(len(who[0]), -1, np.int64)
    mine, theirs = _joined([who, *(equal_codes(kept.table, other.table, name) for name in stable)])
    place = np.full(int(max(mine.max(initial=0), theirs.max(initial=0))) + 1, -1, np.int64)
    place[theirs[::-1]] = np.arange(len(theirs))[::-1]
    found[:] = place[mine]
    number = int(max(who[0].max(initial=0), who[1].max(initial=0))) + 1
    one = np.logical_and(*(np.bincount(each, minlength=number) == 1 for each in who))
    place = np.full(number, -1, np.int64)
    place[who[1]] = np.arange(len(who[1]))
    return np.where(one[who[0]], place[who[0]], found)


def _joined(columns: Sequence[Pair]) -> Pair:
    here = len(columns[0][0])
    numbers = alike([np.concatenate(pair) for pair in columns])
    return numbers[:here], numbers[here:]


def _found(
    kept: Edition, beside: Sequence[_Beside], stable: Sequence[str], rows: Int64, who: Int64, whom: str, note: str
) -> Exposed:
    class_of = classes_of(kept)
    number = int(class_of.max(initial=0)) + 1
    way = alike([class_of[rows], *(one.class_of[one.mate[rows]] for one in beside)])
    ways = int(way.max()) + 1
    fellows = distinct(way, who[rows], ways)
    values = {name: values_of(kept.table, name) for name in kept.sensitive if name in kept.table.column_names}
    news = {name: _news(name, value, class_of, number, beside, rows) for name, value in values.items()}
    same = {name: (distinct(way, value[rows], ways) == 1)[way] for name, value in values.items()}
    few = fellows < kept.crowd
    open_ways = few.copy()
    for name in values:
        open_ways[way[same[name] & news[name]]] = True
    size = np.bincount(class_of, minlength=number)
    small, told, learnt, least = np.zeros(len(rows), bool), np.zeros(len(rows), bool), list[str](), len(class_of)
    for strict in (True, False):
        sides = [_side(kept, one, stable, strict) for one in beside]
        left, crowd = np.zeros(ways, np.int64), np.zeros(ways, np.int64)
        only = {name: np.full(ways, -1, np.int64) for name in values}
        starts = np.zeros(ways, np.int64)
        starts[way[::-1]] = np.arange(len(rows))[::-1]
        for whose, candidate in _candidates(np.flatnonzero(open_ways), class_of, rows, starts):
            stay = np.ones(len(whose), bool)
            for one, side in zip(beside, sides, strict=True):
                stay &= side.has(one.class_of[one.mate[rows[starts[whose]]]], candidate)
            whose, candidate = whose[stay], candidate[stay]
            left += np.bincount(whose, minlength=ways)
            crowd += distinct(whose, who[candidate], ways)
            for name, value in values.items():
                single = distinct(whose, value[candidate], ways)
                only[name][whose[single[whose] == 1]] = value[candidate[single[whose] == 1]]
        own = np.all([side.has(one.class_of[one.mate[rows]], rows) for one, side in zip(beside, sides, strict=True)], 0)
        own &= open_ways[way]
        small |= own & ((crowd < kept.crowd) & few)[way] & (left[way] < size[class_of[rows]])
        least = min(least, int(crowd[way[small]].min(initial=least)))
        for name, value in values.items():
            mine = (only[name][way] == value[rows]) & (value[rows] >= 0) & same[name] & news[name]
            told |= mine
            learnt += [name] if mine.any() and name not in learnt else []
    hit = small | told
    found, of, near, sure = (len(np.unique(who[rows[each]])) for each in (hit, slice(None), small, told))
    return Exposed(
        whom, found, of, kept.crowd, near, sure, len(np.unique(class_of[rows[hit]])), least if small.any() else 0,
        tuple(kept.keys), tuple(learnt), note,
    )  # fmt: skip


def _news(name: str, value: Int64, class_of: Int64, number: int, beside: Sequence[_Beside], rows: Int64) -> Bools:
    """Of which records no release tells a variable alone: what one tells is no news."""
    found: Bools = (distinct(class_of, value, number) > 1)[class_of[rows]]
    for one in beside:
        if name in one.edition.table.column_names:
            told = values_of(one.edition.table, name)
            several = distinct(one.class_of, told, int(one.class_of.max(initial=0)) + 1) > 1
            found = found & several[one.class_of[one.mate[rows]]]
    return found


@dataclass(frozen=True)
class _Side:
    """Which combinations of class and profile another release has."""

    mine: Int64  # the profile of each record of the release that is looked at
    there: Int64  # classes and profiles of the other, as one number each, in order
    number: int  # of profiles

    def has(self, classes: Int64, records: Int64) -> Bools:
        """Whether it has a record like these in those classes."""
        wanted = classes * self.number + self.mine[records]
        at = np.minimum(np.searchsorted(self.there, wanted), len(self.there) - 1)
        return np.asarray(self.there[at] == wanted)


def _side(kept: Edition, one: _Beside, stable: Sequence[str], strict: bool) -> _Side:
    mine, theirs, number = profiles(kept.table, one.edition.table, stable, strict)
    return _Side(mine, np.unique(one.class_of * number + theirs), number)


def _candidates(ways: Int64, class_of: Int64, rows: Int64, starts: Int64) -> Iterator[Pair]:
    """Each way beside every record of its class, some ways at a time."""
    order = np.argsort(class_of, kind="stable")
    size = np.bincount(class_of)
    begin = np.cumsum(size) - size
    classes = class_of[rows[starts[ways]]]
    ends = np.cumsum(size[classes])
    first = 0
    while first < len(ways):
        before = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, before + _BLOCK, "right")), first + 1)
        here = classes[first:last]
        total = int(size[here].sum())
        offset = np.arange(total) - np.repeat(np.cumsum(size[here]) - size[here], size[here])
        yield np.repeat(ways[first:last], size[here]), order[np.repeat(begin[here], size[here]) + offset]
        first = last
