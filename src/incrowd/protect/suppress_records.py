"""suppress_records: drop the records in classes that fail a requirement."""

from __future__ import annotations

import pyarrow as pa

from incrowd.keys.table import KeyTable, Mask
from incrowd.plan.model import SuppressRecords
from incrowd.protect.state import UNIT, Change, Context, State


def suppress_records(step: SuppressRecords, state: State, context: Context) -> tuple[State, Change]:
    """Drop what fails until nothing fails.

    With one record per person one round is enough, because dropping a class leaves the others as they are. Where
    people have several records all of a person's records go, other classes shrink, and it goes round again: the
    fixpoint exists since every round drops somebody.
    """
    wanted = [r for r in context.requirements if step.models is None or r.model in step.models]
    table, removed_for = state.table, dict.fromkeys((r.describe() for r in wanted), 0)
    gone: list[pa.Table] = []
    while True:
        dropped = False
        for requirement in wanted:
            failing = requirement.failing(table)
            if not failing.any():
                continue
            gone.append(_combinations(table, failing))
            left = table.suppress(failing)
            removed_for[requirement.describe()] += int(table.records.sum() - left.records.sum())
            table, dropped = left, True
        if not dropped:
            break
    rows = state.rows
    if gone:
        rows = rows.without(pa.concat_tables(gone), UNIT if context.has_unit else None)
    removed = int(state.table.records.sum() - table.records.sum())
    title = f"suppress records for {', '.join(step.models) if step.models else 'all requirements'}"
    return State(rows, table), Change(title, removed, 0, removed_for)


def _combinations(table: KeyTable, classes: Mask) -> pa.Table:
    """These classes as values of the keys, for the engine to find their rows."""
    columns = {}
    for domain, codes in zip(table.domains, table.codes, strict=True):
        texts = pa.array(domain.values, pa.string())
        columns[domain.name] = texts.take(pa.array(codes[classes]))
    return pa.table(columns)
