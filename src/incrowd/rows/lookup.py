"""Small files that a plan names beside the data: lookups and hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.hierarchies import parse_arx
from incrowd.keys.hierarchy import Hierarchy
from incrowd.machine.paths import must_be_file
from incrowd.rows.dialect import open_text, sniff


def read_lookup(path: Path) -> dict[str, str]:
    """A CSV file with a header: the first column is the value, the second its new name."""
    dialect = sniff(path)
    if len(dialect.columns) < 2:
        raise InputError("D024", f"the lookup {path.name} needs two columns.", "First the value, then its new name.")
    names: dict[str, str] = {}
    with open_text(path, dialect) as file:
        reader = csv.reader(file, delimiter=dialect.delimiter)
        next(reader)
        for row in filter(None, reader):
            if len(row) < 2:
                raise InputError("D024", f"line {reader.line_num} of the lookup {path.name} has one field only.")
            if names.setdefault(row[0], row[1]) != row[1]:
                place = f"line {reader.line_num} of the lookup {path.name}"
                raise InputError("D025", f"{place} gives a value a second name.")
    return names


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
