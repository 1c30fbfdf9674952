"""What is in a file: counts, types and suggested roles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.machine.paths import as_path
from incrowd.plan.codebook import read_codes
from incrowd.profiling import Profile
from incrowd.profiling import profile as measure
from incrowd.rows import Reading, Rows, Source, open_source
from incrowd.rows.header import refuse_records_as_names, refuse_unknown


def profile(
    data: Source,
    *,
    header: bool = False,
    codes: str | Path | None = None,
    unit: str | None = None,
    **reading: Unpack[Reading],
) -> Profile:
    """Which columns has a file or table, of which types, how many different and unique values, and which roles suggest
    themselves? No value of anybody is in the answer.

    A file whose first line looks like a record is refused; `header` says that it names the columns. `codes` is a CSV
    file with what values stand for, over what the data's own file says: its columns are variable, code and label.
    `unit` is the column that tells whose record it is, where people have several. `delimiter`, `encoding`, `sheet` and
    `drop_index` say how it is read. A role is a suggestion, the decision is the custodian's.

    >>> found = ic.profile("people.csv")
    >>> [column.name for column in found.with_role("identifier")]
    ['name']
    """
    rows = open_source(data, **reading)
    if not header:
        refuse_records_as_names(rows)
    return profile_rows(with_codes(rows, codes), unit)


def profile_rows(rows: Rows, unit: str | None) -> Profile:
    """The same of rows that are open."""
    if unit is not None:
        refuse_unknown(rows, [unit])
    found = measure(rows)
    return found if unit is None else _with_unit(found, unit)


def _with_unit(found: Profile, unit: str) -> Profile:
    """The same where a column tells whose record it is: an identifier, whatever its values look like."""
    whose = next(column for column in found.columns if column.name == unit)
    reason = "It tells whose record it is: people have several."
    told = replace(whose, role="identifier", reason=reason, certain=True)
    note = f"{unit!r} tells {whose.distinct:,} people apart in {found.records:,} records."
    without = whose.missing + whose.empty
    notes = (note, *([f"{without:,} records do not say whose they are."] if without else []))
    columns = tuple(told if column is whose else column for column in found.columns)
    return replace(found, columns=columns, notes=(*found.notes, *notes))


def with_codes(rows: Rows, codes: str | Path | None) -> Rows:
    """The rows with what a file of codes says of their values, over what their own file says."""
    if codes is None:
        return rows
    path = as_path(codes)
    said = read_codes(path)
    if not set(said) & set(rows.columns):
        message = f"no variable of {path.name} is a column of {rows.place}."
        raise InputError("D360", message, "Its columns are variable, code and label; is it the codebook of this file?")
    return replace(rows, book=Codebook(codes=said).over(rows.book))
