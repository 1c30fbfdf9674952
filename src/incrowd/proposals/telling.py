"""A search in words: what was looked at, why a proposal is recommended, what stands in the way where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incrowd.attack.registry import ATTACKS
from incrowd.attack.value import Attacked
from incrowd.keys.saying import percent
from incrowd.proposals.bench import Bench
from incrowd.proposals.frontier import SAME
from incrowd.proposals.goal import Goal
from incrowd.proposals.information import weighted
from incrowd.proposals.trying import Tried
from incrowd.proposals.value import Obstacle
from incrowd.proposals.walk import Walk
from incrowd.report.board.advice import most

#: So many reasons why candidates were ruled out are told.
SHOWN = 5


def optimised(bench: Bench) -> str:
    """What the search made as large as possible."""
    whole = "the share of the information of all variables that is kept"
    if not bench.plan.use_cases:
        return f"{whole}: the plan names no use cases, so that nobody says what the file is for"
    return f"the number of use cases that hold, then {whole}"


def searched(walk: Walk) -> Iterator[str]:
    """What was looked at, what is proven and what is not."""
    space, recoder = walk.bench.space, walk.bench.recoder
    carried = len(walk.good) + len(walk.failed)
    if walk.exhaustive and not (walk.late or walk.stopped):
        yield f"All {space.plans:,} plans were carried out and attacked: the frontier is exact."
    else:
        yield (
            f"{walk.glanced:,} candidates were looked at, {carried:,} of them carried out and attacked, of "
            f"{space.plans:,} plans that the hierarchies and treatments allow."
        )
        yield (
            f"Recodings: {len(recoder.found):,} lattices of {space.nodes:,} levels each were searched. Each proposal's "
            "levels are the proven optimum for its crowd, its requirements and its treatments, unless its reasons say "
            "otherwise; which crowd, treatments and requirements to try is a heuristic, led by the attacks."
        )
    if walk.stopped:
        yield "It was stopped: these are the best so far."
    elif walk.late:
        yield "The time was over: these are the best so far, and another machine may find others."
    for why, number in sorted(walk.ruled_out.items(), key=lambda each: -each[1])[:SHOWN]:
        yield f"Ruled out without being carried out, {number:,} times: {why}"
    yield (
        "The search saw the use cases and attacks of the file itself: which plan was chosen can tell something about "
        "it. What a plan requires holds all the same: the gate counts it again."
    )


def changes_of(bench: Bench, tried: Tried) -> tuple[str, ...]:
    """What is done to each variable, in words."""
    space = bench.space
    told = [f"{name}: {space.reached(name, rung)}" for name, rung in tried.recoding.rungs.items() if rung]
    told += [f"{name}: {space.treatments[name][way].words}" for name, way in tried.candidate.values if way]
    lost = tried.given - tried.records
    endings = {
        "recode": "nobody is left out", "cells": "some cells are blanked",
        "local": "small classes are recoded by themselves", "records": f"{lost:,} records are dropped",
    }  # fmt: skip
    ending = tried.candidate.ending if tried.candidate.ending != "recode" or not lost else "records"
    return (*told, endings[ending])


def why_recommended(tried: Tried, all_: Sequence[Tried], goal: Goal) -> str:
    """Why this one, in a sentence."""
    cases = len(tried.outcomes)
    keeps = f"{tried.cases} of {cases} conclusions and " if cases and tried.cases < cases else ""
    keeps = f"all {cases} conclusions and " if cases > 1 and tried.cases == cases else keeps
    keeps = "the conclusion and " if cases == 1 and tried.cases else keeps
    beside = (
        "; none of the others keeps as many conclusions and noticeably more information"
        if len(all_) > 1 and cases
        else ""
    )
    beside = beside or ("; none of the others keeps noticeably more" if len(all_) > 1 else "")
    held = f"no attack that was tried finds or tells anybody with more than {percent(tried.risk)} beyond a guess"
    if goal.attack is None:
        held = f"the smallest class has {tried.smallest:,}; the tier sets no limit to attacks"
    return (
        f"It keeps {keeps}{percent(tried.information)} of the information and {tried.records:,} of {tried.given:,} "
        f"records; {held}{beside}."
    )


def better_in(tried: Tried, recommended: Tried) -> str:
    """What another proposal is better in than the recommended one."""
    told = []
    if tried.risk < recommended.risk:
        told.append(f"its risk is {percent(tried.risk)} instead of {percent(recommended.risk)}")
    if tried.information > recommended.information:
        told.append(f"it keeps {percent(tried.information)} of the information instead of "
                    f"{percent(recommended.information)}")  # fmt: skip
    if tried.detail > recommended.detail + SAME:
        told.append(f"it keeps {percent(tried.detail)} of the detail of the keys (bits) instead of "
                    f"{percent(recommended.detail)}")  # fmt: skip
    if tried.cases < recommended.cases:
        fewer = recommended.cases - tried.cases
        told.append(f"but {fewer} more of the use cases {'breaks' if fewer == 1 else 'break'}")
    return f"{'; '.join(told)[:1].upper()}{'; '.join(told)[1:]}." if told else "It differs in little."


def strongest_of(tried: Tried) -> str:
    """The attack that may add most, with its figure; and the smallest class, where that weighs more."""
    figures = [(worst, one) for one in tried.attacks if (worst := most(one)) is not None]
    if not figures:
        return "no attack had a figure"
    worst, one = max(figures, key=lambda each: each[0])
    told = f"{one.name} ({one.scenario}): up to {percent(worst)} beyond a guess"
    return told if worst >= tried.risk else f"{told}; its risk is that of the smallest class, 1 in {tried.smallest:,}"


def loss_of(bench: Bench, tried: Tried) -> float:
    """The share of the keys' bits that is gone, since the file as it came: what `incrowd compare` calls loss."""
    return 1.0 - bench.detail(tried.end) if tried.end is not None else 1.0


