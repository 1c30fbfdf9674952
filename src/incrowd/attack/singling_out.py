"""singling_out: which records does a combination of a few attributes isolate?

A predicate ("a widowed farmer in the north") isolates when exactly one person in the file meets it. A predicate of
weight w isolates one of n random records with chance n w (1 - w)^(n - 1), whoever they are: at most 37%, so that
isolation alone proves nothing. Reference: Cohen and Nissim (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.knowledge import RELEASE, has_values, joined
from incrowd.attack.linkage import WORST, not_tried
from incrowd.attack.matching.all_known import found_by_nearest
from incrowd.attack.matching.crowds import Crowd, grouped, number_of
from incrowd.attack.matching.meeting import UNFAIR
from incrowd.attack.matching.predicates import Attributes, readings, tried_on
from incrowd.attack.matching.strategies import CHOSEN, Surest, strategy_of
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import list_keys, percent
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

NAMED = 8  # so many columns are named in a sentence
ACTS = "looks for combinations of attributes that one released record alone has"


@attack("singling_out", f"{ACTS}, by the scenario's keys", place=40, remedies=("larger_classes",))
def singling_out(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """By the keys that the scenario's intruder knows: all of them, and a few at a time."""
    return [_attack(situation, "singling_out", situation.scenario.keys)]


