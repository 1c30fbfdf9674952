"""What is in each column, counted in one pass of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ibis
import numpy as np

from incrowd.errors import InputError
from incrowd.keys.natural import in_order
from incrowd.keys.table import KeyTable
from incrowd.rows.frame import Rows

#: A column with at most so many values is a category, whose values the dictionary lists.
MOST_LISTED = 50

#: What the values of a column are, in the words of the data package.
Holds = Literal["string", "integer", "number", "boolean", "date", "datetime"]

#: Texts that are written as a number would be written again: no leading zero, no sign but a minus, no exponent.
INTEGER = r"^(0|-?[1-9][0-9]*)$"
NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
MINUS_NOTHING = r"^-0(\.0*)?$"
#: A double keeps so many characters of a number exactly.
MOST_DIGITS = 15


@dataclass(frozen=True)
class ColumnSummary:
    """One column: how many records have it, how many values it takes, and which, when they are few."""

    filled: int
    missing: int
    empty: int  # texts of no length, which some readers take for missing
    distinct: int
    holds: Holds
    values: tuple[str, ...] | None


def refuse_empty_columns(rows: Rows, names: Sequence[str], counted: KeyTable | None = None) -> None:
    """A file without records, or a column of the plan in which every cell is missing, is a broken file.

    What was counted already says it of the keys, and mostly spares the pass over all columns in search of lines that
    are empty altogether: where every class has a value in some key there are none.
    """
    table = rows.table
    known = {} if counted is None else {domain.name: domain.values != (None,) for domain in counted.domains}
    asked = [name for name in names if name not in known]
    queries = {f"c{i}": table[name].count() for i, name in enumerate(asked)}
    if counted is None or _blank_class(counted):
        nothing = ibis.literal(True)
        for name in rows.columns:
            nothing = nothing & rows.text(name).nullif("").isnull()
        queries["blank"] = nothing.sum()
    found = rows.collect(table.aggregate(n=table.count(), **queries)).to_pylist()[0]
    if not found["n"]:
        raise InputError("D014", f"{rows.place} has a header line but no records.")
    if found.get("blank") and len(rows.columns) > 1:
        raise InputError(
            "D067",
            f"{found['blank']} records of {rows.place} have no value in any column.",
            "Remove them: an empty line is nobody, and must not make a crowd look larger.",
        )
    filled = known | {name: found[f"c{i}"] > 0 for i, name in enumerate(asked)}
    empty = [name for name in names if not filled[name]]
    if empty:
        raise InputError(
            "D015",
            f"column {empty[0]!r} of {rows.place} is missing in every record"
            + (f" (and {len(empty) - 1} more columns)." if len(empty) > 1 else "."),
            "Drop it in the plan, or mend the file.",
        )


def _blank_class(table: KeyTable) -> bool:
    """Is there a class in which every key is missing or empty?"""
    blank = np.ones(len(table.records), dtype=bool)
    for domain, codes in zip(table.domains, table.codes, strict=True):
        blank &= np.array([not value for value in domain.values], dtype=bool)[codes]
    return bool(blank.any())


def one_value_columns(rows: Rows) -> tuple[str, ...]:
    """The columns that have the same value in every record, or none in any."""
    table, wanted = rows.table, dict[str, Any]()
    for i, name in enumerate(rows.columns):
        text = rows.text(name)
        wanted |= {f"n{i}": text.count(), f"a{i}": text.min(), f"b{i}": text.max()}
    found = rows.collect(table.aggregate(n=table.count(), **wanted)).to_pylist()[0]
    same = (
        i for i in range(len(rows.columns)) if found[f"n{i}"] in (0, found["n"]) and found[f"a{i}"] == found[f"b{i}"]
    )
    return tuple(rows.columns[i] for i in same)


def summarise(rows: Rows, typed: bool = False) -> dict[str, ColumnSummary]:
    """Every column of a (released) file: for the data dictionary.

    With `typed` the file says itself what its columns hold (Parquet); otherwise their texts do, and are numbers only
    where reading them as numbers loses nothing: 007 is no number, nor is 1.10 in a column that has 1.1 as well.
    """
    table, wanted, numbers = rows.table, {}, {}
    for i, name in enumerate(rows.columns):
        text = rows.text(name)
        short, plain = text.length() <= MOST_DIGITS, text.re_search(NUMBER) & ~text.re_search(MINUS_NOTHING)
        wanted[f"n{i}"] = text.count()
        wanted[f"e{i}"] = (text == "").sum()
        wanted[f"d{i}"] = text.nunique()
        wanted[f"i{i}"] = (short & text.re_search(INTEGER)).sum()
        wanted[f"f{i}"] = (short & plain).sum()
        # The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which then stumbles over texts.
        numbers[f"u{i}"] = ibis.cases((short & plain, text.try_cast("float64"))).nunique()
    found = rows.collect(table.aggregate(n=table.count(), **wanted)).to_pylist()[0]
    asked = {} if typed else {u: query for u, query in numbers.items() if found[f"f{u[1:]}"] == found[f"n{u[1:]}"]}
    different = rows.collect(table.aggregate(**asked)).to_pylist()[0] if asked else {}
    result = {}
    for i, name in enumerate(rows.columns):
        filled, distinct = found[f"n{i}"], found[f"d{i}"]
        values = None
        if distinct <= MOST_LISTED:
            texts = (value for value in rows.value_counts(name) if value is not None)
            values = tuple(in_order(texts))
        holds: Holds = "string"
        if typed:
            holds = _declared(table[name].type())
        elif filled and found[f"i{i}"] == filled:
            holds = "integer"
        elif filled and different.get(f"u{i}") == distinct:
            holds = "number"
        result[name] = ColumnSummary(filled, found["n"] - filled, found[f"e{i}"] or 0, distinct, holds, values)
    return result


def _declared(kind: Any) -> Holds:
    """What the file says that a column holds."""
    if kind.is_integer():
        return "integer"
    if kind.is_floating() or kind.is_decimal():
        return "number"
    if kind.is_boolean():
        return "boolean"
    if kind.is_date():
        return "date"
    return "datetime" if kind.is_timestamp() else "string"
