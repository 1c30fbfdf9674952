"""What two releases of a series give away together: about who came, who went, and who is in both.

Everybody else is taken away: whoever is in one release only, or has changed, is left in what remains, and that is a
smaller crowd than either file promises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.attack.composition import Side, pinned
from incrowd.attack.differencing import UNDERSTOOD
from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.compatible import profiles
from incrowd.attack.matching.editions import (
    Edition,
    Pair,
    classes_of,
    distinct,
    equal_codes,
    itself,
    most_records,
    numbered,
    people_codes,
    readings,
    single_records,
    subsets,
    surplus,
    values_of,
)
from incrowd.attack.situation import Int64, codes_of
from incrowd.keys.packing import group

CAME, WENT, BOTH = (
    "new in the later release or in their class there",
    "gone from the earlier one or their class there",
    "in both",
)
#: Who stayed in their class, with other values: isolated only for somebody who knows that something changed.
CHANGED = "in the same class of both with other values"


@dataclass(frozen=True)
class Exposed:
    """Whom two releases give away although neither does alone. Counts and names of variables, never a value."""

    whom: str
    found: int  # people; records where nobody can tell whose they are
    of: int
    promised: int = 0  # the crowd that their release promises
    small: int = 0  # of those found, how many stand in a smaller one
    told: int = 0  # and of how many a single value is left
    classes: int = 0  # in the view that finds most
    smallest: int = 0  # the smallest crowd
    keys: tuple[str, ...] = ()  # by which the classes of that view are told apart
    learnt: tuple[str, ...] = ()  # variables of which a single value is left
    why: str = ""  # what limits it, in words
    untried: bool = False  # it should have been tried, and could not be: nobody knows

    @property
    def share(self) -> float:
        """Of those whom the intruder goes for."""
        return self.found / self.of if self.of else 0.0


def compare_editions(first: Edition, second: Edition, linked: bool) -> tuple[Exposed, ...]:
    """Whom do two releases of a series give away together?

    `linked` says whether both know whose record is whose. Then a record is new when its person had none like it before,
    and a target's crowd are the people of their class with new records. Without it as many people as can be are taken
    to be in both: of each kind of record so many are new as the later release has more. In both cases the crowd must
    be as large as the release promises, and what the new records of a class say must not be one value where the class
    has several. Classes are those of every combination of the keys, and records are compared in one further column at
    a time, in all that hardly anybody changes, and in all: more columns add to those who changed. Keys that only one of
    the two releases has cannot be taken away by, and tell apart what is left.
    """
    later = (CAME, CHANGED) if linked else (CAME,)
    found = [*_left_over(second, first, linked, later), *_left_over(first, second, linked, (WENT,))]
    if linked:
        found.append(max((_in_both(second, first), _in_both(first, second)), key=lambda one: one.found))
    elif changed := recoded(first, second):
        found.append(Exposed(BOTH, 0, 0, why=f"{changed}, and who is in both is not known", untried=True))
    return tuple(found)


def matched(first: Edition, second: Edition) -> tuple[int, int]:
    """How many people are in both, and how many the smaller of the two has; people without a name are nobody's."""
    sides = [set(one.people.drop_null().to_pylist()) if one.people is not None else set() for one in (first, second)]
    return len(sides[0] & sides[1]), min(len(side) for side in sides)


def recoded(first: Edition, second: Edition) -> str:
    """That the keys of the two may be told in other categories, in words; empty where they are told alike."""
    for key in dict.fromkeys([*first.keys, *second.keys]):
        if key not in first.table.column_names or key not in second.table.column_names:
            return f"only one of the two releases has the key {key}"
        mine, theirs = (set(one.table[key].unique().to_pylist()) for one in (first, second))
        ones, others = mine - theirs, theirs - mine
        (here,), (there,) = codes_of([first.table, second.table], [key])
        chained = profiles(first.table, second.table, [key], True)
        met = set(chained[0][~np.isin(here, there)].tolist()) & set(chained[1].tolist())
        met |= set(chained[1][~np.isin(there, here)].tolist()) & set(chained[0].tolist())
        if (ones and others) or met:
            return f"the key {key} is told in other categories"
    return ""


@dataclass
class _Tally:
    """What the views so far have found of some of the new records: marks on them, and the view that found most."""

    small: Bools
    told: Bools
    new: Bools
    worst: Exposed

    def add(self, new: Bools, small: Bools, told: Bools, worst: Exposed) -> None:
        """One view more."""
        self.small, self.told, self.new = self.small | small, self.told | told, self.new | new
        if worst.found >= self.worst.found or not self.worst.of:  # of equals the last, which has most keys
            self.worst = worst

    def by_people(self, who: Int64) -> Exposed:
        """All views together, in people."""
        marks = (self.small | self.told, self.new, self.small, self.told)
        found, of, small, told = (len(np.unique(who[each])) for each in marks)
        return replace(self.worst, found=found, of=of, small=small, told=told)


