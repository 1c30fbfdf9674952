"""Whom the intruder goes for, and what they know of them: keys, with the errors that the scenario allows for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.knowledge import misremember
from incrowd.attack.matching.best import File, Layers
from incrowd.attack.situation import Auxiliary, Situation, codes_of
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Targets:
    """The people whom an intruder goes for: what is known of each, and for judging who they are."""

    known: list[Int64]  # key by key, a code for each target
    people: Int64  # the number of the person, or -1 where nobody of the original is meant
    lines: Int64  # the number of the record in the original, or -1
    inside: Mask  # whether a record of theirs was released
    namesakes: Int64 | None  # people of the register with the same keys; None where nobody looks for them
    from_register: bool

    @property
    def number(self) -> int:
        """How many."""
        return len(self.people)

    def take(self, which: Int64) -> Targets:
        """Some of them."""
        return Targets(
            [column[which] for column in self.known], self.people[which], self.lines[which], self.inside[which],
            None if self.namesakes is None else self.namesakes[which], self.from_register,
        )  # fmt: skip


@dataclass(frozen=True)
class Field:
    """Where the attack takes place: the released file by the scenario's keys, and its targets."""

    file: File
    labels: list[Int64]  # key by key, the label code of each released record
    targets: Targets
    pairs: tuple[Int64, Int64]  # (target, released record) for all records of the targets' own
    released: int
    released_people: int
    unheard: dict[str, float]  # by key, the share of the records whose label nobody of the original is known by
    unheard_of: float  # the share with such a label in any key
    unmatched: float  # the share of the register, where it is used, with a value that nobody in the data has
    empty_register: bool = False  # it is used, and nobody is in it
    drawn_of: int | None = None  # of how many people in the file the targets were drawn, where not all are gone for

    @property
    def class_of(self) -> Int64:
        """The class of each released record, as File.of numbers them."""
        return group(pack(self.labels, self.file.spans))[1]


#: So many people outside the file are enough for a control.
STRANGERS = 100_000


def field_of(situation: Situation, auxiliary: Auxiliary, purpose: str, most: int | None = None) -> Field:
    """Everything coded alike. A person with several records is a target once, with one of the records. At most so
    many targets, by keyed chance; and at most STRANGERS of those who are not in the file.
    """
    keys, register = list(situation.scenario.keys), auxiliary.register
    tables = [situation.released, situation.known, *([] if register is None else [register])]
    labels, known, *outside = codes_of([table.select(keys) for table in tables], keys)
    blanks = [_blank(situation, name, column) for name, column in zip(keys, labels, strict=True)]
    layers = []
    for i, name in enumerate(keys):
        codes = 1 + max(int(column.max(initial=0)) for column in (labels[i], known[i], *(o[i] for o in outside)))
        if name in situation.loose:
            layers.append(Layers.loose(codes, labels[i], known[i][situation.lines], blanks[i]))
        else:
            layers.append(Layers.strict(codes))
    owners = situation.people[situation.lines]
    file = File.of(labels, owners, layers)
    targets = _targets(situation, auxiliary, known, outside[0] if outside else None, purpose)
    drawn_of = None
    if most is not None and targets.number > most:
        drawn_of = int(targets.inside.sum())
        chosen = np.argsort(situation.draws(purpose, "targets")(targets.number), kind="stable")[:most]
        targets = targets.take(np.sort(chosen))
    if np.count_nonzero(~targets.inside) > STRANGERS:
        # Every so manyth, from a keyed start on: as good as a draw for each, and much cheaper.
        strangers = np.flatnonzero(~targets.inside)
        start = float(situation.draws(purpose, "strangers")(1)[0] / 2.0**64)
        every = ((np.arange(STRANGERS) + start) * (len(strangers) / STRANGERS)).astype(np.int64)
        targets = targets.take(np.sort(np.r_[np.flatnonzero(targets.inside), strangers[every]]))
    unheard = {name: _absent(labels[i], [known[i]]) for i, name in enumerate(keys) if name not in situation.loose}
    strange = np.any([np.zeros(len(owners), bool), *unheard.values()], axis=0)
    used = outside and (targets.from_register or targets.namesakes is not None)
    unknown = [_absent(column, [labels[i], known[i]]) for i, column in enumerate(outside[0])] if used else []
    return Field(
        file, labels, targets, _own(targets, owners), len(owners), len(np.unique(owners)),
        {name: float(absent.mean()) for name, absent in unheard.items() if absent.any()}, float(strange.mean()),
        float(np.any(unknown, axis=0).mean()) if used and len(unknown[0]) else 0.0,
        bool(used) and not len(unknown[0]), drawn_of,
    )  # fmt: skip


