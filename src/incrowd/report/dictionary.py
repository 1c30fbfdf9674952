"""The data dictionary that goes with a release: what each column is called, means and holds."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Literal

from incrowd.keys.spreadsheet import harmless
from incrowd.plan import Plan
from incrowd.rows import Rows
from incrowd.rows.columns import ColumnSummary, Holds, summarise

#: A column with more distinct values than this has them counted, not listed.
LISTED = 50
#: What stands between the listed values.
BETWEEN = " | "


@dataclass(frozen=True)
class DictionaryRow:
    """One column of the released file. Values must come from that file, not from the source."""

    variable: str
    label: str | None
    type: Literal["text", "number", "category"]
    distinct: int
    values: tuple[str, ...] = ()  # in the order to list them; may be left out where there are more than LISTED
    missing_allowed: bool = False
    codes: Mapping[str, str] = field(default_factory=dict)  # released value -> what it stands for
    holds: Holds = "string"  # what a program should read it as
    uncoded: int = 0  # released values that the plan's codes do not explain


def describe(plan: Plan, released: Rows) -> list[DictionaryRow]:
    """Every column of the released file, with what the plan says of it."""
    typed = plan.release.format == "parquet"
    return [_row(plan, released, name, found) for name, found in summarise(released, typed).items()]


def _row(plan: Plan, released: Rows, name: str, found: ColumnSummary) -> DictionaryRow:
    kind: Literal["text", "number", "category"] = "text"
    if found.values is not None:
        kind = "category"
    elif found.holds in ("integer", "number"):
        kind = "number"
    variable, codes, uncoded, holds = plan.variables.get(name), {}, 0, found.holds
    if variable is not None and variable.codes is not None:
        there = found.values
        if there is None:
            there = tuple(sorted((v for v in released.value_counts(name) if v is not None), key=str.encode))
        # Only what is released is explained: that a code does not occur would be news of the source.
        codes = {value: variable.codes[value] for value in there if value in variable.codes}
        uncoded = len(there) - len(codes)
        holds = "string" if plan.release.format == "csv" else holds  # a code is a name, whatever it looks like
    label = None if variable is None else variable.label
    return DictionaryRow(
        name, label, kind, found.distinct, found.values or (), found.missing + found.empty > 0, codes, holds, uncoded
    )


def dictionary_csv(columns: Sequence[DictionaryRow], neutral: bool = False) -> str:
    """What is in the released file? CSV text, one line for each column, in the order of the columns.

    `neutral` puts an apostrophe before cells that a spreadsheet would run; released values have theirs already.

    >>> print(dictionary_csv([DictionaryRow("sex", "Sex", "category", 2, ("f", "m"), codes={"f": "female"})]), end="")
    variable,label,type,distinct_values,values,missing_allowed,codes
    sex,Sex,category,2,f | m,no,f = female
    """
    text = StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(("variable", "label", "type", "distinct_values", "values", "missing_allowed", "codes"))
    for column in columns:
        cells = _cells(column)
        write([harmless(cell) for cell in cells] if neutral else cells)
    return text.getvalue()


def dictionary_cells(columns: Iterable[DictionaryRow]) -> list[object]:
    """All cells of the dictionary, to be looked through."""
    return [cell for column in columns for cell in _cells(column)]


def _cells(column: DictionaryRow) -> tuple[object, ...]:
    listed = BETWEEN.join(column.values) if column.distinct <= LISTED else ""
    codes = BETWEEN.join(f"{value} = {label}" for value, label in column.codes.items())
    missing = "yes" if column.missing_allowed else "no"
    return (column.variable, column.label or "", column.type, column.distinct, listed, missing, codes)
