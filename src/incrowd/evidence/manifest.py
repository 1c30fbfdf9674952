"""Manifests: by which bytes can one tell that a file is the one that was released, or the one it was made from?"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from incrowd.plan.files import NamedFile

MANIFEST = "manifest.json"
#: Where an audit keeps copies of the small files that a plan names.
COPIES = "files"
#: Larger files are kept by their hash alone.
MOST_COPIED = 10_000_000
#: What a release is made with. Those that are not installed are left out.
PACKAGES = (
    "incrowd", "ibis-framework", "duckdb", "pyarrow", "numpy", "numba", "scipy", "statsmodels", "scikit-learn",
    "pydantic", "pyyaml", "altair", "vl-convert-python", "jinja2", "openpyxl", "pyspark", "psycopg", "splink",
)  # fmt: skip


@dataclass(frozen=True)
class InputEntry:
    """A file that the plan reads: where the plan names it, its own name, and its bytes. Never where it lay."""

    place: str
    name: str
    bytes: int
    sha256: str | None = None  # of a file
    parts: Mapping[str, str] = field(default_factory=dict)  # of a folder: name of each file -> its hash
    copy: str | None = None  # in the audit


@dataclass(frozen=True)
class ReleaseEntry:
    """A file of the release."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class AuditManifest:
    """What a run was made with, what went in, and what came out."""

    versions: Mapping[str, str]
    platform: Mapping[str, str]
    plan_sha256: str
    inputs: tuple[InputEntry, ...]
    database: int | None  # where the records came from a database: how many there were, for a table has no hash
    release: tuple[ReleaseEntry, ...]
    folder: str = "."  # where the plan's files were, seen from the folder that has `runs`

    def json(self) -> str:
        """As it is kept in the audit."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def of(content: Mapping[str, Any]) -> AuditManifest:
        """Read it again."""
        inputs = tuple(InputEntry(**entry) for entry in content["inputs"])
        release = tuple(ReleaseEntry(**entry) for entry in content["release"])
        return AuditManifest(**{**content, "inputs": inputs, "release": release})


def hash_file(path: Path) -> str:
    """Which bytes does this file hold? Their SHA-256 in hex, read in pieces: the file may be larger than memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_release(file: Path) -> str:
    """By what is a release known to be the same? The SHA-256 of its file; of parts, that of their hashes in order."""
    if file.is_file():
        return hash_file(file)
    parts = sorted(hash_file(part) for part in file.rglob("*.parquet") if part.is_file())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def input_entry(file: NamedFile, folder: Path) -> InputEntry:
    """The bytes of a file, or of the Parquet files of a folder, that a plan names."""
    path = folder / file.name
    name = path.resolve().name
    if not path.is_dir():
        return InputEntry(file.place, name, path.stat().st_size, hash_file(path))
    inside = sorted(part for part in path.rglob("*.parquet") if part.is_file())
    parts = {part.relative_to(path).as_posix(): hash_file(part) for part in inside}
    return InputEntry(file.place, name, sum(part.stat().st_size for part in inside), None, parts)


def keep_inputs(files: Sequence[NamedFile], folder: Path, audit: Path) -> tuple[InputEntry, ...]:
    """Every file that a plan names, by its bytes; small ones without records about people are copied."""
    entries = []
    for number, file in enumerate(files):
        entry = input_entry(file, folder)
        if not file.about_people and entry.sha256 is not None and entry.bytes <= MOST_COPIED:
            copy = audit / COPIES / f"{number}-{entry.name}"
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / file.name, copy)
            # The copy's own bytes: a file may change while it is copied.
            entry = InputEntry(
                entry.place, entry.name, copy.stat().st_size, hash_file(copy), {}, copy.relative_to(audit).as_posix()
            )
        entries.append(entry)
    return tuple(entries)


def release_entries(folder: Path) -> tuple[ReleaseEntry, ...]:
    """Every file of a release folder, in the order of their names."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return tuple(ReleaseEntry(name, path.stat().st_size, hash_file(path)) for name, path in sorted(files.items()))


def release_manifest(folder: Path) -> str:
    """Which files make up the release? JSON with the name, size and SHA-256 of each, in the order of their names.

    The names are those of the release; paths and dates stay out, so the same files give the same manifest.
    """
    entries = [asdict(entry) for entry in release_entries(folder) if entry.name != MANIFEST]
    return json.dumps({"files": entries}, indent=2, ensure_ascii=False) + "\n"


def versions() -> dict[str, str]:
    """Python, and every package that a release may depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """What kind of machine this is, without its name or address."""
    return {"system": platform.system(), "processor": platform.machine(), "python": platform.python_implementation()}