@dataclass(frozen=True)
class _Release:
    """The release that is looked at, in classes by some of its keys."""

    who: Pair | None
    values: Mapping[str, Int64]
    need: int
    keys: tuple[str, ...] = ()
    class_of: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    size: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))  # people in each class
    several: Mapping[str, Bools] = field(default_factory=dict)  # whether each class has several values

    def by(self, keys: tuple[str, ...], class_of: Int64) -> _Release:
        """The same in other classes."""
        number = int(class_of.max(initial=0)) + 1
        size = np.bincount(class_of, minlength=number) if self.who is None else distinct(class_of, self.who[0], number)
        several = {name: distinct(class_of, value, number) > 1 for name, value in self.values.items()}
        return replace(self, keys=keys, class_of=class_of, size=size, several=several)


def _left_over(kept: Edition, other: Edition, linked: bool, whom: Sequence[str]) -> list[Exposed]:
    """Who is left of one release when the other is taken away? Those who are not in their class there; and, where it is
    asked for and can be told, those who are.
    """
    shared = [name for name in kept.table.column_names if name in other.table.column_names]
    keys = [name for name in shared if name in kept.keys or name in other.keys]
    more = [name for name in shared if name not in keys]
    if not more:
        alike = _alike_by_other_names(kept, other)
        so = "yet have columns with the same values under other names" if alike else "so nothing can be taken away"
        why = f"the two share no column beside the keys, {so}"
        return [Exposed(each, 0, 0, why=why, untried=alike) for each in whom]
    number, rest = kept.table.num_rows, other.table.num_rows
    who = people_codes(kept, other) if linked else None
    values = {name: values_of(kept.table, name) for name in kept.sensitive if name in kept.table.column_names}
    release, nobody = _Release(who, values, kept.crowd), np.zeros(number, bool)
    tallies = [_Tally(nobody, nobody, nobody, Exposed(each, 0, 0)) for each in whom]
    own, together = classes_of(kept), _compared(kept, other, more, linked)
    alone = release.by(kept.keys, own) if set(kept.keys) - set(shared) else None
    for columns in readings(kept.table, other.table, shared):
        for chosen in subsets(keys):
            classes = numbered([columns[name] for name in chosen], number, rest)
            seen, came = release.by(chosen, classes[0]), np.ones(number, bool)
            if who is not None:
                pairs = numbered([classes, who], number, rest)
                came = surplus(pairs)[pairs[0]] > 0
            for names in together:
                cells = numbered([classes, *(columns[name] for name in names)], number, rest)
                for tally, targets in zip(tallies, (came, ~came), strict=False):
                    _look(tally, cells, seen, targets)
                    if alone is not None:
                        _look(tally, cells, alone, targets, finer=True)
    return [tally.worst if who is None else tally.by_people(who[0]) for tally in tallies]


def _compared(kept: Edition, other: Edition, more: Sequence[str], linked: bool) -> list[list[str]]:
    """The columns beside the keys that records are compared in: each, those that hardly anybody changes, and all."""
    found = [[name] for name in more]
    if linked:
        rows, there, _ = single_records(kept, other)
        codes = {name: equal_codes(kept.table, other.table, name) for name in more}
        found.append(
            [name for name, (mine, theirs) in codes.items() if _agree(mine[rows], theirs[there]) >= UNDERSTOOD]
        )
    found.append(list(more))
    return [names for i, names in enumerate(found) if names and names not in found[:i]]


def _alike_by_other_names(first: Edition, second: Edition) -> bool:
    """Whether both have a column beside the keys with mostly the same values: it may be one under two names."""
    sides = [
        [
            set(one.table[name].unique().to_pylist()) - {None, ""}
            for name in one.table.column_names
            if name not in one.keys
        ]
        for one in (first, second)
    ]
    return any(2 * len(a & b) >= min(len(a), len(b)) for a in sides[0] for b in sides[1] if a and b)


