"""One step on a small table in memory: what it gives, and that its KeyTable is a fresh count of its rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
from people import SECRET
from pydantic import TypeAdapter

from incrowd.keys.codebook import Codebook
from incrowd.keys.population import join_population
from incrowd.plan.steps import AnyStep
from incrowd.protect import UNIT, Change, Context, State, protect
from incrowd.rows import Rows
from incrowd.rows.engine import connect
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

STEP: TypeAdapter[Any] = TypeAdapter(AnyStep)
NOTHING_SAID = Codebook()


def rows_of(columns: dict[str, list[str | None]]) -> Rows:
    engine = connect("duckdb")
    return Rows(engine, engine.lookup(pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()})), "a test")


def apply_step(
    step: dict[str, Any],
    columns: dict[str, list[str | None]],
    keys: list[str],
    *,
    sensitive: tuple[str, ...] = (),
    unit: str | None = None,
    household: str | None = None,
    homes: tuple[str, ...] = (),
    population: dict[str, list[str | None]] | None = None,
    folder: Path = Path("."),
    secret: str = SECRET,
    book: Codebook = NOTHING_SAID,
) -> tuple[list[dict[str, str | None]], Change, State]:
    rows = rows_of(columns)
    if unit is not None:
        rows = rows.copy(unit, UNIT)
    table = tabulate(rows, keys, sensitive, UNIT if unit else None)
    if population is not None:
        table = join_population(table, tabulate(rows_of(population), keys))
    context = Context(folder, Secret(bytes.fromhex(secret)), ("test",), (), has_unit=unit is not None,
                      household=household, homes=homes, book=book)  # fmt: skip
    state, change = protect(STEP.validate_python(step), 1, State(rows, table), context)
    out = state.rows.collect(state.rows.table).to_pylist()
    assert counted(state) == Counter(tuple(row[key] for key in keys) for row in out)
    fresh = tabulate(state.rows, keys, sensitive, UNIT if unit else None)
    assert sorted(state.table.sizes[state.table.records > 0]) == sorted(fresh.sizes)
    return out, change, state


def counted(state: State) -> Counter[tuple[str | None, ...]]:
    """The classes of the KeyTable, as plain values."""
    table = state.table
    labels = zip(
        *([d.values[c] for c in codes] for d, codes in zip(table.domains, table.codes, strict=True)), strict=True
    )
    return Counter({label: int(n) for label, n in zip(labels, table.records, strict=True) if n})
