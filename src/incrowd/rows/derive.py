"""A new column by an expression: the engine hands the texts over in Arrow batches, one evaluator works for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import ibis
import pyarrow as pa

from incrowd.keys.expressions import Evaluator
from incrowd.keys.expressions.evaluate import MISSING, UNREADABLE, VALUE, ZERO
from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import OURS, Rows


@dataclass(frozen=True)
class Derived:
    """How a derived column came out: records with a value, and those without one by what was in the way."""

    values: int
    missing: int
    zero: int
    unreadable: int


def derive(rows: Rows, made: Mapping[str, Evaluator]) -> tuple[Rows, dict[str, Derived]]:
    """With these new columns, last and in their order; each may name those before it. Worked out once, and kept."""
    table, signs = rows.table, {name: f"{OURS}sign{i}" for i, name in enumerate(made)}
    for name, evaluator in made.items():
        texts = [replace(rows, table=table).text(column) for column in evaluator.expression.columns]
        table = rows.engine.apply(table, signs[name], texts, _on_batch(evaluator), "string")
        # Engines do not let a function return missing values, so each result says by its first sign what it is.
        value = ibis.ifelse(table[signs[name]].startswith(VALUE), table[signs[name]].substr(1), ibis.null("string"))
        table = table.mutate(**{name: value, signs[name]: table[signs[name]].left(1)})
    kept = rows.engine.keep(table, rows.place)
    asked = {
        f"n{i}_{j}": (kept[sign] == what).ifelse(1, 0).sum()
        for i, sign in enumerate(signs.values())
        for j, what in enumerate((VALUE, MISSING, ZERO, UNREADABLE))
    }
    found = rows.collect(kept.aggregate(**asked))
    counts = {name: Derived(*(found[f"n{i}_{j}"][0].as_py() or 0 for j in range(4))) for i, name in enumerate(made)}
    return replace(rows, table=kept.select(*rows.columns, *made)), counts


def _on_batch(evaluator: Evaluator) -> OnBatch:
    def function(*columns: pa.Array) -> pa.Array:
        known: dict[Sequence[str | None], str] = {}  # records of a batch that are alike are worked out once
        results = []
        for record in zip(*(column.to_pylist() for column in columns), strict=True):
            if record not in known:
                known[record] = evaluator(record)
            results.append(known[record])
        return pa.array(results, pa.string())

    return function
