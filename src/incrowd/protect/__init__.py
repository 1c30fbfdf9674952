"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, overload

from incrowd.errors import InputError
from incrowd.plan import steps
from incrowd.protect.drawing import add_to_history, key_draws
from incrowd.protect.drop import drop
from incrowd.protect.formulas import neutralise_formulas
from incrowd.protect.in_engine import InEngineState, protect_in_engine, refuse_absent_values, require_in_memory
from incrowd.protect.merge_small import merge_small
from incrowd.protect.microaggregate import microaggregate
from incrowd.protect.noise import noise
from incrowd.protect.numbers import bottom_code, rank_swap, round_numbers, top_code
from incrowd.protect.pram import pram
from incrowd.protect.pseudonymise import pseudonymise
from incrowd.protect.recode import recode
from incrowd.protect.sample import sample
from incrowd.protect.search import search
from incrowd.protect.shuffle import shuffle
from incrowd.protect.state import UNIT, Change, Context, Original, State
from incrowd.protect.suppress_cells import suppress_cells
from incrowd.protect.suppress_records import suppress_records
from incrowd.protect.swap import swap

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


#: Every kind of step, and the method that carries it out: (step, its number in the plan, state, context).
METHODS: Mapping[type[steps.Step], Callable[[Any, int, State, Context], tuple[State, Change]]] = {
    steps.Drop: drop,
    steps.Microaggregate: microaggregate,
    steps.Noise: noise,
    steps.Pram: pram,
    steps.Pseudonymise: pseudonymise,
    steps.Recode: recode,
    steps.Search: search,
    steps.Shuffle: shuffle,
    steps.SuppressCells: suppress_cells,
    steps.SuppressRecords: suppress_records,
    steps.Sample: sample,
    steps.Swap: swap,
    steps.RankSwap: rank_swap,
    steps.Round: round_numbers,
    steps.TopCode: top_code,
    steps.BottomCode: bottom_code,
    steps.MergeSmall: merge_small,
}


@overload
def protect(step: steps.AnyStep, number: int, state: State, context: Context) -> tuple[State, Change]: ...


@overload
def protect(
    step: steps.AnyStep, number: int, state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Change]: ...


def protect(
    step: steps.AnyStep, number: int, state: State | InEngineState, context: Context
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
    step: steps.AnyStep, number: int, state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Change]:
    if isinstance(state, InEngineState):
        return protect_in_engine(step, state, context)
    method = METHODS[type(step)]
    if state.original is None and not step.only_coarsens:
        state = replace(state, original=Original(state.rows, state.table))
    after, change = method(step, number, state, context)
    if state.original is not None and isinstance(step, steps.Recode | steps.Drop):
        # What the release is compared with may have values that the release lost, and that the step refuses.
        with suppress(InputError):
            twin, _ = method(step, number, State(state.original.rows, state.original.table), context)
            after = replace(after, original=Original(twin.rows, twin.table))
    return after, change
