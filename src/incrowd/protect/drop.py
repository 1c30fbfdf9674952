"""drop: remove whole columns."""

from __future__ import annotations

from dataclasses import replace

from incrowd.plan.steps.columns import Drop
from incrowd.protect.in_engine import InEngineState
from incrowd.protect.methods import carries_out, carries_out_in_engine
from incrowd.protect.state import Change, Context, State
from incrowd.rows import Rows


@carries_out(Drop)
def drop(step: Drop, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Remove columns; where a key goes, classes that differed only in it become one."""
    rows, table = state.rows.drop(step.variables), state.table
    left = [name for name in table.names if name not in step.variables]
    if len(left) < len(table.names):
        table, _ = table.project(left)
    return replace(state, rows=rows, table=table), _change(step, int(state.table.records.sum()))


@carries_out_in_engine(Drop)
def drop_in_engine(step: Drop, state: InEngineState, context: Context) -> tuple[Rows, Change]:
    """Remove columns of rows whose classes are not here."""
    return state.rows.drop(step.variables), _change(step, state.records)


def _change(step: Drop, records: int) -> Change:
    return Change(f"drop {', '.join(step.variables)}", cells_changed=records * len(step.variables))
