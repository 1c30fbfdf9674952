"""Small files that a plan names beside the data: lookups and hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from incrowd.errors import InputError, did_you_mean
from incrowd.keys.hierarchies import parse_arx
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import Labels, Values, mapping
from incrowd.machine.paths import must_be_file
from incrowd.rows.dialect import Dialect, open_text, sniff

#: So many columns of a lookup are named where one is not found.
NAMED = 12


def read_lookup(path: Path, source: str | None = None, to: str | None = None) -> dict[str, str]:
    """A CSV file with a header: the column of the values (`source`, or the first) and that of their new names (`to`, or
    the second).
    """
    names: dict[str, str] = {}
    for line, (value, name) in _two_columns(path, source, to):
        if names.setdefault(value, name) != name:
            hint = "Keep one name for each, or take a column with coarser names."
            raise InputError("D025", f"line {line} of the lookup {path.name} gives a value a second name.", hint)
    return names


def look_up(
    path: Path, columns: tuple[str | None, str | None], values: Values, name: str, others: str | None = None
) -> Labels:
    """What each value is called in a lookup, by its columns (from, to). Values that it does not have get the name
    `others`; without one they are a fault, which names the column that has them where there is one.
    """
    source, to = columns
    names = read_lookup(path, source, to)
    unknown = {value for value in values if value is not None and value not in names}
    if unknown and others is None and (elsewhere := _column_with(path, unknown)) is not None:
        column, many = elsewhere
        place = "its first column" if source is None else f"its column {source!r}"
        raise InputError(
            "D353",
            f"{len(unknown)} of the {len(values)} different values of {name!r} are not in the lookup {path.name}, in "
            f"{place}; {many} of them are in its column {column!r}.",
            f"Name the columns: {{file: {path.name}, from: {column}, to: ...}}; it has {_listed(sniff(path).columns)}.",
        )
    return mapping(values, names, name, others or "fault")


def _column_with(path: Path, wanted: set[str]) -> tuple[str, int] | None:
    """The column of a lookup that has most of some values, and how many of them; None where none has any."""
    dialect = sniff(path)
    found: list[set[str]] = [set() for _ in dialect.columns]
    for _, row in _lines(path, dialect):
        for cell, seen in zip(row, found, strict=False):
            if cell in wanted:
                seen.add(cell)
    at = max(range(len(found)), key=lambda i: (len(found[i]), -i))
    return (dialect.columns[at], len(found[at])) if found[at] else None


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(columns[:NAMED]) + (f" and {len(columns) - NAMED} more" if len(columns) > NAMED else "")


def _two_columns(path: Path, source: str | None, to: str | None) -> Iterator[tuple[int, tuple[str, str]]]:
    dialect = sniff(path)
    if len(dialect.columns) < 2:
        raise InputError("D024", f"the lookup {path.name} needs two columns.", "First the value, then its new name.")
    at = [0 if source is None else _place(source, dialect, path), 1 if to is None else _place(to, dialect, path)]
    for line, row in _lines(path, dialect):
        if len(row) <= max(at):
            field = "one field only" if len(row) == 1 else "too few fields"
            raise InputError("D024", f"line {line} of the lookup {path.name} has {field}.", "Mend the line.")
        yield line, (row[at[0]], row[at[1]])


def _place(column: str, dialect: Dialect, path: Path) -> int:
    if column not in dialect.columns:
        hint = did_you_mean(column, dialect.columns) or f"It has {_listed(dialect.columns)}."
        raise InputError("D352", f"the lookup {path.name} has no column {column!r}.", hint)
    return dialect.columns.index(column)


def _lines(path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The lines of a small CSV file below its header, with their numbers."""
    with open_text(path, dialect) as file:
        reader = csv.reader(file, delimiter=dialect.delimiter)
        next(reader)
        for row in filter(None, reader):
            yield reader.line_num, row


def read_records(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """These columns of a small CSV file with a header, line by line."""
    dialect = sniff(path)
    absent = [name for name in columns if name not in dialect.columns]
    if absent:
        raise InputError(
            "D340", f"{path.name} has no column {absent[0]!r}.", f"It needs the columns {', '.join(columns)}."
        )
    at = [list(dialect.columns).index(name) for name in columns]
    for line, row in _lines(path, dialect):
        if len(row) <= max(at):
            raise InputError("D024", f"line {line} of {path.name} has too few fields.", "Mend the line.")
        yield tuple(row[i] for i in at)


def read_hierarchy(path: Path, name: str) -> Hierarchy:
    """A hierarchy file in ARX's format: ';' or ',', no header, first column the leaf."""
    must_be_file(path)
    text: str | None = None
    for encoding in ("utf-8-sig", "latin-1"):
        try:
            text = path.read_text(encoding=encoding)
            break
        except UnicodeDecodeError:
            continue
    assert text is not None  # Latin-1 reads every byte
    return parse_arx(text, name)


def find_hierarchies(folder: str | Path, keys: Sequence[str]) -> dict[str, Hierarchy]:
    """The hierarchies of some keys in a folder: `KEY.csv`, or ARX's naming `*hierarchy_KEY.csv`.

    >>> built = ic.hierarchy_build("people.csv", "age", widths=[5, 10], out="age.csv")
    >>> list(ic.find_hierarchies(".", ["age", "gender"]))
    ['age']
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("D000", f"there is no folder {folder}.")
    found = {}
    for key in keys:
        files = [
            path for path in sorted(folder.glob("*.csv")) if path.stem == key or path.stem.endswith(f"hierarchy_{key}")
        ]
        if len(files) > 1:
            raise InputError("D028", f"{len(files)} files in {folder} could be the hierarchy of {key!r}.", "Keep one.")
        if files:
            found[key] = read_hierarchy(files[0], key)
    return found
