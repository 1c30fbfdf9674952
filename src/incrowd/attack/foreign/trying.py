"""Attacks on a release that was made elsewhere: each where it can be judged, and otherwise said why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from incrowd.attack.foreign.fitting import fitting_of
from incrowd.attack.foreign.labels import Column
from incrowd.attack.foreign.truth import BY_FIT, Truth
from incrowd.attack.on_run import Progress, attack_all
from incrowd.attack.registry import ATTACKS
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.attack.words import knowledge, list_keys, percent
from incrowd.risk.value import Scenario

#: Attacks that say something of a file by itself: what stands in it is taken for the truth.
ALONE = frozenset({"singling_out", "singling_out_any", "homogeneity", "skewness"})
#: Attacks that go by which very record it was, and not by what it says.
BY_LINE = frozenset({"row_order", "dictionary"})
#: Where fewer than this share of the records is traced, what hangs on the rest is not judged.
ENOUGH = 0.5
UNJUDGED = "This attack could not be judged."
OF_THE_FILE = "Without a truth: what stands in the file is taken for true, and its people for all there are."


@dataclass(frozen=True)
class Foreign:
    """A release that was made elsewhere, against another file, as far as the two tell."""

    base: Situation  # without the truth
    alone: Situation  # the file taken for its own original
    columns: tuple[Column, ...]  # that both files have
    truth: Truth | None
    why: str  # why there is no truth
    changed: tuple[str, ...]  # columns whose values were changed
    unread: tuple[str, ...]  # columns with labels that nothing tells the meaning of
    notes: tuple[str, ...]
    whole: bool  # whether the other file is the original, and not a register

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """One for each way to place the records that is tried; the file alone where nothing is known."""
        if self.truth is None:
            return (self.alone,)
        return tuple(replace(self.base, lines=lines) for lines in self.truth.ways)

    def unjudged(self, scenario: Scenario, attack: str) -> str:
        """Why an attack by the scenario's keys cannot be judged; empty where it can."""
        if self.truth is None:
            return f"Whose record is whose is not known: {self.why}."
        exact = float(self.truth.exact.mean())
        if attack in BY_LINE and exact < ENOUGH:
            return f"Only {percent(exact)} of the records can be traced to one original: the others are alike."
        asked = [*scenario.keys, *(self.base.sensitive if ATTACKS[attack].on_values else ())]
        if unread := [name for name in asked if name in self.unread]:
            return f"The labels of {list_keys(unread)} cannot be read: name hierarchies, or a plan, that say what they \
stand for."
        moved = [name for name in scenario.keys if name in self.changed]
        if self.truth.how == BY_FIT and moved and self.truth.share < ENOUGH and attack not in ALONE:
            return f"Values of {list_keys(moved)} were changed, and by the other columns only \
{percent(self.truth.share)} of the records can be traced to their originals: nobody can tell who is found."
        return ""

    def ways(self, auxiliary: Auxiliary, scenario: Scenario, attack: str) -> list[list[Attacked]]:
        """The results of an attack, each under every way to place the records."""
        each = [attack_all(one, auxiliary, [scenario], [attack]) for one in self.situations]
        return [list(ways) for ways in zip(*each, strict=True)]


def attack_foreign(
    foreign: Foreign,
    auxiliary: Auxiliary,
    scenarios: Sequence[Scenario],
    names: Sequence[str],
    progress: Progress = lambda attack, scenario: None,
) -> list[Attacked]:
    """Every attack in every scenario. Where the truth is not known, those that can go by the file alone do, and say so;
    the others have no figure.
    """
    found: list[Attacked] = []
    for scenario in scenarios:
        for name in names:
            progress(name, scenario.name)
            why = foreign.unjudged(scenario, name)
            if why and name in ALONE:
                those = attack_all(foreign.alone, Auxiliary(), [scenario], [name])
                found += [replace(one, why=_and(one.why, why, OF_THE_FILE)) for one in those]
            elif why:
                found += _unjudged(foreign, auxiliary, scenario, name, why)
            else:
                found += [_of_all(foreign, ways) for ways in foreign.ways(auxiliary, scenario, name)]
    return found


def _unjudged(foreign: Foreign, auxiliary: Auxiliary, scenario: Scenario, name: str, why: str) -> list[Attacked]:
    """An attack that cannot be judged, with what can be said of it all the same; or that has nothing to attack."""
    more = ""
    if foreign.truth is None:
        more = _claims(foreign, scenario) if ATTACKS[name].residual == ATTACKS["linkage"].residual else ""
    elif not set(scenario.keys) & set(foreign.unread):
        ways = foreign.ways(auxiliary, scenario, name)
        if all(one.does_not_apply for each in ways for one in each):
            return [each[0] for each in ways]
        rates = [one.success.value for each in ways for one in each if one.success is not None]
        if rates and name not in BY_LINE:
            more = f"If the records that several fit are placed by chance, or each with the nearest, it is \
{percent(min(rates))} or {percent(max(rates))}: it may be as much as the higher."
    return [_none(scenario, name, _and(why, more))]


def _none(scenario: Scenario, name: str, why: str) -> Attacked:
    return Attacked(
        name, scenario.name, knowledge(scenario), ATTACKS[name].acts, None, None, None,
        UNJUDGED, why=why,
    )  # fmt: skip


def _of_all(foreign: Foreign, ways: list[Attacked]) -> Attacked:
    """The result of an attack from those under each way to place the records: the highest, with what it hangs on."""
    assert foreign.truth is not None
    told = [one for one in ways if one.success is not None]
    if not told or len(ways) == 1:
        return ways[0]
    rates = [one.success for one in told if one.success is not None]
    low, high = min(rates, key=lambda rate: rate.value), max(rates, key=lambda rate: rate.value)
    best = told[rates.index(high)]
    between = f"from {percent(low.value)} to {percent(high.value)}, by how the records are placed that several fit"
    if low.high < high.low and float(foreign.truth.exact.mean()) < ENOUGH:
        why = f"Too few records can be traced to one original: it would be {between}."
        return replace(best, success=None, baseline=None, control=None, claimed=None, outsiders=None, worst=(),
                       sentence=UNJUDGED, why=why, drawn_of=None)  # fmt: skip
    if low.value < high.value:
        best = replace(best, why=_and(best.why, f"It is {between}: the higher is told."))
    exact = np.zeros(foreign.base.known.num_rows, bool)
    exact[foreign.truth.lines[foreign.truth.exact]] = True
    return replace(best, worst=tuple(line for line in best.worst if exact[line - 1]))


def _and(*parts: str) -> str:
    """Sentences one after the other."""
    there = [part.strip() for part in parts if part.strip()]
    return " ".join(part if part.endswith((".", ":")) else f"{part}." for part in there)


def _claims(foreign: Foreign, scenario: Scenario) -> str:
    """How many people of the other file have one released record only that fits: claims, of which nobody knows whether
    they are right.
    """
    by = [column for column in foreign.columns if column.name in scenario.keys and not column.unread]
    found = fitting_of(by) if by and len(by) == len(scenario.keys) else None
    if found is None:
        return ""
    fitting = found.fitting
    claims, none = int((fitting == 1).sum()), int((fitting == 0).sum())
    return f"By {list_keys([column.name for column in by])}, {claims:,} of {len(fitting):,} people of the other file \
have just one released record that fits them, and {none:,} have none: whether such a claim is right, nobody can tell."
