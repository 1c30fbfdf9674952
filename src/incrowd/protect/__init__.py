"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed.

A new file in this folder is found by itself, and its method by the step that it carries out (methods.py).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import overload

from incrowd.errors import InputError
from incrowd.machine.modules import import_all
from incrowd.plan.steps import AnyStep
from incrowd.protect.amounts import refuse_missing_codes
from incrowd.protect.drawing import add_to_history, key_draws
from incrowd.protect.formulas import neutralise_formulas
from incrowd.protect.in_engine import InEngineState, recounted, refuse_absent_values, require_in_memory, too_many
from incrowd.protect.methods import IN_ENGINE, METHODS
from incrowd.protect.state import UNIT, Change, Context, Original, State

__all__ = [
    "UNIT",
    "Change",
    "Context",
    "InEngineState",
    "Original",
    "State",
    "neutralise_formulas",
    "protect",
    "refuse_absent_values",
    "require_in_memory",
]  # fmt: skip


import_all(__name__)


@overload
def protect(step: AnyStep, number: int, state: State, context: Context) -> tuple[State, Change]: ...


@overload
def protect(
    step: AnyStep, number: int, state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Change]: ...


def protect(
    step: AnyStep, number: int, state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Change]:
    """Carry out one step of a plan.

    The records that the release will be compared with are kept before the first step that does more than recode; later
    recodings are done to them too.
    """
    if step.off:
        return state, Change(f"{step.step.replace('_', ' ')}: switched off")
    after, change = _carry_out(step, number, state, key_draws(step, state.history, context))
    return replace(after, history=add_to_history(step, state.history, context, change)), change


def _carry_out(
    step: AnyStep, number: int, state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Change]:
    if isinstance(state, InEngineState):
        return _carry_out_in_engine(step, state, context)
    method = METHODS[type(step)]
    refuse_missing_codes(step, state, context)
    if state.original is None and not step.only_coarsens:
        state = replace(state, original=Original(state.rows, state.table))
    after, change = method(step, number, state, context)
    if state.original is not None and step.done_to_original:
        # What the release is compared with may have values that the release lost, and that the step refuses.
        with suppress(InputError):
            twin, _ = method(step, number, State(state.original.rows, state.original.table), context)
            after = replace(after, original=Original(twin.rows, twin.table))
    return after, change


def _carry_out_in_engine(step: AnyStep, state: InEngineState, context: Context) -> tuple[InEngineState | State, Change]:
    """One step on classes that stay in the engine; they are fetched when they have become few enough."""
    if type(step) not in IN_ENGINE:
        raise too_many(step.step)
    rows, change = IN_ENGINE[type(step)](step, state, context)
    return recounted(rows, replace(state, decided=state.decided or step.decides_by_class), context), change
