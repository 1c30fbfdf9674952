"""Protection: one file per method. Each takes the state and a plan step, gives the new state and what changed."""

from __future__ import annotations

from incrowd.plan import model
from incrowd.protect.drop import drop
from incrowd.protect.pseudonymise import pseudonymise
from incrowd.protect.recode import recode
from incrowd.protect.search import search
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.suppress_cells import suppress_cells
from incrowd.protect.suppress_records import suppress_records

__all__ = ["UNIT", "Change", "Context", "State", "protect"]


def protect(step: model.AnyStep, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Carry out one step of a plan."""
    match step:
        case model.Drop():
            return drop(step, state)
        case model.Pseudonymise():
            return pseudonymise(step, number, state, context)
        case model.Recode():
            return recode(step, state, context)
        case model.SuppressRecords():
            return suppress_records(step, state, context)
        case model.Search():
            return search(step, number, state, context)
        case model.SuppressCells():
            return suppress_cells(step, number, state, context)
