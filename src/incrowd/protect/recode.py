"""recode: say a variable more coarsely, by bands, mapping, date part, prefix, lookup file, hierarchy or postcode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incrowd.errors import InputError
from incrowd.keys import labels
from incrowd.keys.hierarchies import postcode_component
from incrowd.keys.hierarchy import Hierarchy
from incrowd.plan.steps.recode import Recode
from incrowd.protect.in_engine import InEngineState
from incrowd.protect.methods import carries_out, carries_out_in_engine
from incrowd.protect.state import Change, Context, State
from incrowd.protect.values import changed_cells, relabel, relabel_rows, value_records
from incrowd.rows import Rows
from incrowd.rows.areas import SOURCE, regions_of
from incrowd.rows.lookup import look_up, read_hierarchy, read_lookup

Values = Sequence[str | None]


@carries_out(Recode)
def recode(step: Recode, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Replace each value by a coarser one. The new names are made once per distinct value and joined to the rows."""
    name = step.variable
    named, change = new_names(step, value_records(state, name), context)
    return relabel(state, name, named), change


@carries_out_in_engine(Recode)
def recode_in_engine(step: Recode, state: InEngineState, context: Context) -> tuple[Rows, Change]:
    """Replace values in rows whose classes are not here."""
    named, change = new_names(step, state.rows.value_counts(step.variable), context)
    return relabel_rows(state.rows, step.variable, named), change


def new_names(
    step: Recode, counts: Mapping[str | None, int], context: Context
) -> tuple[dict[str | None, str | None], Change]:
    """The new name of each value, and what changes."""
    values = list(counts)
    apart = _stay(step, values, context)
    others = [value for value in values if value not in apart]
    new_of = dict(zip(others, _labels(step, others, context), strict=True))
    named = {value: new_of.get(value, value) for value in values}
    new = list(named.values())
    title, cells = f"recode {step.variable} by {step.way}", changed_cells(counts, named)
    return named, Change(title, cells_changed=cells, notes=_notes(step, values, new, len(apart)))


def _stay(step: Recode, values: Values, context: Context) -> set[str]:
    """The declared codes for 'no value', unless the rule names them itself: they are never put into a group."""
    declared = set(context.book.missing.get(step.variable, ())) & set(values)
    return {value for value in declared if value is not None} - named_values(step, context) if declared else set()


def _labels(step: Recode, values: Values, context: Context) -> list[str | None]:
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
            return labels.date_part(values, step.date_part, name, step.date_format)
        case "prefix":
            assert step.prefix is not None
            return labels.prefix(values, step.prefix)
        case "lookup":
            others = None if step.others == "fault" else step.others
            if step.regions is not None:
                return regions_of(values, step.regions, name, others)
            assert step.table is not None
            columns = (step.table.from_, step.table.to)
            return look_up(context.folder / step.table.file, columns, values, name, others)
        case "postcode":
            assert step.postcode is not None
            return postcode_component(values, step.postcode, name, None if step.others == "fault" else step.others)
        case "hierarchy":
            assert step.level is not None
            return _at_level(_hierarchy(step, context), step.level, values)
        case unknown:
            raise AssertionError(f"there is no way to recode by {unknown}")


def named_values(step: Recode, context: Context) -> set[str]:
    """The values that a rule names one by one, whether they occur or not; none where it takes any."""
    match step.way:
        case "mapping":
            return set(step.mapping or ())
        case "lookup" if step.table is not None:
            return set(read_lookup(context.folder / step.table.file, step.table.from_, step.table.to))
        case "hierarchy":
            return set(_hierarchy(step, context).leaves)
    return set()


def _hierarchy(step: Recode, context: Context) -> Hierarchy:
    assert step.hierarchy is not None
    return read_hierarchy(context.folder / step.hierarchy, step.variable)


def _at_level(hierarchy: Hierarchy, level: int, values: Values) -> list[str | None]:
    if level > hierarchy.height:
        raise InputError(
            "D026",
            f"the hierarchy of {hierarchy.name!r} has {hierarchy.height} levels, and level {level} is asked for.",
        )
    row_of = dict(zip(hierarchy.leaves, hierarchy.rows, strict=True))
    return labels.mapping(values, {leaf: row[level] for leaf, row in row_of.items()}, hierarchy.name, "fault")


def _notes(step: Recode, values: Values, new: Values, apart: int) -> tuple[str, ...]:
    notes = [f"{len(values)} values become {len(set(new))}"]
    if apart:
        notes.append(f"{apart} of them say why there is no value, and stay as they are (missing_codes)")
    if step.regions is not None:
        notes.append(SOURCE)
    if step.mapping is not None and (absent := len(set(step.mapping) - set(values))):
        notes.append(f"{absent} values of the mapping do not occur in the file")
    return tuple(notes)