def _look(tally: _Tally, cells: Pair, release: _Release, targets: Bools, finer: bool = False) -> None:
    """One view: what is left of each class when records alike in some columns are taken away. With `finer` classes than
    both releases have, all records of what there is more of may be the ones that are left.
    """
    more, who, class_of = surplus(cells), release.who, release.class_of
    left, number = more[cells[0]] > 0, len(release.size)
    if who is None:
        new = left
        begin, _ = group(cells[0])
        weights = np.maximum(more[cells[0][begin]], 0)
        crowd = np.bincount(class_of[begin], weights=weights, minlength=number).astype(np.int64)
    else:
        pairs = numbered([cells, who], len(cells[0]), len(cells[1]))
        new = surplus(pairs)[pairs[0]] > 0
        crowd = distinct(class_of[new], who[0][new], number)
    one_of = new
    if finer:
        one_of = new | left
        persons = np.arange(len(new)) if who is None else who[0]
        crowd = distinct(class_of[one_of], persons[one_of], number)
    asked = new & left & targets
    small = asked & ((crowd < release.need) & (crowd < release.size))[class_of]
    told, learnt = np.zeros(len(new), bool), []
    for name, value in release.values.items():
        one = (distinct(class_of[one_of], value[one_of], number) == 1) & release.several[name]
        if (mine := asked & one[class_of] & (value >= 0)).any():
            told |= mine
            learnt.append(name)
    hit, near, sure = (np.unique(class_of[marks]) for marks in (small | told, small, told))
    of = int(crowd[np.unique(class_of[new & targets])].sum())
    found, few, certain = (int(crowd[each].sum()) for each in (hit, near, sure))
    least = int(crowd[hit].min()) if len(hit) else 0
    view = Exposed(
        tally.worst.whom, found, of, release.need, few, certain, len(hit), least, release.keys, tuple(learnt)
    )  # fmt: skip
    tally.add(new & targets, small, told, view)


def _in_both(kept: Edition, other: Edition) -> Exposed:
    """Of whom in both does what stays the same in the two leave too few records of one, or a single value?

    Targets have one record in each. An intruder knows their keys in both, and takes what nine in ten people keep for
    unchanged; a record stays when one of the other release agrees with it there. That is only luck where as many people
    as are promised have the target's keys in both, and not all of them the same value: then it does not count.
    """
    rows, there, several = single_records(kept, other)
    more = [
        name for name in kept.table.column_names
        if name in other.table.column_names and name not in (*kept.keys, *other.keys)
    ]  # fmt: skip
    codes = {name: equal_codes(kept.table, other.table, name) for name in more}
    stable = [name for name, (mine, theirs) in codes.items() if _agree(mine[rows], theirs[there]) >= UNDERSTOOD]
    note = f"{several:,} people with several records were not gone for" if several else ""
    if not len(rows):
        return Exposed(BOTH, 0, 0, why=note or "nobody is in both")
    if not stable:
        return Exposed(BOTH, 0, 0, why="no column beside the keys stays the same for nine in ten people")
    class_of, class_there = (classes_of(one) for one in (kept, other))
    first = Side(kept.table, class_of[rows], class_of, itself(class_of))
    second = Side(other.table, class_there[there], class_there, itself(class_there))
    most = most_records(kept, class_of)
    way = numbered([(class_of[rows], rows[:0]), (class_there[there], rows[:0])], len(rows), 0)[0]
    fellows = np.bincount(way)[way]
    small, told, learnt, least = np.zeros(len(rows), bool), np.zeros(len(rows), bool), [], len(class_of)
    for strict in (True, False):
        pins = pinned(first, second, stable, np.zeros(len(class_of), np.int64), rows, strict)
        crowd = -(-pins.left // most)
        small |= pins.own & (crowd < kept.crowd) & (pins.left < pins.before) & (fellows < kept.crowd)
        least = min(least, int(crowd[small].min(initial=least)))
        for name in (each for each in kept.sensitive if each in kept.table.column_names):
            value = values_of(kept.table, name)
            pins = pinned(first, second, stable, value, rows, strict)
            mine = (pins.together >= 0) & (pins.together == value[rows]) & (pins.alone < 0)
            mine &= (distinct(way, value[rows], len(rows)) == 1)[way]
            if name in other.table.column_names:  # what the other release tells alone is no news
                beside = values_of(other.table, name)
                mine &= (distinct(class_there, beside, int(class_there.max(initial=0)) + 1) > 1)[class_there[there]]
            told |= mine
            learnt += [name] if mine.any() and name not in learnt else []
    hit = small | told
    return Exposed(
        BOTH, int(hit.sum()), len(rows), kept.crowd, int(small.sum()), int(told.sum()),
        len(np.unique(class_of[rows[hit]])), least if small.any() else 0, tuple(kept.keys), tuple(learnt), note,
    )  # fmt: skip


def _agree(mine: Int64, theirs: Int64) -> float:
    return float((mine == theirs).mean()) if len(mine) else 0.0
