"""From a private folder to a release, in one step that either happened or did not.

runs/.work-XXXX/        private (0700), this run's spill and output; whoever starts next clears dead ones
runs/ID/release/        what may leave
runs/ID/audit/          what stays inside (0700)
release -> runs/ID/release      the one pointer, moved atomically
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from incrowd.audit.manifest import FileEntry
from incrowd.audit.seal import refuse_changes
from incrowd.errors import IncrowdError
from incrowd.machine import stopping

POINTER = "release"


@dataclass(frozen=True)
class Workspace:
    """The private folder of one run."""

    home: Path  # where `runs` and the pointer are
    private: Path

    @property
    def spill(self) -> Path:
        """Where the engine puts what does not fit into memory."""
        return self.private / "spill"

    @property
    def release(self) -> Path:
        """What may leave."""
        return self.private / "out" / "release"

    @property
    def audit(self) -> Path:
        """What stays inside."""
        return self.private / "out" / "audit"

    def publish(
        self, released: Sequence[FileEntry], audited: Sequence[FileEntry], still: Callable[[], None] = lambda: None
    ) -> Path:
        """Make the output durable, give it its place among the runs, and move the pointer. Gives the run's folder.

        What is there must be what was written and what the gate counted, byte by byte. `still` looks at the other runs
        while nobody else can publish, and raises what speaks against this one.
        """
        pointer = self.home / f".{POINTER}-{secrets.token_hex(4)}"
        with _alone(self.home / "runs"):
            still()
            run = self._place(released, audited)
            os.symlink(Path("runs") / run.name / "release", pointer)
            os.replace(pointer, self.home / POINTER)
            stopping.publish(run)
        _sync_folder(self.home)
        return run

    def keep_audit(self, audited: Sequence[FileEntry]) -> Path:
        """After a refusal: keep the audit, and nothing that looks like a release."""
        shutil.rmtree(self.release, ignore_errors=True)
        return self._place((), audited, "-refused")

    def _place(self, released: Sequence[FileEntry], audited: Sequence[FileEntry], ending: str = "") -> Path:
        out = self.private / "out"
        for folder, _, files in os.walk(out):
            for name in files:
                if self.audit in (Path(folder), *Path(folder).parents):
                    Path(folder, name).chmod(0o600)
                _sync_file(Path(folder) / name)
            _sync_folder(Path(folder))
        # The last look, after everything else was done: nothing of ours writes to these files any more.
        refuse_changes(self.release, released, "R031", "the release is not what the gate counted and incrowd wrote")
        refuse_changes(self.audit, audited, "R033", "the audit is not what incrowd wrote")
        run = self.home / "runs" / (time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(3) + ending)
        out.rename(run)
        _sync_folder(run.parent)
        return run


@contextmanager
def open_workspace(home: Path) -> Iterator[Workspace]:
    """A private folder for one run, cleared at the end whatever happens; clears what killed runs left behind."""
    pointer = home / POINTER
    if pointer.exists() and not pointer.is_symlink():
        raise IncrowdError(
            "X003", f"{pointer} is in the way: it is not the pointer to a release.", "Move it, or use --out."
        )
    runs = home / "runs"
    private = runs / f".work-{secrets.token_hex(6)}"
    workspace = Workspace(home, private)
    # A signal may come between any two lines: whatever happens, the folder goes with the process at the latest.
    last = atexit.register(partial(_clear, private))
    lock: IO[str] | None = None
    try:
        with stopping.held():
            lock = _prepare(workspace)
        yield workspace
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        full = IncrowdError(
            "X002",
            f"there is no room left on the disk of {runs}; nothing was released.",
            "Make room, or use --out.",
        )
        raise full from None
    finally:
        with stopping.held():
            _clear(private)
            atexit.unregister(last)
            if lock is not None:
                lock.close()


def _prepare(workspace: Workspace) -> IO[str]:
    """Make the private folder; gives the lock on it."""
    runs = workspace.home / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with _alone(runs):
            _clear_dead(runs)
            workspace.private.mkdir(mode=0o700)
            # The lock dies with the process, so a later start can tell a dead run from a live one.
            lock = (workspace.private / "lock").open("w")
            fcntl.flock(lock, fcntl.LOCK_EX)
        workspace.spill.mkdir()
        workspace.release.mkdir(parents=True)
        workspace.audit.mkdir(mode=0o700)
    except OSError as error:
        raise IncrowdError("X004", f"no run can be stored in {runs} ({error.strerror}).") from None
    return lock


def _clear(private: Path) -> None:
    """Remove a private folder; again while a thread that was stopped in the middle still writes into it."""
    for _ in range(20):
        shutil.rmtree(private, ignore_errors=True)
        if not private.exists():
            return
        time.sleep(0.05)


@contextmanager
def _alone(runs: Path) -> Iterator[None]:
    """One at a time among the runs of this folder."""
    with (runs / ".lock").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield


def _clear_dead(runs: Path) -> None:
    for folder in runs.glob(".work-*"):
        try:
            with (folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue  # its run is alive
        except FileNotFoundError:
            shutil.rmtree(folder, ignore_errors=True)
    for stray in runs.parent.glob(f".{POINTER}-*"):
        stray.unlink(missing_ok=True)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
