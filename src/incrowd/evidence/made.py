"""What a run was made from and with: the hashes of input, plan and release, and the versions of the programs."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from incrowd.evidence.manifest import hash_file

#: Whoever makes or counts the released bytes.
PROGRAMS = ("incrowd", "duckdb", "ibis-framework", "pyarrow", "numpy", "numba", "scipy", "pydantic")


@dataclass(frozen=True)
class Made:
    """By what can one tell later that a run is this one? `release` is empty where nothing was released."""

    inputs: Mapping[str, object] = field(default_factory=dict)
    plan: str = ""
    release: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


def made(inputs: Mapping[str, object], plan: str, file: Path) -> Made:
    """Of a run whose data were written to `file`: one file, or a folder of parts."""
    parts = sorted(part for part in file.rglob("*") if part.is_file()) if file.is_dir() else [file]
    release = {part.relative_to(file.parent).as_posix(): hash_file(part) for part in parts if part.is_file()}
    return Made(inputs, hashlib.sha256(plan.encode()).hexdigest(), release, versions())


def versions() -> dict[str, str]:
    """Which programs, in which versions?"""
    found = {"Python": platform.python_version()}
    for name in PROGRAMS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a copy of the source
            found[name] = "not installed"
    return found
