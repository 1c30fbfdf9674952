"""Several files from one source: each made and judged as any release, and then all of them together.

Somebody may hold more than one of the files. So before the first is published, all are made on trial, and an intruder
who has two of them tries to learn what neither tells alone: about people in both, and about those in only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from incrowd.attack.composition import compose
from incrowd.attack.on_run import attack_run, attack_steps
from incrowd.attack.situation import Situation
from incrowd.attack.subtraction import subtract
from incrowd.attack.value import TOGETHER, Attacked
from incrowd.attack.words import percent
from incrowd.audit.earlier import Earlier, find_earlier, other_releases
from incrowd.audit.inputs import take_inputs
from incrowd.audit.manifest import hash_entries
from incrowd.audit.signing import Signer, find_signer
from incrowd.errors import IncrowdError, NotReleasable
from incrowd.machine.stopping import all_or_none
from incrowd.pipeline import Progress, Run, Tried, run
from incrowd.pipeline.trace import Traced, trace
from incrowd.plan import Plan, load_tiers
from incrowd.plan.files import named_files
from incrowd.report.facts import loses_few
from incrowd.secret import Secret, find_secret


def run_tiers(
    path: str | Path,
    *,
    out: Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    signer: Signer | None = None,
) -> tuple[Run, ...]:
    """Take a plan with tiers from the raw file to its releases, each in a folder named after its tier.

    Raises NotReleasable, and publishes none of them, when one must not be released, or two must not be together. A
    plan without tiers is run as always, with its release in `out` itself.
    """
    plans, folder = load_tiers(path), Path(path).resolve().parent
    home = out or folder
    if len(plans) == 1:
        alone = run(plans[0], folder=folder, out=home, secret=secret, memory=memory, progress=progress, signer=signer)
        return (alone,)
    secret, signer = secret or find_secret(home), signer or find_signer(home)
    limit = plans[0].together.limit
    found: dict[str, list[Attacked]] = {plan.tier: [] for plan in plans}

    def keep_refusal(plan: Plan, there: tuple[Earlier, ...]) -> None:
        """Run what was refused on trial: it is refused again, with its audit."""
        place = _home(home, plan)
        run(plan, folder=folder, out=place, secret=secret, memory=memory, signer=signer, earlier=there)

    with ExitStack() as stack:
        situations: dict[str, Situation] = {}
        tried: dict[str, Tried] = {}
        earlier: dict[str, tuple[Earlier, ...]] = {}  # found before anything is published
        traces: dict[str, Traced] = {}
        for number, plan in enumerate(plans, start=1):
            if progress is not None:
                progress(f"{plan.tier}: on trial", number, len(plans))
            inputs = take_inputs(named_files(plan), folder)
            earlier[plan.tier] = find_earlier(plan, folder, home, inputs)
            traced = stack.enter_context(trace(plan, folder, secret, home=home, attacks=True, earlier=()))
            if traced.done.refusal is not None:
                keep_refusal(plan, earlier[plan.tier])
                raise traced.done.refusal
            tried[plan.tier] = Tried(inputs, hash_entries(traced.done.counted))
            situations[plan.tier] = traced.situation()
            traces[plan.tier] = traced
        for one, other in combinations(plans, 2):
            pair = situations[one.tier], situations[other.tier]
            for named in _tried(one, other, *pair):
                found[one.tier].append(named)
                found[other.tier].append(named)
                _refuse_above(named, limit)
        files = {each.sha256 for each in tried.values()}  # tried together: no other releases, though made before
        others = {tier: tuple(each for each in there if each.data not in files) for tier, there in earlier.items()}
        for plan in plans:
            if (refusal := _denied_wrongly(traces[plan.tier], others[plan.tier])) is not None:
                keep_refusal(plan, others[plan.tier])
                raise refusal
        hidden = any(loses_few(traced.done.log) for traced in traces.values())
    with all_or_none():
        return tuple(
            run(
                plan, folder=folder, out=_home(home, plan), secret=secret, memory=memory, progress=progress,
                together=tuple(found[plan.tier]), source_hidden=hidden, signer=signer, tried=tried[plan.tier],
                earlier=others[plan.tier],
            )
            for plan in plans
        )  # fmt: skip


def _denied_wrongly(traced: Traced, earlier: tuple[Earlier, ...]) -> NotReleasable | None:
    """Would the file be refused, now that one of the source lies here which is none of these files?"""
    done = traced.done
    there = other_releases(traced.plan, earlier, done.log.start.records, hash_entries(done.counted))
    if not there or not attack_steps(traced.plan) or done.traced is None:
        return None
    return attack_run(traced.plan, traced.context, traced.start, traced.state, done.traced, there).refusal


def _home(home: Path, plan: Plan) -> Path:
    folder = home / plan.tier
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IncrowdError("X004", f"no run can be stored in {folder} ({error.strerror}).") from None
    return folder


def _tried(one: Plan, other: Plan, first: Situation, second: Situation) -> Iterator[Attacked]:
    """What the two files give away together, each attack under a name of its own."""
    holds = f"{TOGETHER} {one.tier} and {other.tier}"
    if (first.inside & second.inside).any():  # else there is nothing to put together
        for attacked in compose(first, second):
            yield replace(attacked, scenario=f"{holds} ({attacked.scenario} of people in both)")
    for plan, kept, dropped in ((one, first, second), (other, second, first)):
        for attacked in subtract(kept, dropped, _required(plan)):
            yield replace(attacked, scenario=f"{holds} (people in {plan.tier} only)")


def _required(plan: Plan) -> int:
    """The largest crowd that a file promises to everybody in it."""
    return max((each.crowd for each in plan.requirements), default=1)


def _refuse_above(attacked: Attacked, limit: float) -> None:
    """The files are counted whole, so the share itself is compared, not the end of an interval."""
    if attacked.does_not_apply:
        return
    if attacked.success is None:
        message = f"whether two files undo each other could not be tried ({attacked.why})."
        raise NotReleasable("R025", message, "Nothing was released.")
    pinned = attacked.success.value - (attacked.baseline or 0.0)
    if pinned > limit:
        share = f"{percent(pinned)} of them although neither does alone, where {percent(limit)} are allowed"
        raise NotReleasable(
            "R024",
            f"who {attacked.scenario} pins down {share}; nothing was released.",
            "Use the same categories in both, drop the same people from both, or sample them apart; together: limit "
            "says what is allowed.",
        )
