"""singling_out: which records does a combination of a few attributes isolate?

A predicate ("a widowed farmer in the north") isolates when exactly one released person meets it. A predicate of weight
w isolates one of n random records with chance n w (1 - w)^(n - 1), whoever they are: at most 37%, so that isolation
alone proves nothing. Reference: Cohen and Nissim (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.linkage import WORST, not_tried
from incrowd.attack.situation import Beside, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import list_keys, percent
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]

MOST = 100  # combinations that are tried
LARGEST = 4  # attributes in one, beside all of the scenario's keys together


def singling_out(situation: Situation, beside: Beside) -> list[Attacked]:
    """By the keys that the scenario's intruder knows: all of them, and up to four at a time."""
    return [_attack(situation, "singling_out", situation.scenario.keys, whole=True)]


def singling_out_any(situation: Situation, beside: Beside) -> list[Attacked]:
    """By any released columns, also those that no intruder is taken to know: exact amounts isolate nearly everybody."""
    return [_attack(situation, "singling_out_any", situation.released.column_names, whole=False)]


def _attack(situation: Situation, attack: str, columns: Sequence[str], whole: bool) -> Attacked:
    acts = "looks for combinations of attributes that one released record alone has"
    columns = [name for name in columns if name in situation.known.column_names]
    if not columns or not situation.released.num_rows:
        return not_tried(situation, attack, acts, "no attribute can be compared, or no record is released")
    tried = predicates_of(len(columns), whole)
    largest = max(len(one) for one in tried if len(one) < len(columns) or not whole) if len(tried) > 1 else 1
    found = rarest(situation, columns, tried)
    owners = situation.people[situation.lines]
    alone, people = found.people == 1, len(np.unique(owners))
    success = Rate(len(np.unique(owners[alone])), people)
    chance = float(
        np.mean(people * found.weight * np.exp((people - 1) * np.log1p(-np.minimum(found.weight, 1 - 1e-12))))
    )
    strangers = len(np.unique(situation.people[_strangers(situation)]))
    isolated = len(np.unique(found.stranger[found.stranger >= 0]))
    control = Rate(isolated, strangers) if strangers else None
    whom = "records" if people == len(owners) else "people"
    among = f"up to {largest} of {list_keys(columns)}" + (
        ", or all of them" if whole and len(columns) > largest else ""
    )
    sentence = (
        f"{percent(success.value)} of the released {whom} are the only ones with their values of {among}; "
        f"predicates of the same weight would isolate {percent(chance)} of random {whom}."
    )
    why = "baseline: chance of a random file of this size; "
    if control is None:
        why += "no control: everybody was released"
    else:
        why += f"control: how many of the {strangers:,} people who were not released the same predicates isolate there"
    worst = np.sort(situation.lines[alone])[:WORST] + 1
    return Attacked(
        attack, situation.scenario.name, f"knows {list_keys(columns)}", acts, success, chance, control, sentence,
        worst=tuple(worst.tolist()), why=why,
    )  # fmt: skip


def predicates_of(columns: int, whole: bool) -> list[tuple[int, ...]]:
    """The combinations to try, small ones first: as large as a hundred of them allow; all together where asked."""
    size = 1
    while size < min(LARGEST, columns) and sum(comb(columns, s) for s in range(1, size + 2)) <= MOST:
        size += 1
    found = [c for s in range(1, size + 1) for c in combinations(range(columns), s)]
    return [*found, tuple(range(columns))] if whole and size < columns else found


@dataclass(frozen=True)
class Rarest:
    """For each released record its rarest predicate: how many released people meet it, its share among all people of
    the original, how many of those who were not released meet it, and who that is where it is one (or -1).
    """

    people: Int64
    weight: NDArray[np.float64]
    outside: Int64
    stranger: Int64


def rarest(situation: Situation, columns: Sequence[str], tried: Sequence[tuple[int, ...]]) -> Rarest:
    """Counted in people: several records of one person isolate them as one record does."""
    released, known = codes_of([situation.released.select(columns), situation.known.select(columns)], columns)
    records = len(released[0])
    both = [np.concatenate(pair) for pair in zip(released, known, strict=True)]
    spans = [int(column.max(initial=0)) + 1 for column in both]
    first, place = group(pack(both, spans))
    distinct = [column[first] for column in both]
    owners, gone = situation.people[situation.lines], _strangers(situation)
    counted = (
        _Crowd.of(place[:records], owners),
        _Crowd.of(place[records:], situation.people),
        _Crowd.of(place[records:][gone], situation.people[gone]),
    )
    inside, everybody = len(np.unique(owners)), len(np.unique(situation.people))
    least = np.full(len(first), np.iinfo(np.int64).max)
    share, strangers, stranger = np.zeros(len(first)), np.zeros(len(first), np.int64), np.full(len(first), -1)
    loose = bool(situation.loose & set(columns))
    for one in tried:
        groups_first, groups = group(pack([distinct[i] for i in one], [spans[i] for i in one]))
        mine, all_, others = (crowd.count(groups, len(groups_first))[groups] for crowd in counted)
        rarer = (mine < least) & (mine > 0)
        least[rarer], strangers[rarer] = mine[rarer], others[rarer]
        stranger[rarer] = counted[2].last(groups, len(groups_first))[groups][rarer]
        # Where labels differ from what is known, or values were changed, the file itself is the best guess.
        share[rarer] = np.where(loose | (all_ == 0), mine / inside, all_ / everybody)[rarer]
    stranger[strangers != 1] = -1
    at = place[:records]
    return Rarest(least[at], share[at], strangers[at], stranger[at])


def _strangers(situation: Situation) -> NDArray[np.bool_]:
    """The records of people of whom none was released."""
    released = np.zeros(int(situation.people.max(initial=-1)) + 1, bool)
    released[situation.people[situation.lines]] = True
    return ~released[situation.people]


@dataclass(frozen=True)
class _Crowd:
    """People in classes: each pair of a class and a person once."""

    place: Int64
    person: Int64
    once: bool  # nobody is in two classes

    @staticmethod
    def of(place: Int64, person: Int64) -> _Crowd:
        """From the class and the person of each record."""
        spans = [int(column.max(initial=0)) + 1 for column in (place, person)]
        first, _ = group(pack([place, person], spans))
        return _Crowd(place[first], person[first], len(np.unique(person)) == len(first))

    def count(self, groups: Int64, number: int) -> Int64:
        """How many people there are in each group of classes."""
        mine = groups[self.place]
        if not self.once and len(mine):
            mine = mine[group(pack([mine, self.person], [number, int(self.person.max()) + 1]))[0]]
        return np.bincount(mine, minlength=number).astype(np.int64)

    def last(self, groups: Int64, number: int) -> Int64:
        """One person of each group of classes; the only one, where there is one; -1 where there is none."""
        found = np.full(number, -1)
        found[groups[self.place]] = self.person
        return found
