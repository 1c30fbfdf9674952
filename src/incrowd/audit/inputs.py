"""What a run read: the bytes of every file that its plan names, taken before the first read and again after the last.

A file that changes in between would leave an audit with the hash of a file that was not used.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.manifest import FileEntry, InputEntry, entry_of, hash_file
from incrowd.errors import InputError, NotReleasable
from incrowd.plan.files import NamedFile

#: Where an audit keeps copies of the small files that a plan names.
COPIES = "files"
#: Larger files are kept by their hash alone.
MOST_COPIED = 10_000_000
#: Which file it is and when it was last touched: a file that changed and changed back was changed. The time of the last
#: change counts, since the time of the last writing can be set back.
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Taken:
    """A file that a plan names, at one moment. Without an entry where there is nothing that can be hashed."""

    file: NamedFile
    entry: InputEntry | None
    stamp: Stamp = ()


def take_inputs(files: Sequence[NamedFile], folder: Path) -> tuple[Taken, ...]:
    """Every file that a plan names, by its bytes now. What cannot be read is left to whoever opens it to complain."""
    found: dict[Path, Taken] = {}
    taken = []
    for file in files:
        path = (folder / file.name).resolve()
        if path not in found:  # one that is named twice is read once
            found[path] = _take(file, path)
        entry = found[path].entry
        mine = None if entry is None else InputEntry(file.place, entry.name, entry.bytes, entry.sha256, entry.parts)
        taken.append(Taken(file, mine, (*_link(folder / file.name), *found[path].stamp)))
    return tuple(taken)


def keep_inputs(taken: Sequence[Taken], folder: Path, audit: Path) -> tuple[list[InputEntry], list[FileEntry]]:
    """After the last read: the same files with the same bytes as before the first, or nothing is released. Small ones
    without records about people are copied; gives the inputs, and the copies.
    """
    entries, copies = [], []
    for number, (then, now) in enumerate(zip(taken, take_inputs([t.file for t in taken], folder), strict=True)):
        entry = then.entry
        if entry is None:
            raise _no_file(then.file)
        if (now.entry, now.stamp) != (entry, then.stamp):
            raise _changed(entry)
        if not then.file.about_people and entry.sha256 is not None and entry.bytes <= MOST_COPIED:
            name = f"{COPIES}/{number}-{entry.name}"
            content = (folder / then.file.name).read_bytes()
            copy = entry_of(name, content)
            if copy.sha256 != entry.sha256:
                raise _changed(entry)
            (audit / COPIES).mkdir(exist_ok=True)
            (audit / name).write_bytes(content)
            copies.append(copy)
            entry = InputEntry(entry.place, entry.name, entry.bytes, entry.sha256, {}, name)
        entries.append(entry)
    return entries, copies


def input_entry(file: NamedFile, folder: Path) -> InputEntry | None:
    """The bytes of a file, or of the Parquet files of a folder, that a plan names; None where there are none."""
    return _take(file, (folder / file.name).resolve()).entry


def _no_file(file: NamedFile) -> InputError:
    message = f"what {file.place} of the plan names is no plain file, so nobody can tell which bytes are read."
    return InputError("D303", message, "Save it as a file first.")


def _changed(entry: InputEntry) -> NotReleasable:
    message = f"{entry.name} ({entry.place} of the plan) was written to while the run read it."
    return NotReleasable("R032", message, "Run again when nothing writes to it any more.")


def _take(file: NamedFile, path: Path) -> Taken:
    try:
        if path.is_dir():
            inside = sorted(part for part in path.rglob("*.parquet") if part.is_file())
            stamp = tuple(_stamp(part, part.relative_to(path).as_posix()) for part in inside)
            parts = {part.relative_to(path).as_posix(): hash_file(part) for part in inside}
            size = sum(part.stat().st_size for part in inside)
            return Taken(file, InputEntry(file.place, path.name, size, None, parts), stamp)
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would wait, and what it gave would be gone
            raise _no_file(file)
        stamp = (_stamp(path, path.name),)
        return Taken(file, InputEntry(file.place, path.name, path.stat().st_size, hash_file(path)), stamp)
    except OSError:
        return Taken(file, None)


def _stamp(path: Path, name: str) -> tuple[str, int, int, int]:
    found = path.stat()
    return name, found.st_dev, found.st_ino, found.st_ctime_ns


def _link(path: Path) -> Stamp:
    """The links on the way to a file: one may lead elsewhere for a while."""
    links = [(each.name, each.lstat()) for each in (path, *path.parents) if each.is_symlink()]
    return tuple((name, found.st_dev, found.st_ino, found.st_ctime_ns) for name, found in links)
