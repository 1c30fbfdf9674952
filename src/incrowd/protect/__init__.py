"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from incrowd.plan import steps
from incrowd.protect.drop import drop
from incrowd.protect.merge_small import merge_small
from incrowd.protect.numbers import bottom_code, rank_swap, round_numbers, top_code
from incrowd.protect.pseudonymise import pseudonymise
from incrowd.protect.recode import recode
from incrowd.protect.sample import sample
from incrowd.protect.search import search
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.suppress_cells import suppress_cells
from incrowd.protect.suppress_records import suppress_records
from incrowd.protect.swap import swap

__all__ = ["UNIT", "Change", "Context", "State", "protect"]

#: Every kind of step, and the method that carries it out: (step, its number in the plan, state, context).
METHODS: Mapping[type[steps.Step], Callable[[Any, int, State, Context], tuple[State, Change]]] = {
    steps.Drop: drop,
    steps.Pseudonymise: pseudonymise,
    steps.Recode: recode,
    steps.Search: search,
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


def protect(step: steps.AnyStep, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Carry out one step of a plan."""
    return METHODS[type(step)](step, number, state, context)