def obstacles_of(bench: Bench, walk: Walk) -> Iterator[Obstacle]:
    """Why the goal was not reached: by the candidate that came nearest."""
    if walk.late or walk.stopped:
        told = "it was stopped" if walk.stopped else "the time was over"
        yield Obstacle(f"{told} with {len(walk.failed):,} candidates tried: a longer search may find a plan", "", "")
    carried = [one for one in walk.failed if not one.refusal]
    # The attacks come in one order, and end where one is above its limit: what stood most of them came furthest.
    nearest = min(carried, key=lambda one: (-len(one.attacks), len(one.above), one.risk), default=None)
    if nearest is None:
        for why, number in sorted(walk.ruled_out.items(), key=lambda each: -each[1])[:SHOWN]:
            yield Obstacle(f"{why} ({number:,} candidates)", "", "")
        return
    for one in nearest.above:
        name = one.about if one.about in bench.given else _finest(bench, nearest, one.attack)
        limit = walk.goal.attack
        yield Obstacle(_against(one, limit), name, _cost(bench, name))
    if nearest.over:
        yield Obstacle(nearest.over, "", "allow more (propose: records_lost), or let a key be coarser")
    if not nearest.above:
        for reason in nearest.obstacles(walk.goal):
            yield Obstacle(reason.text, "", reason.change)


def _against(one: Attacked, limit: float | None) -> str:
    """What an attack says against a candidate: what is certain, or not known, needs no limit."""
    who = f"{one.name} ({one.scenario})"
    if one.given_away:
        return f"{who}: {one.given_away:,} people are given away for certain by the release and the tables together"
    if not one.in_full or one.undecided:
        why = one.incomplete or one.why
        return f"{who} could not be tried in full: {why.rstrip('.')}"
    what = f"{who} may be right for {percent(most(one) or 0.0)} beyond a guess"
    return what + (f", and {percent(limit)} is the limit" if limit is not None else "")


def _finest(bench: Bench, tried: Tried, word: str) -> str:
    """The variable that says most: of those that are no keys, and that chance left as they are, where an attack goes by
    all values; else of the keys.
    """
    space = bench.space
    if "coarser_values" in ATTACKS[word].remedies:
        blurred = {name for name, way in tried.candidate.values if space.treatments[name][way].perturbs}
        left = [name for name in bench.given if name not in space.ladders and name not in blurred]
    else:
        left = [name for name in space.ladders if tried.kept.get(name)]
    there = {name: tried.kept.get(name, 1.0) * len(bench.given[name].values) for name in left}
    return max(there, key=lambda name: there[name], default="")


def _cost(bench: Bench, name: str) -> str:
    """What it would cost to give a variable up."""
    if not name:
        return ""
    kept = dict.fromkeys((*bench.space.ladders, *bench.space.treatments), 1.0)
    share = 1.0 - weighted({**kept, name: 0.0}, bench.space.weights)
    cases = [case.name for case in bench.plan.use_cases if name in [each for _, each in case.named()]]
    told = f"to give {name} up costs {percent(share)} of the information"
    return told + (f" and the use cases {'; '.join(repr(case) for case in cases)}" if cases else "")
