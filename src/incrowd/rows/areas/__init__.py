"""Local authorities of the United Kingdom and the ITL regions they lie in, shipped with incrowd: see README.md here."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from incrowd.errors import InputError
from incrowd.keys.hierarchies.stack import leaves_of, stack
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import Labels, Values

AreaLevel = Literal["itl1", "itl2", "itl3"]
#: The finest first.
LEVELS: tuple[AreaLevel, ...] = ("itl3", "itl2", "itl1")
EDITION = "local authorities of 2023, ITL of January 2021"
SOURCE = f"{EDITION}; source: Office for National Statistics, Open Government Licence v3.0"
_FILE = "lad23_itl21.csv"
_COLUMNS: dict[AreaLevel, str] = {"itl3": "ITL321NM", "itl2": "ITL221NM", "itl1": "ITL121NM"}


def regions_of(values: Values, level: AreaLevel, name: str, others: str | None = None) -> Labels:
    """The ITL region that each local authority lies in, by its code or by its name, in capitals or not.

    A local authority that lies in several is called by all of them. Values that are none get the name `others`, or are
    a fault that counts them.

    >>> regions_of(["E06000001", "bristol, city of", None], "itl1", "home")
    ['North East (England)', 'South West (England)', None]
    """
    known = _regions(level)
    found = [None if value is None else known.get(_plain(value), others) for value in values]
    unknown = sum(value is not None and region is None for value, region in zip(values, found, strict=True))
    if unknown:
        raise InputError(
            "D351",
            f"{unknown} of the {len(values)} different values of {name!r} are no codes or names of local authorities "
            f"that incrowd knows ({EDITION}).",
            "Codes change with the years, and names are as the ONS writes them (Bristol, City of). Recode them first, "
            "say what they become (others: ...), or name a file of your own (lookup: {file, from, to}).",
        )
    return found


def area_hierarchy(values: Values, name: str, levels: Sequence[AreaLevel], others: str | None = None) -> Hierarchy:
    """Local authorities by ever larger regions, the finest first.

    >>> area_hierarchy(["Hartlepool"], "home", ["itl2", "itl1"]).rows
    (('Hartlepool', 'Tees Valley and Durham', 'North East (England)', '*'),)
    """
    leaves = leaves_of(values, name)
    return stack(leaves, [regions_of(leaves, level, name, others) for level in levels], name)


def is_area(value: str) -> bool:
    """Whether a text is the code or the name of a local authority that incrowd knows.

    >>> is_area("Hartlepool"), is_area("Atlantis")
    (True, False)
    """
    return _plain(value) in _regions("itl1")


@cache
def _regions(level: AreaLevel) -> dict[str, str]:
    """The region of each code and of each name."""
    found: dict[str, set[str]] = {}
    text = (files(__package__) / _FILE).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        for key in (row["LAD23CD"], row["LAD23NM"]):
            found.setdefault(_plain(key), set()).add(row[_COLUMNS[level]])
    return {key: " or ".join(sorted(regions)) for key, regions in found.items()}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
