"""What each model says of each target's value, with the target's own records and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.attack.knowledge import Bools, Sensitive
from incrowd.attack.learning.features import Floats, Lesson
from incrowd.attack.learning.models import Model, boosted_number, boosting, forest, one_tree
from incrowd.attack.learning.numbers import Numbers, middle_number
from incrowd.attack.learning.room import Room
from incrowd.attack.situation import Int64

#: Values of a sensitive variable that trees tell apart; they never predict rarer ones.
MOST_VALUES = 20
#: So many rows forest and boosting learn from, by chance: the tree and the nearest records always have all.
MOST_LEARNT, THOROUGH_LEARNT = 10_000, 500_000
#: Above so many rows a forest takes longer than the run: it is tried when there is time.
MOST_FOREST = 5_000

TREE, BOOSTING, FOREST = "a decision tree", "boosting", "a forest"
NEAREST, NUMBER = "the nearest records", "boosting on the number itself"
MODELS: dict[str, Model] = {TREE: one_tree, BOOSTING: boosting, FOREST: forest}

#: For each target what is said with their own records, and what without.
Both = tuple[Int64, Int64]


@dataclass(frozen=True)
class Guesses:
    """By the name of the model, what it says of every target; -1 (of a number NaN) where it says nothing."""

    values: dict[str, Both]
    numbers: dict[str, tuple[Floats, Floats]]  # of a number that is judged by bands, the number itself
    rare: int  # released records whose value trees do not learn
    thinned: bool  # whether forest and boosting learnt from a part of the records
    no_forest: bool  # whether there was no time for a forest


def guess(sensitive: Sensitive, numbers: Numbers | None, room: Room, seed: int) -> Guesses:
    """Ask every model. `numbers` are there for a variable that is judged by bands."""
    usable, rare = _usable(sensitive)
    most = THOROUGH_LEARNT if room.thorough else MOST_LEARNT
    lessons = [_lesson(room, i, usable, sensitive.released, seed) for i in range(len(room.learn))]
    rows = len(lessons[0].values)
    no_forest = rows > MOST_FOREST and not room.thorough
    found: dict[str, Both] = {}
    for name, model in MODELS.items():
        if name == FOREST and no_forest:
            continue
        taught = lessons if name == TREE else [lesson.fewer(most) for lesson in lessons]
        said = [_said(model, lesson)[of] for lesson, of in zip(taught, _asked(room), strict=True)]
        found[name] = (said[0].astype(np.int64), _put_together(room, said).astype(np.int64))
    near = [
        near.state(sensitive.released[learn], sensitive.values)
        for near, learn in zip(room.near, room.learn, strict=True)
    ]
    found[NEAREST] = (near[0], _put_together(room, near).astype(np.int64))
    named = {} if numbers is None else _named(numbers, room, most, seed)
    if numbers is not None:
        found[NUMBER] = (numbers.bands(named[NUMBER][0]), numbers.bands(named[NUMBER][1]))
    return Guesses(found, named, rare, rows > most, no_forest)


def _named(numbers: Numbers, room: Room, most: int, seed: int) -> dict[str, tuple[Floats, Floats]]:
    """A number as a number: the middle one of the nearest records, and what boosting says."""
    there = ~np.isnan(numbers.released)
    points, codes = np.unique(numbers.released, return_inverse=True)
    boosted, near = [], []
    for i, of in enumerate(_asked(room)):
        lesson = _lesson(room, i, there, codes.ravel(), seed).fewer(most)
        nothing = np.full(len(lesson.aims), np.nan)
        boosted.append((boosted_number(lesson, points[lesson.values]) if len(lesson.values) else nothing)[of])
        near.append(middle_number(room.near[i], numbers.released[room.learn[i]]))
    return {NEAREST: (near[0], _put_together(room, near)), NUMBER: (boosted[0], _put_together(room, boosted))}


def _lesson(room: Room, number: int, which: Bools, values: Int64, seed: int) -> Lesson:
    """What is taught in a round: of the records learnt from in it, those that have a value to be learnt."""
    kept = room.learn[number] & which
    return Lesson.of(room.table.rows, room.table.of[kept], values[kept], room.aims.rows, room.categories, seed)


def _said(model: Model, lesson: Lesson) -> Int64:
    """What a model says of each of the lesson's aims; where there is one value at most, there is nothing to learn."""
    if len(np.unique(lesson.values)) < 2:
        return np.full(len(lesson.aims), lesson.values[0] if len(lesson.values) else -1, np.int64)
    return model(lesson)


def _asked(room: Room) -> list[Int64]:
    """For each round the aims of those who are asked about in it."""
    return [room.aims.of[asked] for asked in room.asked]


def _put_together(room: Room, said: Sequence[Int64 | Floats]) -> Floats:
    """What was said part by part, for all targets."""
    found = np.full(len(room.people), np.nan)
    for asked, one in zip(room.asked[1:], said[1:], strict=True):
        found[asked] = one
    return found


def _usable(sensitive: Sensitive) -> tuple[Bools, int]:
    """Released records whose value trees learn, and how many have a value that is too rare for that."""
    order = np.argsort(-sensitive.shares, kind="stable")
    learnt = np.zeros(sensitive.values + 1, bool)
    learnt[order[:MOST_VALUES]] = True
    learnt[-1] = False
    usable = learnt[sensitive.released]
    return usable, int(((sensitive.released >= 0) & ~usable).sum())
