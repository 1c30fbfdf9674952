"""drop: remove whole columns."""

from __future__ import annotations

from dataclasses import replace

from incrowd.plan.steps import Drop
from incrowd.protect.state import Change, Context, State


def drop(step: Drop, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Remove columns; where a key goes, classes that differed only in it become one."""
    rows, table = state.rows.drop(step.variables), state.table
    left = [name for name in table.names if name not in step.variables]
    if len(left) < len(table.names):
        table, _ = table.project(left)
    cells = int(state.table.records.sum()) * len(step.variables)
    return replace(state, rows=rows, table=table), Change(f"drop {', '.join(step.variables)}", cells_changed=cells)
