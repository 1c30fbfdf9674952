"""From a candidate to a plan: every step with its reason, in an order that the check of plans accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incrowd.attack.on_run import HELD_OUT
from incrowd.attack.registry import ATTACKS
from incrowd.attack.value import Attacked
from incrowd.plan import Plan
from incrowd.plan.steps.suppress import SuppressRecords
from incrowd.proposals.candidate import Candidate, Ending
from incrowd.proposals.goal import Goal, with_parts
from incrowd.proposals.recoding import Recoding, required_of
from incrowd.proposals.space import Space
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Scenario

_WHY: Mapping[Ending, str] = {
    "recode": "the finest at which every class is large enough with nobody left out",
    "cells": "the finest at which few cells must be blanked",
    "records": "the finest at which few records must be dropped",
    "local": "a start from which each class is recoded by itself",
}


def plan_of(
    space: Space, candidate: Candidate, recoding: Recoding, goal: Goal, attacks: Sequence[Mapping[str, Any]] = ()
) -> Plan:
    """The plan of a candidate with these attacks."""
    content = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in space.plan.steps]
    own = list(_steps(space, candidate, recoding))
    steps = [*content[: space.fixed], *own, *_ending(space, candidate, recoding), *content[space.fixed :]]
    required = [
        one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in required_of(space.plan, candidate)
    ]
    return with_parts(
        space.plan, steps=steps, requirements=required, attack=list(attacks), propose=None, sweep=None, tier=goal.tier
    )


def _steps(space: Space, candidate: Candidate, recoding: Recoding) -> Iterator[dict[str, Any]]:
    """The other variables first, then the keys, then what goes by the keys."""
    ways = {name: space.treatments[name][way] for name, way in candidate.values if way}
    for later in (False, True):
        # What is left out comes after what the bench does once for many candidates: that is where their plans begin.
        for name, treatment in sorted(ways.items(), key=lambda each: each[1].drops):
            if treatment.after_keys is not later:
                continue
            for step in treatment.steps:
                made = dict(step)
                if "strata" in made:  # a key that is left out groups nobody
                    made["strata"] = [key for key in made["strata"] if not _gone(space, recoding, key)]
                yield {**made, "reason": _value_reason(name, treatment.words)}
        if not later:
            yield from _key_steps(space, candidate, recoding)


def _value_reason(name: str, words: str) -> str:
    if words == "left out":
        return f"No treatment of {name} stopped what intruders learn by it."
    return f"{name}: {words}. Values as exact as they came single people out, whatever is done to the keys."


def _key_steps(space: Space, candidate: Candidate, recoding: Recoding) -> Iterator[dict[str, Any]]:
    proof = "proven to lose least" if recoding.proven else "the best that was found"
    gone = [name for name in recoding.rungs if _gone(space, recoding, name)]
    for name, rung in recoding.rungs.items():
        if not rung or name in gone:
            continue
        for step in space.ladders[name].rungs[rung].steps:
            reason = f"{name}: {space.reached(name, rung)}. With the other keys {_WHY[candidate.ending]}; {proof}."
            yield {**step, "reason": reason}
    if gone:
        several = "Without them" if len(gone) > 1 else "Without it"
        yield {
            "step": "drop",
            "variables": gone,
            "reason": f"{several} the other keys stay finer, and lose less in all; {proof}.",
        }


def none_left(space: Space, recoding: Recoding) -> bool:
    """Whether every key is left out: then nobody can say what anybody is found by."""
    return all(_gone(space, recoding, name) for name in recoding.rungs)


def _gone(space: Space, recoding: Recoding, name: str) -> bool:
    rung = recoding.rungs.get(name)
    return rung is not None and rung > 0 and rung == len(space.ladders[name].rungs) - 1


def _ending(space: Space, candidate: Candidate, recoding: Recoding) -> Iterator[dict[str, Any]]:
    match candidate.ending:
        case "cells":
            yield {
                "step": "suppress_cells",
                "k": candidate.k,
                "reason": "Cells are blanked, and nobody is dropped: a class that is missing tells why.",
            }
        case "records":
            later = [step for number, step in space.plan.active if number >= space.fixed]
            if not any(isinstance(step, SuppressRecords) and step.of is None and not step.models for step in later):
                reason = "What still stands out is dropped, within the share that may be lost."
                yield {"step": "suppress_records", "reason": reason}
        case "local":
            spared = {*space.named, *space.asked.coarsest, *space.asked.keep}
            free = [name for name in recoding.rungs if name not in spared and not _gone(space, recoding, name)]
            reason = "Small classes are recoded by themselves, so that nobody is dropped and the others stay finer."
            if free:
                yield {
                    "step": "search",
                    "hierarchies": dict.fromkeys(free, "auto"),
                    "local": True,
                    "reason": reason,
                }


def strongest(plan: Plan) -> Scenario:
    """The scenario in which most is known."""
    there = plan_scenarios(plan)
    return max(there, key=lambda s: (len(s.keys), s.knows_who_is_in, -sum(s.error.values())))


def limited_attacks(plan: Plan, goal: Goal, tried: Sequence[Attacked]) -> list[dict[str, Any]]:
    """The attacks of a plan: the custodian's own, and all others with the limit of the tier, where they have something
    to attack. What does not apply, or cannot be tried, is tried again in every run, without a limit: with one it would
    refuse the release for want of a try.
    """
    names = [scenario.name for scenario in plan_scenarios(plan)]
    kept, covered = [], set[tuple[str, str]]()
    for _, asked in plan.attacks:
        if asked.limit is None and asked.residual is None:
            continue  # it decides nothing, and all attacks are tried below
        own = asked.model_dump(mode="json", by_alias=True, exclude_none=True)
        words = asked.attacks or [word for word, attack in ATTACKS.items() if not attack.on_request]
        pairs = {(word, name) for word in words for name in asked.scenarios or names}
        met = [one for one in tried if (one.attack, one.scenario) in pairs]
        if goal.attack is not None and met and all(one.in_full for one in met):
            own["residual"] = min(own.get("residual", 1.0), round(goal.attack, 4))
        covered |= pairs if "residual" in own or goal.attack is None else set()
        kept.append(own)
    groups: dict[tuple[tuple[str, ...], bool, bool], list[str]] = {}
    for word, attack in ATTACKS.items():
        by_scenario: dict[bool, list[str]] = {True: [], False: []}
        for name in dict.fromkeys(one.scenario for one in tried if one.attack == word):
            if (word, name) in covered:
                continue
            figures = [one.in_full for one in tried if one.attack == word and one.scenario == name]
            by_scenario[all(figures)].append(name)
        for has_figure, where in by_scenario.items():
            if where:
                groups.setdefault((tuple(where), has_figure, attack.outside), []).append(word)
    return [*kept, *(_group(plan, goal, names, *key, words) for key, words in groups.items())]


def _group(
    plan: Plan, goal: Goal, names: Sequence[str], where: tuple[str, ...], figures: bool, outside: bool, words: list[str]
) -> dict[str, Any]:
    made: dict[str, Any] = {"attacks": words}
    if list(where) != list(names) and plan.scenarios:
        made["scenarios"] = list(where)
    if outside and figures and hold_out(plan):
        made["hold_out"] = HELD_OUT
    if not figures:
        return {**made, "reason": "They have nothing to attack here, or cannot be tried; a limit would refuse that."}
    if goal.attack is not None:
        made["residual"] = round(goal.attack, 4)
        return {**made, "reason": f"The limit of the tier {goal.tier}: what an intruder may gain beyond a guess."}
    return {**made, "reason": f"The tier {goal.tier} sets no limit; those who decide should know what they find."}


def hold_out(plan: Plan) -> bool:
    """Whether people must be held out to have a control: a sample leaves some out anyway."""
    return not any(step.samples for _, step in plan.active)
