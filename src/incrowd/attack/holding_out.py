"""People who were left out by chance alone: the only control that is like the people in the file.

Whoever is suppressed is so for a rare combination of keys or for a sensitive value: what is true of them says little
about those who stay. Who fell out of a sample is like them. A plan without a sample can hold some people out on trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.matching.meeting import UNFAIR
from incrowd.attack.situation import lines_of
from incrowd.attack.value import Attacked
from incrowd.errors import IncrowdError, InputError
from incrowd.plan import Plan, steps
from incrowd.plan.steps.sample import Sample
from incrowd.protect import UNIT, Context, State, protect
from incrowd.rows import Rows
from incrowd.rows.frame import LINE

Bools = NDArray[np.bool_]


def left_out_by_chance(plan: Plan, context: Context, start: State) -> Bools | None:
    """For each record of the original, whether a sample of the plan left it out; None where the plan draws none.

    The steps up to the last sample are done again: draws come from the secret, so that the same people fall out.
    """
    last = max((n for n, step in enumerate(plan.steps, start=1) if _samples(step)), default=0)
    if not last:
        return None
    left = np.zeros(start.rows.count(), bool)
    return _carried(dict(enumerate(plan.steps[:last], start=1)), context, start, left)[1]


@dataclass(frozen=True, eq=False)
class BegunTrial:
    """A trial release whose first steps are done: plans that begin alike go on from here."""

    state: State
    left: Bools  # for each record of the original, whether chance left it out
    steps: int  # of the plan that are done


def begin_trial(plan: Plan, context: Context, start: State, share: float, until: int) -> BegunTrial:
    """Hold a share of the people out by keyed chance, and do the first steps of the plan for the others."""
    held = Sample(step="sample", fraction=1 - share, households=plan.data.household is not None)
    done = {0: held, **dict(enumerate(plan.steps[:until], start=1))}
    return BegunTrial(*_carried(done, context, start, np.zeros(start.rows.count(), bool)), until)


def on_trial(
    plan: Plan, context: Context, start: State, share: float, begun: BegunTrial | None = None
) -> tuple[State, Rows, Bools]:
    """What the plan would release without a share of the people, who are held out by keyed chance; whose record is
    whose in it; and who was left out by chance. It is written nowhere. What has `begun` is not done again.
    """
    try:
        begun = begun or begin_trial(plan, context, start, share, 0)
        rest = {n: step for n, step in enumerate(plan.steps, start=1) if n > begun.steps}
        state, left = _carried(rest, context, begun.state, begun.left.copy())
    except IncrowdError as error:
        message = f"a trial release without {share:.0%} of the people cannot be made: {error.message}"
        raise InputError("D285", message, "Hold out fewer, or take hold_out out of the attack.") from None
    columns = [name for name in state.rows.columns if name not in (UNIT, LINE)]
    rows = state.rows.select([*columns, LINE])
    return state, replace(rows, table=rows.table.order_by(LINE)).settled(), left


def _carried(done: Mapping[int, steps.AnyStep], context: Context, state: State, left: Bools) -> tuple[State, Bools]:
    """The state after these steps, each with its number, and for each record whether a sample left it out, of them or
    before.
    """
    for number, step in done.items():
        before = state
        state, _ = protect(step, number, state, context)
        if _samples(step):
            left[lines_of(before.rows)] = True
            left[lines_of(state.rows)] = False
    return state, left


def _samples(step: steps.AnyStep) -> bool:
    return step.samples and not step.off


def with_control(found: Sequence[Attacked], trial: Sequence[Attacked], share: float) -> list[Attacked]:
    """The attacks on the release, with the control of the trial release where that has a fair one."""
    fair = {(one.attack, one.scenario, one.about): one.control for one in trial if one.fair and one.control is not None}
    note = f"Control: the same on a trial release, with {share:.0%} of the people held out by chance."
    result = []
    for one in found:
        control = fair.get((one.attack, one.scenario, one.about))
        if control is None or one.success is None or one.fair:
            result.append(one)
        else:
            result.append(replace(one, control=control, fair=True, why=f"{one.why} {note}".replace(UNFAIR, "").strip()))
    return result
