"""The unknowns: how many people of each kind there can be, and the counts that bind them.

Released records that say the same of the tables' columns are one group; all people who were left out are another, of
unknown size. An unknown is how many of a group have one combination of the tables' labels. A group that can have one
combination only is none: it is taken away from the counts at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.spans import overlaps
from incrowd.attack.situation import Int64, Situation, coded
from incrowd.attack.solving.published import MANY, Categories, Floats, Part, Published
from incrowd.keys.packing import group, pack

LEFT_OUT = 0  # the number of the group of people who are not in the release
#: So many unknowns are written down; with more the attack was not tried.
MOST, MOST_THOROUGH = 400_000, 4_000_000


class TooMany(Exception):
    """There are more unknowns than can be written down."""


@dataclass(frozen=True)
class Groups:
    """Released records by what they say of the tables' columns; group 0 are the people who were left out."""

    of: Int64  # for each released record
    size: Int64  # for each group; 0 for those who were left out, as nobody knows
    allowed: tuple[Bools, ...]  # for each of the categories: groups x labels, which labels the release leaves open

    @property
    def fixed(self) -> Bools:
        """Whether the release leaves a group one combination only."""
        found: Bools = np.all([one.sum(axis=1) == 1 for one in self.allowed], axis=0)
        found[LEFT_OUT] = False
        return found


@dataclass(frozen=True)
class Unknown:
    """Unknowns with the counts that bind them: low <= binds @ number <= high, each number from 0 to `most`."""

    group: Int64  # for each unknown
    labels: Int64  # categories x unknowns
    binds: csr_array  # counts x unknowns
    low: Floats
    high: Floats
    most: Floats


def groups_of(situation: Situation, published: Published, with_release: bool = True) -> Groups:
    """What the release leaves open of the tables' columns, for records that say the same of them.

    A label that the table has, too, is itself; a range of numbers is what it overlaps; a coarser name is what people
    with it have in the source, as the dictionary of a release tells. An empty cell is anything where the release blanks
    cells of that column, else it is missing in the source as well.
    """
    categories = published.categories
    columns = list(dict.fromkeys(one.column for one in categories if one.column in situation.released.column_names))
    number = situation.released.num_rows if with_release else 0
    codes = {name: coded([situation.released, situation.known], name) for name in columns} if number else {}
    if codes:
        begin, of = group(pack([each[0][0] for each in codes.values()], [len(each[1]) for each in codes.values()]))
    else:
        begin, of = np.zeros(min(number, 1), np.int64), np.zeros(number, np.int64)
    size = np.concatenate([[0], np.bincount(of, minlength=len(begin))]).astype(np.int64)
    allowed = []
    for one in categories:
        if one.column not in codes:
            allowed.append(np.ones((len(size), one.size), bool))
            continue
        (mine, theirs), names = codes[one.column]
        fits = _fits(situation, one, mine, theirs, names.to_pylist())
        allowed.append(np.concatenate([np.ones((1, one.size), bool), fits[mine[begin]]]))
    return Groups(of + 1, size, tuple(allowed))


def _fits(situation: Situation, one: Categories, mine: Int64, theirs: Int64, names: list[str | None]) -> Bools:
    """For each label of the release, which of a table's labels its people can have."""
    place = {label: i for i, label in enumerate(one.labels)}
    seen = np.zeros((len(names), one.size), bool)
    seen[theirs, one.home] = True
    found = np.zeros_like(seen)
    ranges = overlaps(names, one.labels)
    for code, label in enumerate(names):
        if label is None and (theirs[situation.lines[mine == code]] != code).any():
            found[code] = True  # cells are blanked: it can be anybody's
        elif label in place:
            found[code, place[label]] = True
        elif ranges[code].any():
            found[code, : len(one.labels)] = ranges[code]
            found[code] |= seen[code]
        elif seen[code].any():
            found[code] = seen[code]
        else:
            found[code] = True
    return found


def unknown_of(published: Published, groups: Groups, most: int) -> Unknown:
    """All unknowns that the counts leave room for, and the counts without the people who are certain."""
    rest = [_rest(part, groups) for part in published.parts]
    whose = np.flatnonzero(~groups.fixed)
    labels = np.zeros((0, len(whose)), np.int64)
    for axis, one in enumerate(published.categories):
        at, label = _spread(groups.allowed[axis], whose, most)
        whose, labels = whose[at], np.concatenate([labels[:, at], label[None]])
        keep = np.ones(len(whose), bool)
        for before in range(axis):
            if published.categories[before].column == one.column:
                keep &= _alike(published.categories[before], one)[labels[before], label]
        for part, room in zip(published.parts, rest, strict=True):
            if axis in part.axes:
                keep &= room.counted[whose] | _has_room(published, part, room, labels)
        whose, labels = whose[keep], labels[:, keep]
    return _bound(published, groups, rest, whose, labels)


