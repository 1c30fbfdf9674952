"""The folder of a workbench: only its owner may read it, it goes with the server, and what a killed one has left behind
is removed by the next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

NAME = "incrowd-workbench-"
#: A folder without a lock this young, in seconds, is one that another server is about to lock.
YOUNG = 60.0


class PrivateFolder:
    """A folder for the sessions of one server, locked as long as it lives."""

    def __init__(self) -> None:
        clear_dead()
        self.path = Path(tempfile.mkdtemp(prefix=NAME))  # mode 0700
        self._lock = (self.path / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # it dies with the process

    def close(self) -> None:
        """Remove it; again while a job that was just ended still writes into it."""
        for _ in range(20):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
            time.sleep(0.05)
        self._lock.close()


def clear_dead() -> None:
    """Remove the folders of servers that were killed. One that is alive holds its lock; others' are left alone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{NAME}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = folder / "lock"
            if not lock.exists():
                if time.time() - folder.stat().st_mtime > YOUNG:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            with lock.open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
