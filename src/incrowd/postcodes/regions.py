"""From local authorities to regions, by a user's lookup file. What the lookup does not know is told, not guessed.

The Office for National Statistics gives a local authority a new code when its borders change. A directory of this year
and a lookup of another do not know each other's codes then; guessing a successor would put people into the wrong place.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.names import prove
from incrowd.rows.dialect import open_text, sniff
from incrowd.rows.directory import Match


@dataclass(frozen=True)
class ByRegion:
    """Records by region, and what could not be placed."""

    regions: Mapping[str, int]
    unknown_codes: Mapping[str, int]  # authorities that the lookup does not have, with their records
    no_authority: int
    not_real: int


def read_columns(path: Path, key: str, value: str) -> dict[str, str]:
    """Two columns of a lookup file. A key with two values is a fault."""
    dialect = sniff(path)
    for name in (key, value):
        if name not in dialect.columns:
            hint = prove(dialect.columns, (key, value)).hint(name)
            raise InputError("D012", f"{name!r} is not a column of {path.name}.", hint)
    found: dict[str, str] = {}
    with open_text(path, dialect) as file:
        for row in csv.DictReader(file, delimiter=dialect.delimiter):
            if found.setdefault(row[key], row[value]) != row[value]:
                raise InputError(
                    "D182", f"{path.name} gives one code of {key!r} two values of {value!r}.", "Choose a coarser value."
                )
    return found


def by_region(match: Match, regions: Mapping[str, str]) -> ByRegion:
    """Add up the records of authorities by region."""
    placed: dict[str, int] = {}
    unknown: dict[str, int] = {}
    for code, number in match.authorities.items():
        into, name = (placed, regions[code]) if code in regions else (unknown, code)
        into[name] = into.get(name, 0) + number
    return ByRegion(dict(sorted(placed.items())), dict(sorted(unknown.items())), match.no_authority, match.not_real)
