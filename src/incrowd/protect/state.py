"""What a protection step gets and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from incrowd.keys.requirements import Requirement
from incrowd.keys.table import KeyTable
from incrowd.rows import Rows
from incrowd.secret import Secret

#: The hidden column that tells whose record it is, where the plan names a unit. It is never written to a release.
UNIT = "_unit"


@dataclass(frozen=True)
class State:
    """The rows so far and the KeyTable of the same rows: every step changes both alike."""

    rows: Rows
    table: KeyTable


@dataclass(frozen=True)
class Context:
    """What a step may know of the plan around it."""

    folder: Path
    secret: Secret
    release: tuple[str, ...]  # what makes this release's randomness its own
    requirements: tuple[Requirement, ...]
    identifiers: tuple[str, ...] = ()
    has_unit: bool = False

    def subkey(self, *purpose: str) -> bytes:
        """A key for one purpose in this release."""
        return self.secret.subkey(*self.release, *purpose)


@dataclass(frozen=True)
class Change:
    """What a step changed."""

    title: str
    records_removed: int = 0
    cells_changed: int = 0
    removed_for: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
