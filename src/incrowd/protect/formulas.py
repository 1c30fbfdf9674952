"""release: formulas: neutralise. After the last step, so that what is written is what is counted."""

from __future__ import annotations

from dataclasses import replace

from incrowd.keys.spreadsheet import neutral
from incrowd.keys.table import KeyTable, Recode
from incrowd.protect.in_engine import InEngineState, recounted
from incrowd.protect.state import Change, Context, Original, State
from incrowd.rows.frame import OURS
from incrowd.rows.spreadsheet import count_formulas, neutralise


def neutralise_formulas(
    state: State | InEngineState, context: Context
) -> tuple[State | InEngineState, Context, Change]:
    """Put an apostrophe before every cell that a spreadsheet would run, in the rows and in the KeyTable alike.

    No two values become one, so the classes stay what they are: only their names change, and those of the leaves of
    hierarchies with them.
    """
    paths = {name: {neutral(leaf): path for leaf, path in leaves.items()} for name, leaves in context.paths.items()}
    context = replace(context, paths=paths)
    columns = [name for name in state.rows.columns if not name.startswith(OURS)]
    found = count_formulas(state.rows.select(columns))
    change = Change("neutralise formulas", cells_changed=sum(found.values()))
    rows = neutralise(state.rows, columns)
    if isinstance(state, InEngineState):
        return recounted(rows, state, context), context, change
    original = state.original
    if original is not None:
        kept = [name for name in original.rows.columns if not name.startswith(OURS)]
        original = Original(neutralise(original.rows, kept), _renamed(original.table))
    before = None if state.before is None else _renamed(state.before)
    bound = () if before is None else tuple(requirement.bind(before) for requirement in context.requirements)
    leaves = {key: {_neutral(value): n for value, n in counts.items()} for key, counts in state.leaves.items()}
    table = _renamed(state.table)
    state = replace(state, rows=rows, table=table, before=before, bound=bound, original=original, leaves=leaves)
    return state, context, change


def _renamed(table: KeyTable) -> KeyTable:
    """The same table, its values by their new names."""
    for domain in (*table.domains, *(histogram.domain for histogram in table.histograms.values())):
        new = [_neutral(value) for value in domain.values]
        if tuple(new) == domain.values:
            continue
        recode = Recode.from_values(domain.name, new)
        known = domain.name in table.names
        table = table.recode({domain.name: recode}) if known else table.recode_sensitive(domain.name, recode)
    return table


def _neutral(value: str | None) -> str | None:
    return None if value is None else neutral(value)
