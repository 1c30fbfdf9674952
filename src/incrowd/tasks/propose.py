"""From a goal to a plan: which plans reach a tier, and which of them to take?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from incrowd.errors import InputError, missing_extra
from incrowd.machine import stopping
from incrowd.machine.paths import as_path
from incrowd.pipeline.progress import Progress
from incrowd.plan import split_tier
from incrowd.plan.tiers import TierName
from incrowd.proposals.bench import Bench, open_bench
from incrowd.proposals.frontier import best, frontier, thinned
from incrowd.proposals.goal import Goal, read_goal_plan
from incrowd.proposals.prices import Price, Pricing
from incrowd.proposals.telling import (
    better_in,
    changes_of,
    loss_of,
    obstacles_of,
    optimised,
    searched,
    strongest_of,
    why_recommended,
)
from incrowd.proposals.trying import Tried
from incrowd.proposals.value import KeptCase, Proposal, Proposals
from incrowd.proposals.walk import Walk
from incrowd.proposals.write import proposed_plan, require_free, write_proposals
from incrowd.secret import Secret, secret_to_try

#: Proposals at most, and when nobody says how many.
MOST, USUAL = 7, 3
TIERS: tuple[TierName, ...] = ("open", "safeguarded", "controlled")


def propose(
    plan: str | Path,
    tier: str = "open",
    *,
    out: str | Path | None = None,
    most: int = USUAL,
    seconds: float | None = None,
    force: bool = False,
    secret: Secret | None = None,
    progress: Progress | None = None,
) -> Proposals:
    """Find plans that are fit for a tier, on the frontier between disclosure risk and utility.

    `plan` has data, roles, scenarios and use cases; steps and requirements may be missing, and those that are there
    stay. Its block `propose` says what may be done and what must be spared. Each proposal is carried out up to the
    gate, attacked, and judged by the use cases; nothing is released. `out` is a folder for the plans, a page, a chart
    and the figures; with `force` those of an earlier search there are replaced. `most` is how many proposals are looked
    for, 7 at most. `seconds` ends the search with the best so far, which then depends on the machine. `progress` hears
    what begins, with a number; what is done within it has the number 0.

    >>> found = ic.propose("plan.yaml", tier="controlled", most=1)
    >>> found.recommended.k >= 3
    True
    """
    if tier not in TIERS:
        raise InputError("D397", f"{tier!r} is no tier.", f"There are: {', '.join(TIERS)}.")
    if not 1 <= most <= MOST:
        raise InputError("D398", f"{most} proposals cannot be looked for.", f"From 1 to {MOST} can.")
    if seconds is not None and not seconds > 0:
        raise InputError("D398", "the seconds of a search are more than 0.")
    wanted = next(name for name in TIERS if name == tier)
    path, place = as_path(plan), None if out is None else Path(out)
    asked, added = read_goal_plan(path, wanted)
    folder, goal = split_tier(path)[0].resolve().parent, Goal.of(wanted, asked)
    if goal.attack is not None and find_spec("splink") is None:  # what is not tried counts as failed: no plan would do
        raise missing_extra(f"splink, which an attack needs that every plan for {wanted} has to stand,", "link")
    secret = secret or secret_to_try(folder)
    if place is not None:
        require_free(place, force, secret, asked, folder)
    begun, told = time.monotonic(), _counted(progress)
    within = (lambda what: None) if progress is None else (lambda what: progress(what, 0, 0))
    with open_bench(asked, folder, secret, folder, told) as bench:
        deadline = None if seconds is None else begun + seconds
        walk = Walk(bench, goal, most, deadline, told, within)
        walk.run()
        line = thinned(frontier(walk.good), most) if walk.good else []
        told("prices")
        found = _proposals(bench, walk, line, added)
    return found if place is None else write_proposals(found, place, folder, secret)


def _counted(progress: Progress | None) -> Callable[[str], None]:
    """Nobody knows how many candidates there will be: what begins is told with its number."""
    number = 0

    def begins(what: str) -> None:
        nonlocal number
        number += 1
        if progress is not None:
            progress(what, number, 0)

    return begins


def _proposals(bench: Bench, walk: Walk, line: Sequence[Tried], added: Sequence[str]) -> Proposals:
    chosen = best(line)
    prices = _prices(bench, chosen, walk.failed) if chosen is not None else ()
    items = tuple(_proposal(bench, walk, one, line, prices, number) for number, one in enumerate(_named(line, chosen)))
    return Proposals(
        items=tuple(sorted(items, key=lambda one: (-one.risk, one.name))),
        tier=walk.goal.tier,
        goal=tuple(walk.goal.words()),
        optimised=optimised(bench),
        search=tuple(searched(walk)),
        added=tuple(added),
        prices=prices,
        obstacles=() if items else tuple(obstacles_of(bench, walk)),
        stopped=walk.stopped,
    )


def _prices(bench: Bench, chosen: Tried, failed: Sequence[Tried]) -> tuple[Price, ...]:
    """What the promises cost. Whoever stops the search now has waited for the proposals: they come without prices."""
    try:
        return tuple(Pricing(bench, chosen, failed).all())
    except stopping.Stopped:
        if not stopping.heeded():
            raise
        return ()


def _named(line: Sequence[Tried], chosen: Tried | None) -> list[Tried]:
    """The recommended one first, then the others, that with most risk first."""
    return [one for one in line if one is chosen] + [one for one in line if one is not chosen]


def _proposal(
    bench: Bench, walk: Walk, tried: Tried, line: Sequence[Tried], prices: Sequence[Price], number: int
) -> Proposal:
    first = best(line)
    assert first is not None
    recommended = tried is first
    why = why_recommended(tried, line, walk.goal) if recommended else better_in(tried, first)
    found = Proposal(
        name="recommended" if recommended else f"other-{number}",
        recommended=recommended,
        why=why,
        records_in=tried.given,
        records_kept=tried.records,
        k=tried.smallest,
        risk=tried.risk,
        strongest=strongest_of(tried),
        attacks=sum(one.in_full for one in tried.attacks),
        information=tried.information,
        loss=loss_of(bench, tried),
        kept=dict(tried.kept),
        use_cases=tuple(KeptCase(o.use_case, o.passed, o.judged) for o in tried.outcomes),
        changes=changes_of(bench, tried),
        left_to_do=tuple(f"{reason.text} {reason.change}" for reason in tried.left_to_do(walk.goal)),
        plan=tried.plan,
    )
    return replace(found, plan=proposed_plan(bench, walk, tried, found, prices))
