"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from incrowd.plan import steps
from incrowd.protect.drop import drop
from incrowd.protect.pseudonymise import pseudonymise
from incrowd.protect.recode import recode
from incrowd.protect.search import search
from incrowd.protect.state import UNIT, Change, Context, Original, State
from incrowd.protect.suppress_cells import suppress_cells
from incrowd.protect.suppress_records import suppress_records

__all__ = ["UNIT", "Change", "Context", "Original", "State", "protect"]

#: Every kind of step, and the method that carries it out: (step, its number in the plan, state, context).
METHODS: Mapping[type[steps.Step], Callable[[Any, int, State, Context], tuple[State, Change]]] = {
    steps.Drop: drop,
    steps.Pseudonymise: pseudonymise,
    steps.Recode: recode,
    steps.Search: search,
    steps.SuppressCells: suppress_cells,
    steps.SuppressRecords: suppress_records,
}


def protect(step: steps.AnyStep, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Carry out one step of a plan.

    The records that the release will be compared with are kept before the first step that does more than recode; later
    recodings are done to them too.
    """
    method = METHODS[type(step)]
    if state.original is None and not step.harmonises:
        state = replace(state, original=Original(state.rows, state.table))
    after, change = method(step, number, state, context)
    if state.original is not None and isinstance(step, steps.Recode | steps.Drop):
        twin, _ = method(step, number, State(state.original.rows, state.original.table), context)
        after = replace(after, original=Original(twin.rows, twin.table))
    return after, change
