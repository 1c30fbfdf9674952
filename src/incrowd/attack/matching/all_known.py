"""Somebody who knows all that a release tells of a person, as it was: of how many is the nearest record their own?

No scenario assumes so much, and it is no figure to be held against a limit: but noise, averages and random rounding of
an amount hide it from those who do not know it, and hardly from an employer or a bank, who do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.attack.matching.numeric import moved_numbers, nearest_numbers
from incrowd.attack.matching.targets import field_of
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Rate
from incrowd.risk.value import EVERYTHING, Scenario

#: So many people are gone for.
TARGETS = 20_000


def found_by_nearest(situation: Situation, names: list[str]) -> tuple[list[str], Rate] | None:
    """By which moved numbers, and of how many people in the file the nearest record by them is their own, among the
    records that agree in what was not changed. None where no number was moved.

    Texts that were changed, and labels made class by class, are not used: with them it may be more. One of several
    that are equally near is picked.
    """
    whole = _knowing(situation, names)
    moved = {names[at] for at in moved_numbers(whole)}
    kept = [n for n in names if n in moved or (n not in situation.loose and not _changed(situation, n))]
    if not moved:
        return None
    whole = _knowing(situation, kept)
    field = field_of(whole, Auxiliary(), "all known", TARGETS)
    if not field.targets.inside.any():
        return None
    near = nearest_numbers(whole, Auxiliary(), field, [kept.index(name) for name in kept if name in moved])
    inside = field.targets.inside
    right = float((near.own[inside] / np.maximum(near.records[inside], 1)).sum())
    return [name for name in kept if name in moved], Rate(round(right), int(inside.sum()))


def _knowing(situation: Situation, names: list[str]) -> Situation:
    return replace(situation, keys=tuple(names), scenario=Scenario(EVERYTHING, tuple(names)))


def _changed(situation: Situation, name: str) -> bool:
    told, was = situation.released[name], situation.known[name].take(pa.array(situation.lines))
    same = pc.or_(pc.equal(told, was).fill_null(False), pc.and_(told.is_null(), was.is_null()))
    return not pc.all(same).as_py()
