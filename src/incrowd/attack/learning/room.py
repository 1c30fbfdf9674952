"""What all models of an intruder learn from and are asked, whatever the variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.attack.knowledge import Bools
from incrowd.attack.learning.coarse import apart_of
from incrowd.attack.learning.features import features
from incrowd.attack.matching.neighbours import Distinct, Near
from incrowd.attack.situation import Int64, Situation

#: Parts for the control: each is predicted by models that have not seen it. The more, the more like the whole file.
PARTS, THOROUGH_PARTS = 3, 10


@dataclass(frozen=True)
class Room:
    """Keys of records and targets as numbers; for each round of teaching who is learnt from, and who is asked about."""

    people: Int64  # the targets
    table: Distinct  # the keys of the released records, as numbers
    aims: Distinct  # those of the targets, as believed
    categories: list[int]  # which keys are categories
    learn: list[Bools]  # from which released records: all, and for each part those of other people
    asked: list[Bools]  # which targets are asked: all, and those of the part
    near: list[Near]
    half: Int64  # 0 or 1 for each target
    thorough: bool


def room_of(situation: Situation, people: Int64, thorough: bool) -> Room:
    """With the target's own records first; then part by part without."""
    keys, believes, categories = features(situation, people)
    table, aims = Distinct.among(keys), Distinct.among(believes)
    parts = THOROUGH_PARTS if thorough else PARTS
    part_of = _dealt(situation, "parts", parts)
    mine, theirs = part_of[situation.lines], part_of[people]
    learn = [np.ones(len(mine), bool), *(mine != part for part in range(parts))]
    asked = [np.ones(len(people), bool), *(theirs == part for part in range(parts))]
    coarse = apart_of(situation, people, keys, believes)
    mine_, theirs_ = Distinct.among(coarse.keys), Distinct.among(coarse.believes)
    near = [
        Near.of(mine_, which, theirs_, whom, categories, coarse.apart) for which, whom in zip(learn, asked, strict=True)
    ]
    return Room(people, table, aims, categories, learn, asked, near, _dealt(situation, "halves", 2)[people], thorough)


def _dealt(situation: Situation, purpose: str, into: int) -> Int64:
    """For each record of the original the part that its person was dealt into, by keyed chance."""
    parts = np.zeros(int(situation.people.max(initial=0)) + 1, np.int64)
    dealt = np.argsort(situation.draws("inference", purpose)(len(parts)), kind="stable")
    parts[dealt] = np.arange(len(parts)) % into
    return parts[situation.people]


def chosen(right: dict[str, Bools], half: Int64) -> Int64:
    """For each target the number of the model that was right more often in the other half; the first when alike.

    So nobody's model is chosen by what it said of them, and the choice does not make a guess look better.
    """
    found = np.zeros(len(half), np.int64)
    for one in (0, 1):
        others = half != one
        found[~others] = int(np.argmax([int(hits[others].sum()) for hits in right.values()]))
    return found


def strongest(right: dict[str, Bools], half: Int64) -> Bools:
    """Whether the model that is chosen for each target is right."""
    return np.choose(chosen(right, half), list(right.values())).astype(bool)
