"""suppress_cells: blank the fewest cells of the keys, and drop no record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.keys.cells import CellSuppression
from incrowd.keys.cells import suppress_cells as blank
from incrowd.keys.cells.blanks import add_blanks
from incrowd.keys.table import KeyTable
from incrowd.plan.steps.suppress import SuppressCells
from incrowd.protect.methods import carries_out
from incrowd.protect.search import reassign_parts
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.people import draw_by, give_keys
from incrowd.rows.records import DRAW, forget
from incrowd.rows.tabulate import tabulate


@carries_out(SuppressCells)
def suppress_cells(step: SuppressCells, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Which cells must go so that everybody is one of k? A blank is a category of its own when it is counted, so the
    promise does not rest on reading it as a wildcard; the wildcard count is reported beside it.
    """
    state = context.bind(state)
    if state.table.population is not None:
        raise InputError("D029", "blanked cells do not go with a population.", "Recode instead.")
    rows, table, found = (_of_people if context.has_unit else _of_records)(step, state, context)
    per_key = ", ".join(f"{name} {cells:,}" for name, cells in found.cells.items() if cells)
    together = f"a {'key' if context.linked else 'value'} is blanked in all of a person's records, or in none"
    notes = (
        f"cells blanked: {per_key or 'none'}",
        *((f"{together}; not proven to be the fewest cells",) if context.has_unit else ()),
        f"k is {found.strict_k}, and {found.wildcard_k} where a blank is read as any value",
    )
    after = context.recount(replace(state, rows=rows, blanks=add_blanks(state.blanks, table, found)))
    return after, Change(f"suppress cells for k = {step.k}", 0, found.total, notes=notes)


def _of_records(step: SuppressCells, state: State, context: Context) -> tuple[Rows, KeyTable, CellSuppression]:
    """Parts of classes are blanked; which records of a class, a keyed order says."""
    table = state.table
    found = blank(table, step.k, importance=step.importance, weights=step.weights)
    chosen = [
        tuple(
            None if gone else domain.values[code]
            for domain, code, gone in zip(table.domains, table.codes[:, base].tolist(), pattern, strict=True)
        )
        for base, pattern in zip(found.classes, found.blanked.tolist(), strict=True)
    ]
    order = context.order("parts")
    return reassign_parts(state.rows, table, found.classes, found.records, chosen, order), table, found


def _of_people(step: SuppressCells, state: State, context: Context) -> tuple[Rows, KeyTable, CellSuppression]:
    """What a person has in a class is blanked. People are known by keyed numbers: their order is chance, and no name
    leaves the engine.
    """
    rows, keys = draw_by(state.rows, [UNIT], context.order("person")), state.table.names
    table = tabulate(rows, keys, unit=DRAW)
    found = blank(table, step.k, importance=step.importance, weights=step.weights, linked=context.linked)
    people = pa.array(sorted(name for name in rows.value_counts(DRAW) if name is not None), pa.string())
    some = np.flatnonzero(found.blanked.any(axis=1))
    assert found.units is not None
    columns: dict[str, pa.Array] = {}
    for i, domain in enumerate(table.domains):
        values = pa.array(domain.values, pa.string())
        columns[f"old{i}"] = values.take(pa.array(table.codes[i][found.classes[some]]))
    columns["person"] = people.take(pa.array(found.units[some]))
    for i, _ in enumerate(table.domains):
        gone = pa.array(found.blanked[some, i])
        columns[f"new{i}"] = pc.if_else(gone, pa.scalar(None, pa.string()), columns[f"old{i}"])
    return forget(give_keys(rows, keys, pa.table(columns))), table, found
