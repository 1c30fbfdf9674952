"""The data dictionary that goes with a release: what each column is called, means and holds."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Literal

from incrowd.keys.codebook import Codebook
from incrowd.keys.natural import in_order
from incrowd.keys.spreadsheet import harmless
from incrowd.plan import Plan
from incrowd.rows import Rows
from incrowd.rows.columns import ColumnSummary, Holds, summarise

#: A column with more distinct values than this has them counted, not listed.
LISTED = 50
#: What an empty cell stands for. The same for every column that has any: in which of them cells were blanked, and that
#: some were, is nothing that a release tells.
NO_VALUE = "no value was collected, or it is not released"
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

    @property
    def missing_means(self) -> str:
        """Why a cell may be empty; nothing where none is."""
        return NO_VALUE if self.missing_allowed else ""


def describe(plan: Plan, released: Rows, book: Codebook) -> list[DictionaryRow]:
    """Every column of the released file, with what the codebook of the release says of it."""
    typed = plan.release.format == "parquet"
    return [_row(plan, released, book, name, found) for name, found in summarise(released, typed).items()]


def _row(plan: Plan, released: Rows, book: Codebook, name: str, found: ColumnSummary) -> DictionaryRow:
    kind: Literal["text", "number", "category"] = "text"
    if found.values is not None:
        kind = "category"
    elif found.holds in ("integer", "number"):
        kind = "number"
    codes, uncoded, holds = dict[str, str](), 0, found.holds
    if known := book.codes.get(name):
        there = found.values
        if there is None:
            there = tuple(in_order(value for value in released.value_counts(name) if value is not None))
        # Only what is released is explained: that a code does not occur would be news of the source.
        told = {value: known.get(_bare(value, plan)) for value in there}
        codes = {value: word for value, word in told.items() if word is not None}
        names = {_bare(value, plan) for value in codes} - {*book.missing.get(name, ())}
        if names and plan.release.format != "parquet" and book.scales.get(name) != "numeric":
            holds = "string"  # a code is a name, whatever it looks like
        variable = plan.variables.get(name)
        # Where only codes for "no value" have words, the rest are amounts, and nobody expects words for them.
        named = variable is not None and variable.codes is not None and not {*known} <= {*book.missing.get(name, ())}
        uncoded = len(there) - len(codes) if named else 0
    missing = found.missing + found.empty > 0
    return DictionaryRow(
        name, book.titles.get(name), kind, found.distinct, found.values or (), missing, codes, holds, uncoded
    )


def _bare(value: str, plan: Plan) -> str:
    """A released value without the apostrophe that keeps a spreadsheet from running it."""
    bare = value.removeprefix("'")
    return bare if plan.release.formulas == "neutralise" and harmless(bare) == value else value


def dictionary_csv(columns: Sequence[DictionaryRow], neutral: bool = False) -> str:
    """What is in the released file? CSV text, one line for each column, in the order of the columns.

    `neutral` puts an apostrophe before cells that a spreadsheet would run; released values have theirs already.

    >>> print(dictionary_csv([DictionaryRow("sex", "Sex", "category", 2, ("f", "m"), codes={"f": "female"})]), end="")
    variable,label,type,distinct_values,values,missing_allowed,codes,missing_means
    sex,Sex,category,2,f | m,no,f = female,
    """
    text = StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(("variable", "label", "type", "distinct_values", "values", "missing_allowed", "codes", "missing_means"))
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
    return (
        column.variable, column.label or "", column.type, column.distinct, listed, missing, codes, column.missing_means,
    )  # fmt: skip
