"""Is this a file that can be read? Asked before anything is opened: whoever opens a pipe waits for ever."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.errors import InputError


def as_path(given: str | Path) -> Path:
    """A path that somebody gave; a table in memory is told from one."""
    if not isinstance(given, str | os.PathLike):
        message = f"this is the place of a file or a folder, and not of a {type(given).__name__}."
        raise InputError("D320", message, "Write the table to a file: an audit holds the hash of what was read.")
    return Path(given)


def must_be_file(path: Path, *, folder: bool = False, hint: str | None = None) -> None:
    """Refuse what is not there, is no regular file (nor, where one is welcome, a folder), or may not be read."""
    with opening(path, hint):
        kind = path.stat().st_mode
    if stat.S_ISDIR(kind) and folder:
        return
    if not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "a pipe, a socket or a device"
        raise InputError(
            "D270", f"{path} is {what}, and not a file.", "Write it to a file first: it is read more than once."
        )
    with opening(path, hint), path.open("rb"):
        pass


@contextmanager
def opening(path: Path, hint: str | None = None) -> Iterator[None]:
    """What the system says of a file that is opened for reading becomes an error of ours."""
    reason = None
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        reason = ""
    except (OSError, ValueError) as error:  # ValueError: no path at all, such as one with a NUL byte
        if isinstance(error, OSError) and error.errno is None:
            raise
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "no name of a file"
    if reason is not None:
        if not reason:
            raise InputError("D000", f"there is no file {path}.", hint)
        raise InputError("D271", f"{path} cannot be opened ({reason}).", "See that it can be read by you.")
