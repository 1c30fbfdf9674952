"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from incrowd.plan import steps
from incrowd.protect.distant import DistantState, count, protect_distant
from incrowd.protect.drop import drop
from incrowd.protect.microaggregate import microaggregate
from incrowd.protect.noise import noise
from incrowd.protect.pram import pram
from incrowd.protect.pseudonymise import pseudonymise
from incrowd.protect.recode import recode
from incrowd.protect.search import search
from incrowd.protect.shuffle import shuffle
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.suppress_cells import suppress_cells
from incrowd.protect.suppress_records import suppress_records

__all__ = ["UNIT", "Change", "Context", "DistantState", "State", "count", "protect"]

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
}


def protect(
    step: steps.AnyStep, number: int, state: State | DistantState, context: Context
) -> tuple[State | DistantState, Change]:
    """Carry out one step of a plan."""
    if isinstance(state, DistantState):
        return protect_distant(step, state, context)
    return METHODS[type(step)](step, number, state, context)