@attack(
    "singling_out_any",
    f"{ACTS}, by any released columns",
    residual="Columns that are not keys",
    on_request=True,
    once=True,
    place=50,
    remedies=("coarser_values", "perturbed_values"),
)
def singling_out_any(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """By any released columns, also those that no intruder is taken to know: exact amounts isolate nearly everybody."""
    return [_attack(situation, "singling_out_any", situation.released.column_names)]


def _attack(situation: Situation, attack: str, names: Sequence[str]) -> Attacked:
    """For each record a predicate that no other released person meets, judged by the truth: the smallest, or where
    values were changed that of the strategy that is true most often.

    Success: people with such a predicate, which exactly one person of the file meets in truth. Where values were
    changed the predicate may be nobody's, or another's: `claimed` has how many of them are the person's own.
    """
    if not situation.released.num_rows:
        return not_tried(situation, attack, ACTS, "no record is released")
    if not names:
        return not_tried(situation, attack, ACTS, "none of the scenario's keys is released", RELEASE)
    made = [name for name in names if name not in situation.known.column_names]
    here = [name for name in names if name not in made and has_values(situation, name)]
    read = readings(situation, here)
    if not read:
        return not_tried(situation, attack, ACTS, "no attribute has a value both in the release and in the source")
    tries = []
    for columns in read:
        draws = situation.draws(attack, "predicates", columns.how)
        released = [codes[: situation.released.num_rows] for codes in columns.codes]
        tried = tried_on(released, columns.spans, draws)
        strategy = strategy_of(situation, columns, tried)
        tries.append((rarest(situation, strategy.columns, strategy.predicates), columns, tried, strategy))
    owners = situation.people[situation.lines]
    found, columns, tried, strategy = max(tries, key=lambda each: _isolated(owners, each[0]))
    why = ["baseline: chance of a random file of this size", _tried(columns, tried)]
    if made:
        why.append(f"not looked at, as the source has no such column: {list_keys(made)}")
    if situation.loose & set(columns.names):
        why.append("blanked and locally recoded cells count as they stand, which may overstate")
    if len(read) > 1:
        why.append(f"values were changed: read in {len(read)} ways, and the way that isolates most is told")
    if strategy.among > 1:
        why.append(f"the best of {strategy.among} strategies is told ({strategy.said}): {CHOSEN}")
    sure = [one.surest for _, _, _, one in tries if one.surest is not None]
    surest = max(sure, key=lambda one: (one.claims.low, one.claims.tries), default=None)
    said = _said(situation, attack, found, strategy.columns, why, surest)
    near = found_by_nearest(situation, here) if attack == "singling_out_any" else None
    return said if near is None else replace(said, sentence=f"{said.sentence} {_by_nearest(*near)}")


def _by_nearest(moved: Sequence[str], found: Rate) -> str:
    """What no limit is held against, and nobody should miss."""
    return (
        f"Somebody who knows the true {list_keys(moved)}, and all the rest, points to the right record for "
        f"{percent(found.value)} of the people by the nearest: what chance moved is hidden only from those who do not "
        "know it."
    )


def _isolated(owners: Int64, found: Rarest) -> tuple[int, int]:
    """How many people are isolated, and how many of them are the records' own."""
    return number_of(owners[found.true]), number_of(owners[found.own])


def _tried(columns: Attributes, tried: Sequence[tuple[int, ...]]) -> str:
    """How many predicates were tried, of how many columns."""
    number, sizes = len(columns.names), sorted({len(one) for one in tried})
    parts = [s for s in sizes if s < number]
    some = (
        "" if not parts else f"of {parts[0]} to {parts[-1]} columns and " if len(parts) > 1 else f"of {parts[0]} and "
    )
    return f"tried: {len(tried):,} combinations, {some}of all {number} together" + (
        f"; {columns.how}" if columns.how else ""
    )


def _said(
    situation: Situation, attack: str, found: Rarest, columns: Attributes, why: list[str], surest: Surest | None
) -> Attacked:
    owners = situation.people[situation.lines]
    people = number_of(owners)
    alone, true, own = (number_of(owners[which]) for which in (found.people == 1, found.true, found.own))
    success = Rate(true, people)
    chance = float(
        np.mean(people * found.weight * np.exp((people - 1) * np.log1p(-np.minimum(found.weight, 1 - 1e-12))))
    )
    strangers = number_of(situation.people[_strangers(situation)])
    isolated = number_of(found.stranger[found.stranger >= 0])
    control = Rate(isolated, strangers) if strangers else None
    whom = "records" if people == len(owners) else "people"
    number = len(columns.names)
    named = list_keys(columns.names) if number <= NAMED else f"{number} columns"
    sentence = (
        f"{percent(alone / people)} of the released {whom} are the only ones with their values of {named}, or of some "
        f"of them; predicates of the same weight would isolate {percent(chance)} of random {whom}."
    )
    if (alone, true) != (true, own):
        sentence += (
            f" Values were changed: in truth these predicates isolate one person of the file for "
            f"{percent(true / people)}, and the very person for {percent(own / people)}."
        )
    if surest is not None and surest.claims.low > Rate(true, alone).value:
        sentence += (
            f" Surest is to claim by {surest.said}: of {surest.claims.tries:,} who look alone by that, "
            f"{percent(surest.claims.value)} stand for one person in truth."
        )
    if control is None:
        why.append("no control: everybody was released")
    else:
        why.append(
            f"control: how many of the {strangers:,} people who were not released the same predicates isolate there"
        )
        why.append(UNFAIR.rstrip("."))
    worst = np.sort(situation.lines[found.true])[:WORST] + 1
    return Attacked(
        attack, situation.scenario.name, f"knows {named}", ACTS, success, chance, control, sentence, Rate(own, alone),
        tuple(worst.tolist()), joined("; ".join(why)), fair=False,
    )  # fmt: skip


@dataclass(frozen=True)
class Rarest:
    """For each released record its rarest predicate: how many released people meet it, its share among all people of
    the original, how many of those who were not released meet it, and who that is where it is one (or -1). And whether
    it isolates: no other released record has it, and just one person of the file in truth; the record's own person.
    """

    people: Int64
    weight: NDArray[np.float64]
    outside: Int64
    stranger: Int64
    true: Bools
    own: Bools


def rarest(situation: Situation, columns: Attributes, tried: Sequence[tuple[int, ...]]) -> Rarest:
    """Counted in people: several records of one person isolate them as one record does."""
    records, spans = situation.released.num_rows, columns.spans
    first, place = group(pack(columns.codes, spans))
    distinct = [column[first] for column in columns.codes]
    owners, gone = situation.people[situation.lines], _strangers(situation)
    loose = bool(situation.loose & set(columns.names))
    mine, everybody = place[:records], place[records:]
    released = Crowd.of(mine, owners)
    truth = released if loose else Crowd.of(everybody[situation.lines], owners)
    outside = Crowd.of(everybody[gone], situation.people[gone])
    all_people = Crowd.of(everybody, situation.people)
    inside, number = number_of(owners), number_of(situation.people)
    least = np.full(len(first), np.iinfo(np.int64).max)
    share, strangers, stranger = np.zeros(len(first)), np.zeros(len(first), np.int64), np.full(len(first), -1)
    person, open_ = np.full(len(first), -1), np.zeros(len(first), bool)
    open_[mine] = True
    for one in tried:
        if not open_.any():
            break  # every record has a predicate of its own
        begun, groups = grouped([distinct[i] for i in one], [spans[i] for i in one])
        few = released.count(groups, begun)[groups]
        rarer = (few < least) & (few > 0)
        if not rarer.any():
            continue
        there = groups[rarer]
        all_, others, true = (crowd.count(groups, begun)[there] for crowd in (all_people, outside, truth))
        least[rarer], strangers[rarer] = few[rarer], others
        stranger[rarer] = outside.last(groups, begun)[there]
        person[rarer] = np.where(true == 1, truth.last(groups, begun)[there], -1)
        # Where labels differ from what is known, or values were changed, the file itself is the best guess.
        share[rarer] = np.where(loose | (all_ == 0), few[rarer] / inside, all_ / number)
        open_ &= least > 1
    stranger[strangers != 1] = -1
    person[least != 1] = -1
    met = person[mine]
    return Rarest(least[mine], share[mine], strangers[mine], stranger[mine], met >= 0, met == owners)


def _strangers(situation: Situation) -> Bools:
    """The records of people of whom none was released."""
    released = np.zeros(int(situation.people.max(initial=-1)) + 1, bool)
    released[situation.people[situation.lines]] = True
    return ~released[situation.people]
