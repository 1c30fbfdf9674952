"""suppress_cells: blank the fewest cells of the keys, and drop no record."""

from __future__ import annotations

from dataclasses import replace

from incrowd.errors import InputError
from incrowd.keys.cells import suppress_cells as blank
from incrowd.keys.cells.blanks import add_blanks
from incrowd.plan.steps.suppress import SuppressCells
from incrowd.protect.methods import carries_out
from incrowd.protect.search import reassign_parts
from incrowd.protect.state import Change, Context, State


@carries_out(SuppressCells)
def suppress_cells(step: SuppressCells, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Which cells must go so that everybody is one of k? A blank is a category of its own when it is counted, so the
    promise does not rest on reading it as a wildcard; the wildcard count is reported beside it.
    """
    state = context.bind(state)
    table = state.table
    if table.population is not None:
        raise InputError("D029", "blanked cells do not go with a population.", "Recode instead.")
    found = blank(table, step.k, importance=step.importance, weights=step.weights)
    chosen = [
        tuple(
            None if gone else domain.values[code]
            for domain, code, gone in zip(table.domains, table.codes[:, base].tolist(), pattern, strict=True)
        )
        for base, pattern in zip(found.classes, found.blanked.tolist(), strict=True)
    ]
    order = context.order("parts")
    rows = reassign_parts(state.rows, table, found.classes, found.records, chosen, order)
    per_key = ", ".join(f"{name} {cells:,}" for name, cells in found.cells.items() if cells)
    notes = (
        f"cells blanked: {per_key or 'none'}",
        f"k is {found.strict_k}, and {found.wildcard_k} where a blank is read as any value",
    )
    after = context.recount(replace(state, rows=rows, blanks=add_blanks(state.blanks, table, found)))
    return after, Change(f"suppress cells for k = {step.k}", 0, found.total, notes=notes)
