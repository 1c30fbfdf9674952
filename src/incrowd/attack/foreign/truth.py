"""Whose record is whose in a release made elsewhere: by an id, by the order, or by what fits. Never by a guess."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.foreign.fitting import Fitting, fitting_of
from incrowd.attack.foreign.labels import Bools, Column
from incrowd.attack.foreign.placing import placed
from incrowd.attack.situation import Int64
from incrowd.attack.words import list_keys, percent

Draws = Callable[..., Callable[[int], NDArray[np.uint64]]]

#: Records put together by chance, to see how often such a record fits somebody.
MADE_UP = 2_000
BY_ORDER, BY_FIT = "the order of the records", "what fits"


@dataclass(frozen=True)
class Truth:
    """For each released record the number of its record in the original, and how far that is known.

    Where several records of the original fit, `ways` holds more than one answer that is possible: one in which whoever
    fits best is taken, and one by chance. A figure is told with what all of them give.
    """

    ways: tuple[Int64, ...]
    exact: Bools  # for each released record, whether just one record of the original can be its
    known: Bools  # the same but for records that are alike in everything that both files have
    outside: Bools  # for each record of the original, whether it was certainly not released
    how: str  # by what
    changed: tuple[str, ...] = ()  # columns whose values were taken to be changed, so that they trace nobody
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> Int64:
        """The answer in which whoever fits best is taken."""
        return self.ways[0]

    @property
    def share(self) -> float:
        """The share of the released records whose original is known, but for those that are alike."""
        return float(self.known.mean()) if len(self.known) else 0.0


def told_truth(lines: Int64, people: int, how: str) -> Truth:
    """The truth as an id or the order tells it."""
    all_ = np.ones(len(lines), bool)
    outside = np.ones(people, bool)
    outside[lines] = False
    return Truth((lines,), all_, all_, outside, how)


def truth_by_fit(columns: Sequence[Column], keys: Collection[str], draws: Draws) -> tuple[Truth | None, str]:
    """The truth by what fits, or None and why there is none.

    A release that only coarsened, blanked and dropped has an original for every record, all at once. Where that is not
    so, values were changed: the column is given up without which most records find one (a column that is no key before
    one that is: then linkage by the keys is rather over- than understated). Nothing is traced when more than half of
    the columns would have to be given up: then these may be other people altogether.
    """
    there = [column for column in columns if not column.unread and not column.silent]
    if not there:
        return None, "no column that both files have can be read"
    if len(there[0].released) > len(there[0].original):
        more = len(there[0].released) - len(there[0].original)
        return None, f"the release has {more:,} records more than the original, so that it was not made from it alone"
    kept, given_up = list(there), list[str]()
    found = fitting_of(kept)
    first = None if found is None else found.lacking
    while found is not None and found.lacking:
        tries = _changes(kept)
        if not tries:
            break
        fits = [fitting_of(some) for some, _ in tries]
        scores = [
            (np.inf if fit is None else fit.lacking, bool(gone) and gone in keys, bool(gone))
            for fit, (_, gone) in zip(fits, tries, strict=True)
        ]
        best = scores.index(min(scores))
        (kept, gone), found = tries[best], fits[best]
        given_up += [gone] if gone else []
        if 2 * len(kept) < len(there):
            break
    if found is None:
        return None, "too many records of the original fit too many released ones to be compared"
    if found.lacking:
        return None, (
            f"{first:,} of {len(found.class_of):,} released records fit nobody in the original by "
            f"{list_keys([column.name for column in there])}: they may be other people, or most columns were changed"
        )
    changed = [column for column in there if column.name in given_up]
    return _truth(kept, found, changed, draws), ""


def _changes(kept: Sequence[Column]) -> list[tuple[list[Column], str]]:
    """Every way to ask for less: a column read in another way, or given up (then with its name)."""
    found = []
    for i, column in enumerate(kept):
        rest = [*kept[:i], *kept[i + 1 :]]
        if column.readings[0] is not column.readings[-1]:
            # The next way, and never back to this one.
            other = replace(column, readings=column.readings[1:])
            found.append(([*kept[:i], other, *kept[i + 1 :]], ""))
        if rest:
            found.append((rest, column.name))
    return found


def _truth(kept: Sequence[Column], found: Fitting, changed: Sequence[Column], draws: Draws) -> Truth:
    classes, combinations = found.pairs
    one = found.degrees[0][found.class_of] == 1
    exact = one & (found.candidates == 1)
    alike = _alike(found, changed)
    only = np.full(len(found.records), -1)
    only[classes] = combinations
    known = exact | (one & alike[only[found.class_of]])
    ways = [placed(found, changed)]
    if not exact.all():
        ways.append(placed(found, (), draws("foreign", "ways")))
    outside = (found.degrees[1] == 0)[found.combination_of]
    notes = []
    if changed:
        names = list_keys([column.name for column in changed])
        notes.append(f"{names}: values were taken to be changed, since with them not every record fits somebody")
    by_chance = _by_chance(kept, draws)
    if changed and by_chance is not None and by_chance > 0.5:
        # Nothing shows that the other columns were left as they were: whoever fits alone may do so by chance.
        exact, known, outside = (np.zeros(len(each), bool) for each in (exact, known, outside))
        notes.append(
            f"by the other columns a record put together by chance fits somebody in {percent(by_chance)}, so that "
            "nobody counts as traced"
        )
    elif by_chance is not None and by_chance > 0.5:
        notes.append(
            f"a record put together by chance from the release's own values fits somebody in {percent(by_chance)}: "
            "that all of them fit hardly shows that these are the same people, which is taken on your word"
        )
    return Truth(tuple(ways), exact, known, outside, BY_FIT, tuple(c.name for c in changed), tuple(notes))


def _alike(found: Fitting, changed: Sequence[Column]) -> Bools:
    """For each combination, whether its records are alike in the columns that were given up, too."""
    alike = np.ones(len(found.people), bool)
    order = np.argsort(found.combination_of, kind="stable")
    place = found.combination_of[order]
    same = place[1:] == place[:-1]
    for column in changed:
        value = column.original[order]
        alike[place[1:][same & (value[1:] != value[:-1])]] = False
    return alike


def _by_chance(columns: Sequence[Column], draws: Draws) -> float | None:
    """How often a record fits somebody whose values are those of different released records."""
    number = min(MADE_UP, len(columns[0].released))
    some = [
        column.released[np.argsort(draws("foreign", "made up", column.name)(len(column.released)))[:number]]
        for column in columns
    ]
    found = fitting_of(columns, some)
    return None if found is None else float((found.candidates > 0).mean())


def disagreeing(columns: Sequence[Column], lines: Int64, draws: Draws) -> str:
    """Why this cannot be the truth: the columns in which the records agree no better than by chance; empty where at
    least half of those that tell anything agree.
    """
    chance = np.argsort(draws("foreign", "order")(len(lines)))
    told, against = 0, []
    for column in columns:
        if column.unread:
            continue
        agree = _agreement(column, lines)
        by_chance = _agreement(column, lines[chance])
        if by_chance > 0.99:
            continue
        told += 1
        if agree - by_chance < 0.5 * (1 - by_chance) and not _nearer(column, lines, chance):
            against.append(f"{column.name} ({percent(agree)} of the records, by chance {percent(by_chance)})")
    if not told:
        return "no column that both files have tells whether it is right"
    return "" if 2 * len(against) <= told else f"the values do not agree: {list_keys(against)}"


def _agreement(column: Column, lines: Int64) -> float:
    return float(column.agrees(column.released, column.original[lines]).mean())


def _nearer(column: Column, lines: Int64, chance: Int64) -> bool:
    """Whether numbers that were moved lie clearly nearer to their own than to anybody's."""
    if column.numbers is None:
        return False
    labels, values = column.numbers
    mine = labels[column.released]
    own, others = (np.abs(mine - values[column.original[at]]) for at in (lines, lines[chance]))
    return bool(np.nanmedian(own) < 0.5 * np.nanmedian(others))
