"""Files that only their owner may read: whole under their name, or not at all.

What holds records, or tells how a release was made, is written here. An engine makes its files as it likes, so it
writes into a folder that is closed to others, and the file moves out when it is closed, too.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.errors import InputError


def place_to_write(path: Path) -> Path:
    """Can a file be put here? Asked before the work, and not after an hour of it."""
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        raise _cannot(path, "it is a folder")
    if not folder.is_dir():
        raise _cannot(path, f"there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise _cannot(path, "it may not be written")
    return path


def write_private(path: Path, text: str) -> None:
    """A text as a file that only its owner may read."""
    try:
        with private_file(path) as draft:
            draft.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise _cannot(path, error.strerror or "no reason is given") from None


@contextmanager
def private_file(path: Path) -> Iterator[Path]:
    """Where to write, so that `path` becomes the whole file, readable by its owner only, or stays as it is.

    A device or a pipe (/dev/stdout) is written as it is.
    """
    target = Path(os.path.realpath(place_to_write(path)))
    if target.exists() and not target.is_file():
        yield path
        return
    try:
        private = tempfile.TemporaryDirectory(prefix=".incrowd-", dir=target.parent)  # mode 0700
    except OSError as error:
        raise _cannot(path, error.strerror or "no reason is given") from None
    with private as folder:
        draft = Path(folder) / target.name
        yield draft
        draft.chmod(0o600)
        draft.replace(target)


def _cannot(path: Path, why: str) -> InputError:
    return InputError("D280", f"{path} cannot be written: {why}.", "Name another place, or make room there.")
