"""Several files from one source: each made and judged as any release, and then all of them together.

Somebody may hold more than one of the files. So before the first is published, all are made on trial, and an intruder
who has two of them tries to learn what neither tells alone: about people in both, and about those in only one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from incrowd.attack.composition import compose
from incrowd.attack.on_run import attack_run
from incrowd.attack.situation import Situation
from incrowd.attack.subtraction import subtract
from incrowd.attack.value import TOGETHER, Attacked
from incrowd.attack.words import percent
from incrowd.audit.earlier import Earlier, find_earlier, other_releases
from incrowd.audit.inputs import Taken, take_inputs
from incrowd.audit.series import Found, find_series
from incrowd.audit.signing import Signer, find_signer
from incrowd.errors import IncrowdError, NotReleasable
from incrowd.machine.stopping import all_or_none
from incrowd.pipeline import FileRun, Progress, run
from incrowd.pipeline.check import Checked, check_files
from incrowd.pipeline.job import Circumstances, OnTrial
from incrowd.pipeline.trace import Traced, trace
from incrowd.plan import Plan
from incrowd.plan.files import named_files
from incrowd.report.facts import loses_few
from incrowd.secret import Secret, project_secret


def run_tiers(
    plan: Plan | str | Path,
    *,
    folder: Path | None = None,
    out: Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
    signer: Signer | None = None,
) -> tuple[FileRun, ...]:
    """Take a plan with tiers from the raw file to its releases, each in a folder named after its tier.

    Raises NotReleasable, and publishes none of them, when one must not be released, or two must not be together. A
    plan without tiers is run as always, with its release in `out` itself.
    """
    plans = check_files(plan, folder)
    if len(plans) == 1:
        return (run(plans[0], out=out, secret=secret, memory=memory, progress=progress, within=within, signer=signer),)
    home = out or plans[0].folder
    given = _Given(home, secret or project_secret(plans[0].folder, home), memory, signer or find_signer(home))
    found = _try_together(plans, given, progress)
    with all_or_none():
        return tuple(given.run(one, found[one.plan.tier], progress, within) for one in plans)


@dataclass(frozen=True)
class _Given:
    """What all files of a plan are made with."""

    home: Path
    secret: Secret
    memory: str | None
    signer: Signer | None

    def run(
        self,
        one: Checked,
        circumstances: Circumstances,
        progress: Progress | None = None,
        within: Callable[[float], None] | None = None,
    ) -> FileRun:
        """One of them, in a folder of its own."""
        return run(
            one, out=_home(self.home, one.plan), secret=self.secret, memory=self.memory, progress=progress,
            within=within, signer=self.signer, circumstances=circumstances,
        )  # fmt: skip


def _try_together(plans: Sequence[Checked], given: _Given, progress: Progress | None) -> dict[str, Circumstances]:
    """Make each file on trial, and try what two of them give away together. Gives what is known of each by then.

    What is refused on trial is run: it is refused again, and leaves its audit.
    """
    limit = plans[0].plan.together.limit
    found: dict[str, list[Attacked]] = {one.plan.tier: [] for one in plans}
    with ExitStack() as stack:
        traces: dict[str, Traced] = {}
        inputs: dict[str, tuple[Taken, ...]] = {}
        earlier: dict[str, tuple[Earlier, ...]] = {}  # found before anything is published
        series: dict[str, Found] = {}
        for number, one in enumerate(plans, start=1):
            plan, folder, tier = one.plan, one.folder, one.plan.tier
            if progress is not None:
                progress(f"{tier}: on trial", number, len(plans))
            inputs[tier] = take_inputs(named_files(plan), folder)
            earlier[tier] = find_earlier(plan, folder, given.home, inputs[tier])
            series[tier] = find_series(plan, given.home, folder)
            traces[tier] = stack.enter_context(
                trace(plan, folder, given.secret, home=given.home, attacks=True, earlier=())
            )
            if (refusal := traces[tier].done.refusal) is not None:
                given.run(one, Circumstances(earlier=earlier[tier], series=series[tier]))
                raise refusal
        situations = {tier: traced.situation() for tier, traced in traces.items()}
        for first, second in combinations((one.plan for one in plans), 2):
            for named in _tried(first, second, situations[first.tier], situations[second.tier]):
                found[first.tier].append(named)
                found[second.tier].append(named)
                _refuse_above(named, limit)
        files = {traced.done.sha256 for traced in traces.values()}  # tried together: no other releases
        others = {tier: tuple(each for each in there if each.data not in files) for tier, there in earlier.items()}
        for one in plans:
            tier = one.plan.tier
            if (refusal := _denied_wrongly(traces[tier], others[tier])) is not None:
                given.run(one, Circumstances(earlier=others[tier], series=series[tier]))
                raise refusal
        hidden = any(loses_few(traced.done.log) for traced in traces.values())
        return {
            tier: Circumstances(
                tuple(found[tier]), hidden, OnTrial(inputs[tier], traced.done.sha256), others[tier], series[tier]
            )
            for tier, traced in traces.items()
        }


def _denied_wrongly(traced: Traced, earlier: tuple[Earlier, ...]) -> NotReleasable | None:
    """Would the file be refused, now that one of the source lies here which is none of these files?"""
    done = traced.done
    there = other_releases(traced.plan, earlier, done.log.start.records, done.sha256)
    if not there or not traced.plan.attacks or done.traced is None:
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
