"""Protect step by step, and write down what each step did."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from incrowd.audit.log import Snapshot, StepLog
from incrowd.pipeline.before import MeasuredBefore
from incrowd.protect import Change, InEngineState, State, neutralise_formulas, protect

#: Of a step that should perturb.
NOTHING = "changed no cell and removed no record: it protects nobody"


@dataclass(frozen=True, kw_only=True)
class Protected(MeasuredBefore):
    """The rows and classes after the last step."""

    state: State | InEngineState
    steps: tuple[StepLog, ...]  # the first is the file as it came
    drawn_by: str  # a keyed digest of all that the draws depended on


@dataclass(frozen=True)
class Begun:
    """A plan whose first steps are done already: another one with the same first steps goes on from here."""

    state: State | InEngineState
    steps: tuple[StepLog, ...]
    drawn_by: str = ""


def begin_steps(start: State | InEngineState) -> Begun:
    """Before the first step."""
    return Begun(start, (_log(0, "start", Change("the file as it came"), None, start, 0.0),))


def protect_data(measured: MeasuredBefore, begun: Begun | None = None) -> Protected:
    """Carry out the steps of the plan in their order, and at last its wish about formulas. Those that have `begun` are
    not done again.
    """
    done = do_steps(measured, begun or begin_steps(measured.start), len(measured.plan.steps))
    plan, state, context, steps = measured.plan, done.state, measured.context, [*done.steps]
    if plan.release.formulas == "neutralise":
        state, context, change = neutralise_formulas(state, context)
        steps.append(_log(len(plan.steps) + 1, "formulas", change, None, state, 0.0))
    so_far = {**vars(measured), "context": context}
    return Protected(**so_far, state=state, steps=tuple(steps), drawn_by=done.drawn_by)


def do_steps(measured: MeasuredBefore, begun: Begun, until: int) -> Begun:
    """The steps of the plan from where it stands up to a number."""
    plan, context, state, drawn_by = measured.plan, measured.context, begun.state, begun.drawn_by
    steps = [*begun.steps]
    for number, step in enumerate(plan.steps[:until], start=1):
        if number < len(begun.steps):
            continue
        measured.progress(f"{step.step} {getattr(step, 'variable', '')}".strip())
        since = time.perf_counter()
        state, change = protect(step, number, state, context)
        if step.perturbs and not step.off and not change.cells_changed and not change.records_removed:
            change = replace(change, notes=(*change.notes, NOTHING))
        done = _log(number, step.step, change, step.reason, state, time.perf_counter() - since)
        steps.append(replace(done, off=step.off))
        if step.perturbs and not step.off:  # what comes after the last of them changes no draw
            drawn_by = context.ended(state.history).subkey("drawn by").hex()
    return Begun(state, tuple(steps), drawn_by)


def _log(
    number: int, name: str, change: Change, reason: str | None, state: State | InEngineState, seconds: float
) -> StepLog:
    if isinstance(state, InEngineState):
        after = Snapshot.of_sizes(state.keys, state.classes.sizes())
    else:
        after = Snapshot.of(state.table)
    return StepLog(
        number, name, change.title, reason, change.records_removed, change.cells_changed,
        change.removed_for, change.notes, after, round(seconds, 3), found=change.found,
    )  # fmt: skip
