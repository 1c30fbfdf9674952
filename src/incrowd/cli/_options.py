"""What options of several commands share."""

from __future__ import annotations

from pathlib import Path

from incrowd.machine.writing import place_to_write


def writable(path: Path | None) -> Path | None:
    """A place where a file can be written: said before the work, not after it."""
    return None if path is None else place_to_write(path)
