"""ARX's exchange format for hierarchies: lines of `leaf;level 1;...;top`, no header."""

from __future__ import annotations

import csv
import io
from collections import Counter

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Hierarchy


def parse_arx(text: str, name: str) -> Hierarchy:
    """Read a hierarchy; fields are parted by ';', or by ',' where no line holds a ';'.

    Lines that differ in their number of fields, and lines that say different things of one leaf, are faults. Blank
    lines are skipped, quotation marks work as in any CSV, and no space is taken off a value.

    >>> parse_arx("31;30-39;*\\n40;40-49;*\\n", "age").rows
    (('31', '30-39', '*'), ('40', '40-49', '*'))
    """
    delimiter = ";" if ";" in text else ","
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    rows: dict[tuple[str, ...], int] = {}  # row and its line: a line that is there twice says nothing new
    try:
        for row in lines:
            if row:
                rows.setdefault(tuple(row), lines.line_num)
    except csv.Error:
        raise InputError(
            "D050",
            f"line {lines.line_num} of the hierarchy of {name!r} has a quotation mark that is not closed.",
            "Close it, or double it if it belongs to the value.",
        ) from None
    if not rows:
        raise InputError("D055", f"the hierarchy of {name!r} is empty.", "It needs a line for each value.")
    width = len(next(iter(rows)))
    ragged = [line for row, line in rows.items() if len(row) != width]
    if ragged:
        raise InputError(
            "D050",
            f"{len(ragged)} lines of the hierarchy of {name!r} have not {width} fields like the first one; "
            f"line {ragged[0]} is the first.",
            "Every line holds the value and one field for each level.",
        )
    conflicts = sum(number > 1 for number in Counter(row[0] for row in rows).values())
    if conflicts:
        raise InputError(
            "D051",
            f"{conflicts} values of {name!r} are in its hierarchy more than once, with different levels.",
            "Keep one line for each value.",
        )
    return Hierarchy(name, tuple(rows))


def format_arx(hierarchy: Hierarchy, delimiter: str = ";") -> str:
    """Write a hierarchy; what `parse_arx` reads back."""
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(hierarchy.rows)
    return stream.getvalue()