def _spread(allowed: Bools, whose: Int64, most: int) -> tuple[Int64, Int64]:
    """Each of these groups beside every label that it can have: their places, and the labels."""
    width = allowed.sum(axis=1)
    if width[whose].sum() > most:
        raise TooMany
    there = np.nonzero(allowed)[1]
    begin = np.cumsum(width) - width
    at = np.repeat(np.arange(len(whose)), width[whose])
    ends = np.cumsum(width[whose])
    return at, there[begin[whose][at] + np.arange(len(at)) - (ends - width[whose])[at]]


@dataclass(frozen=True)
class _Room:
    """What is left of the counts of a part when the people are taken away whose cell is certain."""

    low: Floats
    high: Floats
    counted: Bools  # for each group, whether it is taken away


def _rest(part: Part, groups: Groups) -> _Room:
    counted = np.ones(len(groups.size), bool)
    for axis in part.axes:
        counted &= groups.allowed[axis].sum(axis=1) == 1
    counted[LEFT_OUT] = False
    cells = np.zeros((len(part.axes), int(counted.sum())), np.int64)
    for i, axis in enumerate(part.axes):
        cells[i] = groups.allowed[axis][counted].argmax(axis=1)
    at, people = _find(part.cells.T, cells), np.zeros(len(part.cells))
    np.add.at(people, at[at >= 0], groups.size[counted][at >= 0].astype(float))
    return _Room(part.low - people, part.high - people, counted)


def _has_room(published: Published, part: Part, room: _Room, labels: Int64) -> Bools:
    """Which combinations, as far as they go, can lie in a cell with room for somebody."""
    told = [i for i, axis in enumerate(part.axes) if axis < len(labels)]
    mine = labels[[part.axes[i] for i in told]]
    alive = room.high > 0
    if not part.closed:
        full = _find(part.cells[~alive].T, mine) >= 0 if len(told) == len(part.axes) else np.zeros(mine.shape[1], bool)
        return ~full
    found = _find(part.cells[alive][:, told].T, mine) >= 0
    for i, label in zip(told, mine, strict=True):
        found |= label >= len(published.categories[part.axes[i]].labels)  # who has none of these is in no cell
    return found


def _alike(one: Categories, other: Categories) -> Bools:
    """Which labels of two tables for one column can be a person's at the same time."""
    found = np.ones((one.size, other.size), bool)
    seen = np.zeros_like(found)
    seen[one.home, other.home] = True
    ranges = overlaps(one.labels, other.labels)
    place = {label: i for i, label in enumerate(other.labels)}
    for i, label in enumerate(one.labels):
        if label in place:
            found[i] = False
            found[i, place[label]] = True
        elif ranges[i].any():
            found[i, : len(other.labels)] = ranges[i]
            found[i] |= seen[i]
        elif seen[i].any():
            found[i] = seen[i]
    return found


def _bound(published: Published, groups: Groups, rest: list[_Room], whose: Int64, labels: Int64) -> Unknown:
    released = np.flatnonzero(~groups.fixed)[1:]
    at = np.full(len(groups.size), -1, np.int64)
    at[released] = np.arange(len(released))
    mine, size = np.flatnonzero(whose != LEFT_OUT), groups.size[released].astype(float)
    rows, columns, low, high = [at[whose[mine]]], [mine], [size], [size]
    number = len(released)
    for part, room in zip(published.parts, rest, strict=True):
        cell = _find(part.cells.T, labels[list(part.axes)])
        there = np.flatnonzero((cell >= 0) & ~room.counted[whose])
        rows.append(number + cell[there])
        columns.append(there)
        low.append(room.low)
        high.append(room.high)
        number += len(part.cells)
    pairs = (np.concatenate(rows), np.concatenate(columns))
    binds = csr_array((np.ones(len(pairs[0])), pairs), shape=(number, len(whose)))
    most = np.where(whose == LEFT_OUT, MANY, groups.size[whose].astype(float))
    return Unknown(whose, labels, binds, np.concatenate(low), np.concatenate(high), most)


def _find(cells: Int64, wanted: Int64) -> Int64:
    """For each wanted combination (a column) the place of the same one among the cells, or -1."""
    if not cells.shape[1] or not len(cells):  # a total over everything is one cell without a column
        return np.full(wanted.shape[1], 0 if cells.shape[1] else -1, np.int64)
    whole = np.concatenate([cells, wanted], axis=1)
    packed = pack(list(whole), [int(row.max(initial=0)) + 1 for row in whole])
    there, first = np.unique(packed[: cells.shape[1]], return_index=True)
    mine = packed[cells.shape[1] :]
    at = np.minimum(np.searchsorted(there, mine), len(there) - 1)
    return np.where(there[at] == mine, first[at], -1).astype(np.int64)
