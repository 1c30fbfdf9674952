"""Check a hierarchy: are values covered, do levels nest, is there one top?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Unpack

from incrowd.errors import Fault
from incrowd.keys.hierarchies import validate
from incrowd.keys.hierarchy import Hierarchy
from incrowd.rows import Reading, Source
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.result import Line, Result, plain_fields
from incrowd.tasks.hierarchy_build import told, values_of


@dataclass(frozen=True, repr=False)
class CheckedHierarchy(Result):
    """A hierarchy, and everything that is wrong with it."""

    hierarchy: Hierarchy
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        """Whether it can be used."""
        return not self.faults

    def _told(self) -> str:
        return "; ".join(str(fault) for fault in self.faults) or f"{told(self.hierarchy)}, no faults"

    def _names(self) -> Sequence[str]:
        return [one.name for one in fields(Fault)]

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(fault) for fault in self.faults]


def hierarchy_validate(
    hierarchy: Hierarchy | str | Path,
    *,
    data: Source | None = None,
    key: str | None = None,
    **reading: Unpack[Reading],
) -> CheckedHierarchy:
    """Do the levels of a hierarchy nest, up to one top? With `data`, are all values of its column `key` covered, too?

    A file is in ARX's format; it is named after its variable when `key` is left out. `delimiter`, `encoding`, `sheet`
    and `drop_index` say how it is read.

    >>> built = ic.hierarchy_build("people.csv", "age", widths=[5, 10])
    >>> ic.hierarchy_validate(built.hierarchy, data="people.csv").ok
    True
    """
    if not isinstance(hierarchy, Hierarchy):
        path = Path(hierarchy)
        hierarchy = read_hierarchy(path, key or path.stem.rpartition("hierarchy_")[2])
    values = None if data is None else list(values_of(data, key or hierarchy.name, **reading))
    return CheckedHierarchy(hierarchy, tuple(validate(hierarchy, values)))
