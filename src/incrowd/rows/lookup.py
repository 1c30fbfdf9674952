"""Small files that a plan names beside the data: lookups and hierarchies."""

from __future__ import annotations

import csv
from pathlib import Path

from incrowd.errors import InputError
from incrowd.rows.dialect import sniff


def read_lookup(path: Path) -> dict[str, str]:
    """A CSV file with a header: the first column is the value, the second its new name."""
    dialect = sniff(path)
    if len(dialect.columns) < 2:
        raise InputError("D024", f"the lookup {path.name} needs two columns.", "First the value, then its new name.")
    names: dict[str, str] = {}
    for line, row in _lines(path, dialect.delimiter, dialect.encoding):
        if line == 1 or not row:
            continue
        if len(row) < 2:
            raise InputError("D024", f"line {line} of the lookup {path.name} has one field only.")
        if names.setdefault(row[0], row[1]) != row[1]:
            raise InputError("D025", f"line {line} of the lookup {path.name} gives a value a second name.")
    return names


def read_hierarchy(path: Path, level: int) -> dict[str, str]:
    """One level of a hierarchy file in ARX's format: ';' or ',', no header, first column the leaf."""
    first = path.open(encoding="utf-8-sig").readline()
    delimiter = ";" if ";" in first else ","
    names: dict[str, str] = {}
    for line, row in _lines(path, delimiter, "utf-8-sig"):
        if not row:
            continue
        if len(row) <= level:
            raise InputError("D026", f"line {line} of the hierarchy {path.name} has no level {level}.")
        if names.setdefault(row[0], row[level]) != row[level]:
            raise InputError("D025", f"line {line} of the hierarchy {path.name} gives a value a second name.")
    return names


def _lines(path: Path, delimiter: str, encoding: str) -> list[tuple[int, list[str]]]:
    encoding = "utf-8-sig" if encoding == "utf-8" else encoding
    with path.open(encoding=encoding, newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        return [(reader.line_num, row) for row in reader]
