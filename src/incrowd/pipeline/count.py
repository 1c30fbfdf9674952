"""Count the records once, by their keys. From here on, thinking costs what the classes cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.errors import InputError
from incrowd.keys.population import join_population
from incrowd.keys.table import KeyTable
from incrowd.pipeline.open import Opened
from incrowd.plan.data import Population
from incrowd.protect import UNIT, InEngineState, State, require_in_memory
from incrowd.rows import open_source
from incrowd.rows.columns import refuse_empty_columns
from incrowd.rows.figures import number_lines
from incrowd.rows.in_engine import InEngineClasses, count_classes
from incrowd.rows.tabulate import tabulate, tabulate_population


@dataclass(frozen=True, kw_only=True)
class Counted(Opened):
    """The file as it came: its rows and their classes, here or in the engine."""

    start: State | InEngineState


def count_data(opened: Opened) -> Counted:
    """Count the classes, with the population's where the plan names one.

    Where the lines are kept, every record carries its line in the source.
    """
    plan, rows = opened.plan, opened.rows
    sensitive = sorted({r.sensitive_name for r in opened.context.requirements if r.sensitive_name is not None})
    dropped = {name for _, step in plan.active for name in step.removes()}
    released = [name for name in plan.variables if name not in dropped]
    if plan.data.population is not None:
        classes: KeyTable | InEngineClasses = _with_population(opened, plan.data.population, sensitive, released)
    else:
        classes = count_classes(rows, plan.with_role("key"), sensitive, UNIT if plan.data.unit else None)
        refuse_empty_columns(rows, released, classes if isinstance(classes, KeyTable) else None)
    start = _state(opened, classes, tuple(sensitive))
    if plan.scenarios or plan.use_cases or plan.sweep is not None or plan.alternatives:
        start = require_in_memory(start, "what the plan asks about risk and utility")
    return Counted(**vars(opened), start=start)


def _with_population(
    opened: Opened, population: Population, sensitive: Sequence[str], released: Sequence[str]
) -> KeyTable:
    rows, keys = opened.rows, opened.plan.with_role("key")
    table = tabulate(rows, keys, sensitive, UNIT if opened.plan.data.unit else None)
    refuse_empty_columns(rows, released, table)
    # Only the keys that are released are asked of the population.
    table, _ = table.project([key for key in keys if key in released])
    people = open_source(opened.folder / population.source, engine=rows.engine, **population.reading)
    return join_population(table, tabulate_population(people, table.names, population.count))


def _state(opened: Opened, classes: KeyTable | InEngineClasses, sensitive: tuple[str, ...]) -> State | InEngineState:
    if opened.keep_lines and (isinstance(classes, InEngineClasses) or not opened.plan.data.engine_kind.on_this_machine):
        if not opened.plan.attacks and opened.plan.release.series is not None:
            message = "a series must know whose record is whose, and the classes are too many to be fetched here."
            raise InputError("D380", message, "Give it more memory, or recode the keys in the source.")
        message = "an attack must know whose record is whose, and only DuckDB on this machine can tell it."
        raise InputError("D190", message, "Attack a release of a sample with engine: duckdb, or leave attacks out.")
    if isinstance(classes, InEngineClasses):
        return InEngineState.of(opened.rows, classes, sensitive)
    return State(number_lines(opened.rows) if opened.keep_lines else opened.rows, classes)
