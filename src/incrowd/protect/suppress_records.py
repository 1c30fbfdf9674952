"""suppress_records: drop the records in classes that fail a requirement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from incrowd.keys.drop_failing import drop_failing_classes
from incrowd.keys.requirements import ClassTest, K, Requirement
from incrowd.keys.table import KeyTable, Mask
from incrowd.plan.steps.suppress import SuppressRecords
from incrowd.protect.in_engine import InEngineState, refuse_absent_values, too_many
from incrowd.protect.methods import carries_out, carries_out_in_engine
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.tabulate import tabulate


@carries_out(SuppressRecords)
def suppress_records(step: SuppressRecords, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Drop what fails until nothing fails (see keys/drop_failing.py)."""
    state = context.bind(state)
    if step.of is not None:
        return _rare(step, state, context)
    wanted = [r for r in state.bound if step.decides_by(r.model)]
    after, removed_for = drop_failing(state, wanted, context)
    removed = int(state.table.records.sum() - after.table.records.sum())
    return after, Change(_title(step), removed, 0, removed_for)


@carries_out_in_engine(SuppressRecords)
def suppress_records_in_engine(step: SuppressRecords, state: InEngineState, context: Context) -> tuple[Rows, Change]:
    """Drop what fails until nothing fails: dropping by some keys may make classes by others too small."""
    if step.of is not None:
        raise too_many(step.step)
    # All of the plan, not only those of the step: what compares with the file as it was must see it before this.
    tested = [(requirement, _test(requirement, state)) for requirement in context.requirements]
    refuse_absent_values(state, context)
    tests = {r.describe(): test for r, test in tested if step.decides_by(r.model)}
    classes, removed_for = state.classes, dict.fromkeys(tests, 0)
    dropped = True
    while dropped:
        dropped = False
        for words, test in tests.items():
            classes, removed = classes.without_failing(test)
            removed_for[words] += removed
            dropped = dropped or (removed > 0 and len(tests) > 1)
    total = sum(removed_for.values())
    return classes.rows_of(state.rows) if total else state.rows, Change(_title(step), total, 0, removed_for)


def _test(requirement: Requirement, state: InEngineState) -> ClassTest:
    test = requirement.class_test(requirement.keys or state.keys) if requirement.where is None else None
    if test is None:
        raise too_many(f"{requirement.model!r} as it is required")
    return test


def _title(step: SuppressRecords) -> str:
    return f"suppress records for {', '.join(step.models) if step.models else 'all requirements'}"


def _rare(step: SuppressRecords, state: State, context: Context) -> tuple[State, Change]:
    """Drop the records whose combination of the chosen variables too few people have, within each region."""
    names = step.counted()
    rule = K(step.fewer_than or 2, keys=tuple(names))
    if all(name in state.table.names for name in names):
        after, removed_for = drop_failing(state, [rule], context)
    else:
        # Not only keys: they are counted for this step alone, and the classes once more after it.
        counted = tabulate(state.rows, names, unit=UNIT if context.has_unit else None)
        left, removed_for = drop_failing(replace(state, table=counted), [rule], context)
        after = context.recount(replace(state, rows=left.rows))
    removed = int(state.table.records.sum() - after.table.records.sum())
    within = f" within {', '.join(step.within)}" if step.within else ""
    return after, Change(f"suppress records rare by {', '.join(step.of or [])}{within}", removed, 0, removed_for)


def drop_failing(state: State, requirements: Sequence[Requirement], context: Context) -> tuple[State, dict[str, int]]:
    """The state without what fails, and how many records went for which requirement."""
    dropped = drop_failing_classes(state.table, requirements)
    rows = state.rows
    if dropped.gone:
        gone = pa.concat_tables([combinations(table, failing) for table, failing in dropped.gone])
        rows = rows.without(gone, UNIT if context.has_unit else None)
    return replace(state, rows=rows, table=dropped.table), dropped.removed_for


def combinations(table: KeyTable, classes: Mask) -> pa.Table:
    """These classes as values of the keys, for the engine to find their rows."""
    columns = {}
    for domain, codes in zip(table.domains, table.codes, strict=True):
        texts = pa.array(domain.values, pa.string())
        columns[domain.name] = pa.DictionaryArray.from_arrays(pa.array(codes[classes]), texts)
    return pa.table(columns)
