"""The seal: every file of a folder by its bytes, in a manifest that is signed. What differs from it is told by name.

A file lies as it was (`unchanged`), has other bytes (`changed`), is gone (`missing`), or is in no list (`unlisted`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.manifest import MANIFEST, SIGNATURE, FileEntry, entry_of, hash_file
from incrowd.audit.signing import Signer
from incrowd.errors import NotReleasable

UNCHANGED, CHANGED, MISSING, UNLISTED = "unchanged", "changed", "missing", "unlisted"


@dataclass(frozen=True)
class SealedFile:
    """A file of a sealed folder, and whether it is as it was."""

    name: str
    state: str

    @property
    def told(self) -> str:
        """In words; a name that somebody put there cannot steer a terminal."""
        return f"{''.join(c if c.isprintable() else '?' for c in self.name)} is {self.state}"


def write_sealed(folder: Path, manifest: str, signer: Signer | None) -> tuple[FileEntry, ...]:
    """Write a manifest and, by somebody who can sign, its signature; gives both."""
    content = manifest.encode()
    signature = None if signer is None else signer.sign(content)
    (folder / MANIFEST).write_bytes(content)
    if signature is None:
        return (entry_of(MANIFEST, content),)
    (folder / SIGNATURE).write_bytes(signature)
    return entry_of(MANIFEST, content), entry_of(SIGNATURE, signature)


def differences(
    folder: Path, entries: Iterable[FileEntry], elsewhere: Callable[[str], bool] = lambda name: False
) -> Iterator[SealedFile]:
    """Every listed file, and every other one that is there. Links and whatever is no plain file differ: what they show
    can change without them. Unlisted files that are looked at `elsewhere` are left out.
    """
    listed: Mapping[str, FileEntry] = {entry.name: entry for entry in entries}
    there = dict(_walk(folder))
    for name in sorted({*listed, *there}):
        if name not in listed:
            if not elsewhere(name):
                yield SealedFile(name, UNLISTED)
        elif name not in there:
            yield SealedFile(name, MISSING)
        else:
            same = there[name] and same_bytes(folder / name, listed[name])
            yield SealedFile(name, UNCHANGED if same else CHANGED)


def same_bytes(path: Path, entry: FileEntry) -> bool:
    """Whether a file has the bytes that are listed; one that cannot be read has not."""
    try:
        return path.stat().st_size == entry.bytes and hash_file(path) == entry.sha256
    except OSError:
        return False


def refuse_changes(folder: Path, entries: Iterable[FileEntry], code: str, what: str) -> None:
    """The last look before something is published: the folder holds these bytes, all of them and no others."""
    for file in differences(folder, entries):
        if file.state != UNCHANGED:
            message = f"{what}: {file.told}."
            raise NotReleasable(code, message, "Nothing was released. Does the plan run code that writes files?")


def sha256(content: bytes) -> str:
    """The hash by which a manifest is named in a sign-off."""
    return hashlib.sha256(content).hexdigest()


def _walk(folder: Path) -> Iterator[tuple[str, bool]]:
    """The name of everything that is not a folder, and whether it is a plain file of this folder."""
    for place, folders, files in os.walk(folder):
        for name in (*files, *(each for each in folders if (Path(place) / each).is_symlink())):
            path = Path(place) / name
            yield path.relative_to(folder).as_posix(), path.is_file() and not path.is_symlink()
