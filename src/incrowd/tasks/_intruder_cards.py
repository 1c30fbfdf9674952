"""The cards of a new test: for every team by its scenario, and by area where intruders have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from incrowd.attack.situation import Situation, fetch
from incrowd.errors import InputError
from incrowd.intruder_test.cards import Wanted, deal
from incrowd.intruder_test.facts import Team
from incrowd.intruder_test.likeness import Likeness
from incrowd.intruder_test.parts import TEAM, Invited, Pool, deal_out, thinly
from incrowd.keys.table import from_records
from incrowd.pipeline.foreign import TracedForeign
from incrowd.pipeline.trace import Traced
from incrowd.plan import Plan
from incrowd.plan.steps.search import Search
from incrowd.protect.hierarchies import make_hierarchy
from incrowd.protect.meaning import DATA_MADE
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Scenario
from incrowd.rows import open_source

if TYPE_CHECKING:
    from incrowd.tasks.intruder_test_new import IntruderTestOptions


@dataclass(frozen=True)
class Dealt:
    """The cards, whose they are, and what is to be said about them."""

    released: pa.Table
    coarse: dict[str, dict[str, tuple[str, ...]]]  # of each released key the values that are coarser than others
    pools: list[Pool]
    teams: list[Team]
    note: str


def deal_teams(
    traced: Traced | TracedForeign,
    options: IntruderTestOptions,
    invited: Sequence[Invited],
    named: Mapping[str, str],
    strata: Mapping[str, int],
) -> Dealt:
    """The cards of all teams. `named` are the teams with their scenarios; one team of all where there are none."""
    whole = traced.situation()
    likeness = Likeness(whole, _behind(traced, whole) if isinstance(traced, Traced) else traced.behind())
    teams, pools, notes = list[Team](), list[Pool](), list[str]()
    certain, doubt = (None, "") if isinstance(traced, Traced) else traced.certain()
    by_team: Mapping[str, str | None] = named or {TEAM: options.scenario}
    for place, (name, scenario) in enumerate(by_team.items()):
        situation = whole.within(_scenario(traced.plan, scenario))
        _need_keys(situation, options.by_area)
        areas = dict.fromkeys(one.area for one in invited if one.team == place)
        if not areas:
            raise InputError("D485", f"nobody is in the team {name!r}.", "Invite more intruders.")
        sure = situation.scenario.knows_who_is_in
        wanted = replace(_wanted(options, strata, situation, decoys=not (named and sure)), certain=certain)
        own = [_pool(situation, likeness, wanted, place, name if named else "", area, options) for area in areas]
        pools += [pool for pool, _ in own]
        notes += [note for _, note in own]
        sure = sure and not any(card.decoy for pool, _ in own for card in pool.cards)
        error = {key: situation.scenario.error.get(key, 0.0) for key in situation.scenario.keys}
        teams.append(Team(name, situation.scenario.name, sure, {key: often for key, often in error.items() if often}))
    if options.cards_each is not None and (thin := thinly(deal_out(pools, invited, options.cards_each))):
        notes.append(f"{thin} cards go to one intruder only")
    notes += [doubt] if doubt else []
    coarse = {key: likeness.coarser(key) for key in whole.keys}
    return Dealt(whole.released, coarse, pools, teams, "; ".join(notes))


def _pool(
    situation: Situation,
    likeness: Likeness,
    wanted: Wanted,
    team: int,
    name: str,
    area: str | None,
    options: IntruderTestOptions,
) -> tuple[Pool, str]:
    """The cards of a team, of one area where there is one, and in words what is to be said about them."""
    parts = [name and f"team {name}", area and f"area {area}"]
    wanted = replace(wanted, purpose="\n".join(filter(None, [options.title, name, area])))
    if area is not None:
        wanted = replace(wanted, area=(str(options.by_area), area))
    cards, note = deal(situation, wanted, likeness)
    where = ", ".join(filter(None, parts))
    return Pool(team, area, tuple(cards)), f"{where}: {note}" if where else note


def _need_keys(situation: Situation, by_area: str | None) -> None:
    scenario = situation.scenario
    if not scenario.keys:
        raise InputError("D219", f"none of the keys of {scenario.name!r} is released.", "Name another --scenario.")
    if by_area is not None and by_area not in scenario.keys:
        message = f"cards cannot go by {by_area!r}: it is no released key that the scenario {scenario.name!r} knows."
        raise InputError("D486", message, f"Name one of these: {', '.join(scenario.keys)}.")


def _wanted(options: IntruderTestOptions, strata: Mapping[str, int], situation: Situation, *, decoys: bool) -> Wanted:
    """How many cards a team gets, and of whom. A team that knows who is in the file gets no decoys."""
    share = options.decoys if decoys else 0.0
    many = sum(strata.values())
    away = round(many * share / (1 - share) if strata else options.targets * share)
    shown = tuple(name for name in options.names if name not in situation.scenario.keys)
    columns = (*shown, *situation.scenario.keys)
    register = None if options.register is None else _register(options.register, columns)
    targets = many if strata else options.targets - away
    return Wanted(targets, away, shown, options.riskiest, register, strata=strata)


def _scenario(plan: Plan, name: str | None) -> Scenario:
    """The scenario of this name; without a name the plan's first, or that all keys are known."""
    there = plan_scenarios(plan)
    for scenario in there:
        if name is None or scenario.name == name:
            return scenario
    known = ", ".join(scenario.name for scenario in there)
    raise InputError("D219", f"the plan has no scenario {name!r}.", f"It has: {known}.")


def _register(path: Path, columns: Sequence[str]) -> pa.Table:
    rows = open_source(path)
    try:
        return fetch(rows, [name for name in columns if name in rows.columns])
    finally:
        rows.close()


def _behind(traced: Traced, situation: Situation) -> dict[str, dict[str, frozenset[str]]]:
    """Of each key that was recoded class by class, the coarser labels and the values that each stands for.

    Only where the plan's own rules say it: a group that the data decided can be anybody's.
    """
    found: dict[str, dict[str, frozenset[str]]] = {}
    for step in (step for _, step in traced.plan.active if isinstance(step, Search) and step.local):
        for name, rule in step.hierarchies.items():
            if name not in situation.keys or rule.way in DATA_MADE:
                continue
            values = from_records({name: situation.known[name].to_pylist()})
            made = make_hierarchy(rule, name, values, traced.context.folder, traced.context.book)
            labels = found.setdefault(name, {})
            for level in range(1, made.height + 1):
                for label, under in made.groups(level).items():
                    labels[label] = labels.get(label, frozenset()) | {*under}
    return found
