"""A cap on memory that is kept: the engine gets a share and spills beyond it, and a run that passes the cap is stopped.

The engine's own limit covers what it buffers, not all that it allocates; the other part of the cap is for that and for
the KeyTable. The watch reads the resident memory of the process where the system tells it (Linux) ten times a second.
"""

from __future__ import annotations

import _thread
import os
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.engine import Engine

#: What Python, its libraries and compiled kernels take before the first record is read.
BASE = 400 << 20
LEAST = 768 << 20
MOST = 1 << 50
#: What a class needs at the worst moment of a run: its keys, its counts, and both again while it is put together.
BYTES_A_CLASS = 140
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_PAGES = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PAUSE = 0.1
OURS = signal.SIGUSR2


def parse_memory(text: str) -> int:
    """'8GB', '512 MB' or '1.5G' in bytes; a GB is 2^30 bytes here."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if found is None:
        raise InputError("D077", "the memory cap cannot be read.", "Write it as 8GB or 800MB.")
    number = int(min(float(found.group(1)) * _UNITS[found.group(2).upper()], 2.0**60))
    if number > MOST:
        raise InputError("D284", "no machine has so much memory.", "Write it as 8GB or 800MB.")
    if number < LEAST:
        raise InputError(
            "D078", f"{number >> 20} MB of memory are too few.", f"At least {LEAST >> 20}MB are needed for any run."
        )
    return min(number, _machine() or number)  # what is not there cannot be used


def _machine() -> int | None:
    """The memory of this machine in bytes; None where the system does not tell."""
    try:
        return max(os.sysconf("SC_PHYS_PAGES") * _PAGE, LEAST)
    except (AttributeError, OSError, ValueError):
        return None


def engine_share(cap: int) -> str:
    """How much of the cap the engine may buffer before it spills: less than half of what is above the base."""
    return f"{int((cap - BASE) * 0.45) >> 20}MiB"


def class_limit(cap: int) -> int:
    """How many classes may be held in the rest of the cap; what a run on 56 million people needed for each."""
    return int((cap - BASE) * 0.55) // BYTES_A_CLASS


def resident() -> int | None:
    """The resident memory of this process in bytes; None where the system does not tell."""
    try:
        return int(_PAGES.read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return None


@contextmanager
def keep_below(cap: int | None) -> Iterator[Callable[[], None]]:
    """Stop the work inside, with an error that says so, when the process passes the cap. Only in the main thread.

    Gives a function that ends the watch: to be called before anything is published, since the error says that nothing
    was. A cap that cannot be watched is said to be.
    """
    if cap is None:
        yield lambda: None
        return
    if resident() is None or threading.current_thread() is not threading.main_thread():
        warnings.warn(
            "the memory of this process cannot be watched here; only the engine keeps to --memory", stacklevel=3
        )
        yield lambda: None
        return
    # A signal of our own: interrupts mean that somebody asked to stop, and a shell's background ignores them.
    before = signal.signal(OURS, signal.default_int_handler)
    over, done = threading.Event(), threading.Event()

    def watch() -> None:
        while not done.wait(_PAUSE):
            if (resident() or 0) > cap:
                over.set()
                _thread.interrupt_main(OURS)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    stopped = False
    try:
        yield done.set
    except BaseException:  # an engine that is interrupted raises what it likes
        if not over.is_set():
            raise
        stopped = True
    finally:
        with suppress(KeyboardInterrupt):  # one that comes too late to matter
            done.set()
            watcher.join()
            signal.signal(OURS, before)
    if stopped:
        raise IncrowdError(
            "X005",
            f"the run needs more than the {cap / 2**30:.3g} GB of memory it may use; nothing was released.",
            "Raise --memory, or recode the finest key before the others: fewer classes need less.",
        )


@contextmanager
def follow(engine: Engine, progress: Callable[[float], None] | None) -> Iterator[None]:
    """While the engine works, say which share of its query is done, twice a second: progress(0.25)."""
    if progress is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            if share := engine.progress():
                progress(share)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
