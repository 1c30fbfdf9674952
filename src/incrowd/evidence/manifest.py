"""The manifest of a release: by which bytes can a reader tell that a file is the one that was released?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


def hash_file(path: Path) -> str:
    """Which bytes does this file hold? Their SHA-256 in hex, read in pieces: the file may be larger than memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def release_manifest(files: Mapping[str, Path]) -> str:
    """Which files make up the release? JSON with the name, size and SHA-256 of each, in the order of their names.

    The names are those of the release; paths and dates stay out, so the same files give the same manifest.
    """
    entries = [
        {"name": name, "bytes": path.stat().st_size, "sha256": hash_file(path)} for name, path in sorted(files.items())
    ]
    return json.dumps({"files": entries}, indent=2, ensure_ascii=False) + "\n"
