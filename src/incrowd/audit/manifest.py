"""Manifests: by which bytes can one tell that a file is the one that was released, or the one it was made from?"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from incrowd.audit.signing import PublicKey
from incrowd.rows.engines import ENGINES

MANIFEST = "manifest.json"
#: The signature of the manifest beside it: 64 bytes, as `openssl pkeyutl -verify -rawin` takes them.
SIGNATURE = "manifest.json.sig"
#: What a release is made with. Those that are not installed are left out.
PACKAGES = (
    "incrowd", "ibis-framework", "pyarrow", "numpy", "numba", "scipy", "statsmodels", "scikit-learn", "pydantic",
    "pyyaml", "altair", "vl-convert-python", "jinja2", "openpyxl", "cryptography", "psycopg", "splink",
    *(kind.package for kind in ENGINES.values()),
)  # fmt: skip

#: The one file of an audit that may be removed later: who has no secret cannot repeat a release, nor attack it.
SECRET_FILE = "secret"


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
class FileEntry:
    """A file of the release or of the audit: its name there, and its bytes."""

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
    release: tuple[FileEntry, ...]
    folder: str = "."  # where the plan's files were, seen from the folder that has `runs`
    files: tuple[FileEntry, ...] = ()  # every other file of the audit
    public_key: str | None = None  # PEM; of who signed it. Audits of earlier versions have none
    format: str = "incrowd audit manifest"

    @property
    def key(self) -> PublicKey | None:
        """The key that it says it is signed with."""
        return None if self.public_key is None else PublicKey.parse(self.public_key, "the manifest")

    def json(self) -> str:
        """As it is kept in the audit."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def of(content: Mapping[str, Any]) -> AuditManifest:
        """Read it again."""
        inputs = tuple(InputEntry(**entry) for entry in content["inputs"])
        release = tuple(FileEntry(**entry) for entry in content["release"])
        files = tuple(FileEntry(**entry) for entry in content.get("files", ()))
        return AuditManifest(**{**content, "inputs": inputs, "release": release, "files": files})


def entry_of(name: str, content: bytes) -> FileEntry:
    """Of bytes that are still in memory: what lies on the disk is compared with this."""
    return FileEntry(name, len(content), hashlib.sha256(content).hexdigest())


def hash_file(path: Path) -> str:
    """Which bytes does this file hold? Their SHA-256 in hex, read in pieces: the file may be larger than memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_release(file: Path) -> str:
    """By what is a release known to be the same? The SHA-256 of its file; of parts, that of their hashes in order."""
    if file.is_file():
        return hash_file(file)
    return _hash_parts(hash_file(part) for part in file.rglob("*.parquet") if part.is_file())


def data_entries(file: Path) -> tuple[FileEntry, ...]:
    """The bytes of a release's data: of its file, or of everything in the folder of its parts."""
    files = sorted(part for part in file.rglob("*") if part.is_file()) if file.is_dir() else [file]
    return tuple(FileEntry(p.relative_to(file.parent).as_posix(), p.stat().st_size, hash_file(p)) for p in files)


def hash_entries(data: Iterable[FileEntry]) -> str:
    """The same of data that was hashed already."""
    found = tuple(data)
    if len(found) == 1 and "/" not in found[0].name:
        return found[0].sha256
    return _hash_parts(entry.sha256 for entry in found)


def _hash_parts(hashes: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def release_manifest(entries: Iterable[FileEntry], key: PublicKey | None = None) -> str:
    """Which files make up the release? JSON with the name, size and SHA-256 of each, in the order of their names, and
    the key that it is signed with.

    The names are those of the release; paths and dates stay out, so the same files give the same manifest.
    """
    files = [asdict(entry) for entry in sorted(entries, key=lambda entry: entry.name)]
    signed = {} if key is None else {"format": "incrowd release manifest", "public_key": key.pem}
    return json.dumps({**signed, "files": files}, indent=2, ensure_ascii=False) + "\n"


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