def _absent(column: Int64, others: Sequence[Int64]) -> Mask:
    """Code by code, whether it occurs in none of the others."""
    there = np.zeros(1 + max(int(one.max(initial=0)) for one in (column, *others)), bool)
    for one in others:
        there[one] = True
    return ~there[column]


def _targets(
    situation: Situation, auxiliary: Auxiliary, known: list[Int64], outside: list[Int64] | None, purpose: str
) -> Targets:
    released = np.zeros(int(situation.people.max(initial=-1)) + 1, bool)
    released[situation.people[situation.lines]] = True
    asked = outside is not None and not situation.scenario.knows_who_is_in  # else nobody looks for namesakes
    if outside is not None and auxiliary.register_lines is not None:
        lines = auxiliary.register_lines
        people = np.where(lines >= 0, situation.people[np.maximum(lines, 0)], -1)
        inside = (lines >= 0) & released[np.maximum(people, 0)]
        told = misremember(situation, outside, known, purpose)
        return Targets(told, people, lines, inside, _alike(told, told) if asked else None, True)
    lines = _one_each(situation, purpose)
    told = misremember(situation, [column[lines] for column in known], known, purpose)
    people = situation.people[lines]
    namesakes = _alike(told, outside) if outside is not None and asked else None
    return Targets(told, people, lines, released[people], namesakes, False)


def _one_each(situation: Situation, purpose: str) -> Int64:
    """One record of each person, by keyed chance where there are several."""
    people = situation.people
    number = int(people.max(initial=-1)) + 1
    if number == len(people):
        return np.arange(len(people))
    order = np.argsort(situation.draws(purpose, "record")(len(people)), kind="stable")
    return np.sort(order[np.unique(people[order], return_index=True)[1]])


def _blank(situation: Situation, name: str, labels: Int64) -> int | None:
    """The code of a blanked cell in a loose key."""
    if name not in situation.loose:
        return None
    gone = np.flatnonzero(situation.released[name].is_null().to_numpy())
    return int(labels[gone[0]]) if len(gone) else None


def _alike(told: Sequence[Int64], register: Sequence[Int64]) -> Int64:
    """How many of the register share all keys with each target."""
    spans = [1 + max(int(a.max(initial=0)), int(b.max(initial=0))) for a, b in zip(told, register, strict=True)]
    if told is register:
        first, place = group(pack(list(told), spans))
        return np.bincount(place, minlength=len(first))[place].astype(np.int64)
    first, place = group(pack([np.concatenate(pair) for pair in zip(told, register, strict=True)], spans))
    number = len(told[0])
    return np.bincount(place[number:], minlength=len(first))[place[:number]].astype(np.int64)


def _own(targets: Targets, owners: Int64) -> tuple[Int64, Int64]:
    """Each target with every released record of their own."""
    order = np.argsort(owners, kind="stable")
    low = np.searchsorted(owners[order], targets.people, side="left")
    high = np.searchsorted(owners[order], targets.people, side="right")
    number = np.where(targets.inside, high - low, 0)
    target = np.repeat(np.arange(targets.number), number)
    within = np.arange(len(target)) - np.repeat(np.cumsum(number) - number, number)
    return target, order[np.repeat(low, number) + within]
