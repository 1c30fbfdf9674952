"""Cells that were blanked, told from cells that were missing all along: in a file the two look alike, so that the step
that blanks must count them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.keys.cells.suppress import CellSuppression
from incrowd.keys.table import KeyTable


@dataclass(frozen=True)
class Blanks:
    """Of one key: how many cells were blanked, and how many were missing all along when that was done."""

    blanked: int
    missing: int

    def left(self, missing: int) -> tuple[int, int]:
        """Of the cells that are missing now, how many were blanked: at least, and at most.

        The two differ only where records were dropped afterwards, and the key had missing cells before.
        """
        most = min(self.blanked, missing)
        return min(max(missing - self.missing, 0), most), most


def add_blanks(so_far: Mapping[str, Blanks], table: KeyTable, found: CellSuppression) -> dict[str, Blanks]:
    """What was blanked once this is done to the table: of each key the cells that were not missing already."""
    blanks = dict(so_far)
    for i, name in enumerate(table.names):
        absent = missing_cells(table, name)
        old = so_far.get(name, Blanks(0, absent))
        shown = np.array([value is not None for value in table.domains[i].values], bool)[table.codes[i][found.classes]]
        new = int(found.records[found.blanked[:, i] & shown].sum())
        blanks[name] = Blanks(old.left(absent)[1] + new, min(old.missing, absent))
    return blanks


def missing_cells(table: KeyTable, name: str) -> int:
    """Records in which a key is missing.

    >>> from incrowd.keys.table import from_records
    >>> missing_cells(from_records({"age": ["30", None, None]}), "age")
    2
    """
    at = table.names.index(name)
    absent = np.array([value is None for value in table.domains[at].values], bool)
    return int(table.records[absent[table.codes[at]]].sum())
