"""What is in each column, counted in one pass of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ibis

from incrowd.errors import InputError
from incrowd.rows.frame import Rows

#: A column with at most so many values is a category, whose values the dictionary lists.
MOST_LISTED = 50


@dataclass(frozen=True)
class ColumnSummary:
    """One column: how many records have it, how many values it takes, and which, when they are few."""

    filled: int
    missing: int
    distinct: int
    numeric: bool
    values: tuple[str, ...] | None


def refuse_empty_columns(rows: Rows, names: Sequence[str]) -> None:
    """A file without records, or a column of the plan in which every cell is missing, is a broken file."""
    table = rows.table
    counts = {f"c{i}": table[name].count() for i, name in enumerate(names)}
    nothing = ibis.literal(True)
    for name in rows.columns:
        nothing = nothing & rows.text(name).nullif("").isnull()
    found = rows.collect(table.aggregate(n=table.count(), blank=nothing.sum(), **counts)).to_pylist()[0]
    if not found["n"]:
        raise InputError("D014", f"{rows.place} has a header line but no records.")
    if found["blank"] and len(rows.columns) > 1:
        raise InputError(
            "D067",
            f"{found['blank']} records of {rows.place} have no value in any column.",
            "Remove them: an empty line is nobody, and must not make a crowd look larger.",
        )
    empty = [name for i, name in enumerate(names) if not found[f"c{i}"]]
    if empty:
        raise InputError(
            "D015",
            f"column {empty[0]!r} of {rows.place} is missing in every record"
            + (f" (and {len(empty) - 1} more columns)." if len(empty) > 1 else "."),
            "Drop it in the plan, or mend the file.",
        )


def summarise(rows: Rows) -> dict[str, ColumnSummary]:
    """Every column of a (released) file: for the data dictionary."""
    table, wanted = rows.table, {}
    for i, name in enumerate(rows.columns):
        text = rows.text(name)
        wanted[f"n{i}"] = text.count()
        wanted[f"d{i}"] = text.nunique()
        wanted[f"f{i}"] = text.try_cast("float64").count()
    found = rows.collect(table.aggregate(n=table.count(), **wanted)).to_pylist()[0]
    result = {}
    for i, name in enumerate(rows.columns):
        filled, distinct = found[f"n{i}"], found[f"d{i}"]
        values = None
        if distinct <= MOST_LISTED:
            texts = (value for value in rows.value_counts(name) if value is not None)
            values = tuple(sorted(texts, key=str.encode))
        numeric = filled > 0 and found[f"f{i}"] == filled
        result[name] = ColumnSummary(filled, found["n"] - filled, distinct, numeric, values)
    return result
