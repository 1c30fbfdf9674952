"""The data dictionary that goes with a release: what each column is called, means and holds."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from typing import Literal

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


def dictionary_csv(columns: Iterable[DictionaryRow]) -> str:
    """What is in the released file? CSV text, one line for each column, in the order of the columns.

    >>> print(dictionary_csv([DictionaryRow("sex", "Sex", "category", 2, ("f", "m"))]), end="")
    variable,label,type,distinct_values,values,missing_allowed
    sex,Sex,category,2,f | m,no
    """
    text = StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(("variable", "label", "type", "distinct_values", "values", "missing_allowed"))
    for column in columns:
        listed = BETWEEN.join(column.values) if column.distinct <= LISTED else ""
        missing = "yes" if column.missing_allowed else "no"
        write((column.variable, column.label or "", column.type, column.distinct, listed, missing))
    return text.getvalue()
