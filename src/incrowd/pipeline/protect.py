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


def protect_data(measured: MeasuredBefore) -> Protected:
    """Carry out the steps of the plan in their order, and at last its wish about formulas."""
    plan, state, context, drawn_by = measured.plan, measured.start, measured.context, ""
    steps = [_log(0, "start", Change("the file as it came"), None, state, 0.0)]
    for number, step in enumerate(plan.steps, start=1):
        measured.progress(f"{step.step} {getattr(step, 'variable', '')}".strip())
        begun = time.perf_counter()
        state, change = protect(step, number, state, context)
        if step.perturbs and not step.off and not change.cells_changed and not change.records_removed:
            change = replace(change, notes=(*change.notes, NOTHING))
        done = _log(number, step.step, change, step.reason, state, time.perf_counter() - begun)
        steps.append(replace(done, off=step.off))
        if step.perturbs and not step.off:  # what comes after the last of them changes no draw
            drawn_by = context.ended(state.history).subkey("drawn by").hex()
    if plan.release.formulas == "neutralise":
        state, context, change = neutralise_formulas(state, context)
        steps.append(_log(len(plan.steps) + 1, "formulas", change, None, state, 0.0))
    so_far = {**vars(measured), "context": context}
    return Protected(**so_far, state=state, steps=tuple(steps), drawn_by=drawn_by)


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
