"""recode: say a variable more coarsely, by bands, mapping, date part, prefix, lookup file, hierarchy or postcode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from incrowd.errors import InputError
from incrowd.keys import labels
from incrowd.keys.hierarchies import postcode_component
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.packing import add_up
from incrowd.keys.table import KeyTable, Recode
from incrowd.plan import steps
from incrowd.protect.state import Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.lookup import read_hierarchy, read_lookup

Values = Sequence[str | None]


def recode(step: steps.Recode, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Replace each value by a coarser one. The new names are made once per distinct value and joined to the rows."""
    name = step.variable
    rows, named, change = relabel(step, state.rows, _counts(state, name), context)
    leaves = state.leaves_after(name, named) if name in state.table.names else state.leaves
    return replace(state, rows=rows, table=_recode_table(state.table, name, named), leaves=leaves), change


def relabel(
    step: steps.Recode, rows: Rows, counts: Mapping[str | None, int], context: Context
) -> tuple[Rows, dict[str | None, str | None], Change]:
    """The rows with the new names, the new name of each value, and what changed."""
    values, name = list(counts), step.variable
    new = _labels(step, values, context)
    named = dict(zip(values, new, strict=True))
    cells = sum(number for value, number in counts.items() if named[value] != value)
    changed = rows.relabel(name, {old: label for old, label in named.items() if old is not None})
    return changed, named, Change(f"recode {name} by {step.way}", cells_changed=cells, notes=_notes(step, values, new))


def _counts(state: State, name: str) -> Mapping[str | None, int]:
    """The variable's values and their records; for a key the KeyTable knows, without a pass over the rows."""
    if name not in state.table.names:
        return state.rows.value_counts(name)
    at = state.table.names.index(name)
    values, codes = state.table.domains[at].values, state.table.codes[at].astype(np.int64)
    counts = add_up(codes, state.table.records, len(values))
    return {value: count for value, count in zip(values, counts.tolist(), strict=True) if count}


def _recode_table(table: KeyTable, name: str, named: Mapping[str | None, str | None]) -> KeyTable:
    if name in table.names:
        i = table.names.index(name)
        return table.recode({name: _recode_of(table.domains[i].values, name, named)})
    if name in table.histograms:
        domain = table.histograms[name].domain
        # In the histogram an empty text is missing, so an empty new label is, too.
        blank = {value: label or None for value, label in named.items()}
        return table.recode_sensitive(name, _recode_of(domain.values, name, blank))
    return table


def _recode_of(values: Values, name: str, named: Mapping[str | None, str | None]) -> Recode:
    # A class that was dropped may leave a value in the domain that no record has any more: it keeps its name.
    return Recode.from_values(name, [named.get(value, value) for value in values])


def _labels(step: steps.Recode, values: Values, context: Context) -> list[str | None]:
    name = step.variable
    match step.way:
        case "bands":
            assert step.bands is not None
            return labels.bands(values, step.bands, name, step.labels)
        case "mapping":
            assert step.mapping is not None
            return labels.mapping(values, step.mapping, name, step.others)
        case "date_part":
            assert step.date_part is not None
            return labels.date_part(values, step.date_part, name, step.date_format or "%Y-%m-%d")
        case "prefix":
            assert step.prefix is not None
            return labels.prefix(values, step.prefix)
        case "lookup":
            assert step.lookup is not None
            return labels.mapping(values, read_lookup(context.folder / step.lookup), name, step.others or "fault")
        case "postcode":
            assert step.postcode is not None
            return postcode_component(values, step.postcode, name, None if step.others == "fault" else step.others)
        case _:
            assert step.hierarchy is not None
            assert step.level is not None
            return _at_level(read_hierarchy(context.folder / step.hierarchy, name), step.level, values)


def _at_level(hierarchy: Hierarchy, level: int, values: Values) -> list[str | None]:
    if level > hierarchy.height:
        raise InputError(
            "D026",
            f"the hierarchy of {hierarchy.name!r} has {hierarchy.height} levels, and level {level} is asked for.",
        )
    row_of = dict(zip(hierarchy.leaves, hierarchy.rows, strict=True))
    return labels.mapping(values, {leaf: row[level] for leaf, row in row_of.items()}, hierarchy.name, "fault")


def _notes(step: steps.Recode, values: Values, new: Values) -> tuple[str, ...]:
    notes = [f"{len(values)} values become {len(set(new))}"]
    if step.mapping is not None and (absent := len(set(step.mapping) - set(values))):
        notes.append(f"{absent} values of the mapping do not occur in the file")
    return tuple(notes)
