"""What is left of one release when another is taken away: whose records those are, and in how small a crowd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.editions import Pair, distinct, numbered, surplus
from incrowd.attack.situation import Int64
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


@dataclass
class Tally:
    """What the views so far have found of some of the new records: marks on them, and the view that found most."""

    small: Bools
    told: Bools
    new: Bools
    worst: Exposed

    @staticmethod
    def of(whom: str, number: int) -> Tally:
        """Nothing found yet among so many records."""
        small, told, new = (np.zeros(number, bool) for _ in range(3))
        return Tally(small, told, new, Exposed(whom, 0, 0))

    def add(self, rows: Int64, new: Bools, small: Bools, told: Bools, worst: Exposed) -> None:
        """One view more, of some of the records."""
        for mine, marks in ((self.small, small), (self.told, told), (self.new, new)):
            mine[rows] |= marks
        if worst.found >= self.worst.found or not self.worst.of:  # of equals the last, which has most keys
            self.worst = worst

    def by_people(self, who: Int64) -> Exposed:
        """All views together, in people."""
        marks = (self.small | self.told, self.new, self.small, self.told)
        found, of, small, told = (len(np.unique(who[each])) for each in marks)
        return replace(self.worst, found=found, of=of, small=small, told=told)


@dataclass(frozen=True)
class Seen:
    """The release that is looked at, in classes by some of its keys; and those of its records that are looked at."""

    who: Pair | None
    values: Mapping[str, Int64]
    need: int
    rows: Int64
    keys: tuple[str, ...] = ()
    class_of: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    size: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))  # people in each class
    several: Mapping[str, Bools] = field(default_factory=dict)  # whether each class has several values

    def by(self, keys: tuple[str, ...], class_of: Int64) -> Seen:
        """The same in other classes."""
        number = int(class_of.max(initial=0)) + 1
        size = np.bincount(class_of, minlength=number) if self.who is None else distinct(class_of, self.who[0], number)
        several = {name: distinct(class_of, value, number) > 1 for name, value in self.values.items()}
        return replace(self, keys=keys, class_of=class_of, size=size, several=several)

    def only(self, rows: Int64, others: Int64) -> Seen:
        """The same classes, and of the records of the two releases only these."""
        who = None if self.who is None else (self.who[0][rows], self.who[1][others])
        values = {name: value[rows] for name, value in self.values.items()}
        return replace(self, who=who, values=values, rows=rows, class_of=self.class_of[rows])


@dataclass(frozen=True)
class View:
    """One way to take one release from the other: of each record whether it is left, and the crowd of its class."""

    seen: Seen
    new: Bools  # its person had none like it
    sure: Bools  # and both files show that some like it are left
    crowd: Int64  # people of each class whose records may be the ones that are left
    one: Mapping[str, Bools]  # whether those of a class have one value, where the class has several


def look(cells: Pair, seen: Seen, finer: bool = False) -> View:
    """What is left of each class when records alike in some columns are taken away. With `finer` classes than both
    releases have, all records of what there is more of may be the ones that are left.
    """
    more, who, class_of = surplus(cells), seen.who, seen.class_of
    left, number = more[cells[0]] > 0, len(seen.size)
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
    values = {name: distinct(class_of[one_of], value[one_of], number) for name, value in seen.values.items()}
    one = {name: (several == 1) & seen.several[name] for name, several in values.items()}
    return View(seen, new, new & left, crowd, one)


def find(tally: Tally, view: View, targets: Bools) -> None:
    """Whom of the targets one view gives away."""
    seen, crowd, class_of = view.seen, view.crowd, view.seen.class_of
    asked = view.sure & targets
    small = asked & ((crowd < seen.need) & (crowd < seen.size))[class_of]
    told, learnt = np.zeros(len(asked), bool), []
    for name, value in seen.values.items():
        if (mine := asked & view.one[name][class_of] & (value >= 0)).any():
            told |= mine
            learnt.append(name)
    hit, near, sure, new = (_classes(class_of, marks, len(crowd)) for marks in
                            (small | told, small, told, view.new & targets))  # fmt: skip
    found, few, certain, of = (int(crowd[each].sum()) for each in (hit, near, sure, new))
    least = int(crowd[hit].min()) if hit.any() else 0
    worst = Exposed(
        tally.worst.whom, found, of, seen.need, few, certain, int(hit.sum()), least, seen.keys, tuple(learnt)
    )  # fmt: skip
    tally.add(seen.rows, view.new & targets, small, told, worst)


def _classes(class_of: Int64, marks: Bools, number: int) -> Bools:
    """Which classes have a marked record."""
    found = np.zeros(number, bool)
    found[class_of[marks]] = True
    return found
