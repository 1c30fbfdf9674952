"""Was this process asked to stop? One handler for Ctrl-C, SIGTERM and SIGHUP, which remembers what it heard.

An exception that a handler raises inside an engine or a callback comes out as another one, or not at all. So what was
asked is written down first, and whoever is about to blame something else asks here. What must not be cut in half, such
as clearing a private folder or moving the pointer to a release, is `held`: a stop then waits for its end.

Only a program listens. A library's user keeps the handlers that they have, and nothing here has an effect.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Somebody who presses Ctrl-C twice wants to stop once: the way out is not interrupted again at once.
PATIENCE = 0.5
#: A stop that a callback swallowed, or that came in the middle of an import, comes again after so long.
AGAIN = 0.05


class Stopped(KeyboardInterrupt):
    """This process was asked to stop. No `except Exception` takes it for a fault."""


@dataclass
class _State:
    asked: int | None = None
    raised: float = 0.0
    held: int = 0
    end: Callable[[], None] | None = None  # how what runs now is told to end by itself
    together: bool = False  # what is published belongs together
    published: list[Path] = field(default_factory=list)


_state = _State()


def listen() -> None:
    """Hear the three signals from now on. One that is ignored already (nohup, a shell's background) stays so."""
    global _state
    if _hear in map(signal.getsignal, SIGNALS):
        return  # since the program's first line
    _state = _State()
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _hear)
        sys.unraisablehook = _raise_again


def deafen() -> None:
    """The work is over: what comes now comes to nothing. (Python takes its own handlers away before it ends.)"""
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is _hear:
                signal.signal(number, signal.SIG_IGN)


def asked() -> int | None:
    """The signal by which this process was asked to stop; None when it was not."""
    return _state.asked


def check() -> None:
    """Stop here if that was asked: for moments at which another fault may be the echo of it."""
    if _state.asked is not None and not _state.held:
        raise Stopped


def heeded() -> bool:
    """Whether Ctrl-C was heeded: whoever can hand over what they have so far does, and the program goes on to its end.
    Other signals mean that there is no time for that.
    """
    if _state.asked != signal.SIGINT:
        return False
    _state.asked = None
    return True


@contextmanager
def held() -> Iterator[None]:
    """What is inside is done to its end; a stop that was asked meanwhile comes after it."""
    _state.held += 1
    try:
        yield
    finally:
        if not (_state.together and _state.published):
            _state.held -= 1
    check()


@contextmanager
def all_or_none() -> Iterator[None]:
    """What is published inside belongs together: once the first is out, a stop waits until all are."""
    _state.together = True
    try:
        yield
    finally:
        _state.together, _state.held = False, 0
    check()


@contextmanager
def ends_by_itself(end: Callable[[], None]) -> Iterator[None]:
    """What is inside has an end of its own, such as a server's: a stop calls `end` and comes after it. An exception out
    of a handler would go off in the middle of an event loop.
    """
    _state.end = end
    try:
        yield
    finally:
        _state.end = None
    check()


def publish(place: Path) -> None:
    """Something was released: who stops later is told so."""
    _state.published.append(place)


def published() -> tuple[Path, ...]:
    """Where releases of this process are."""
    return tuple(_state.published)


def _hear(number: int, frame: FrameType | None) -> None:
    first, now = _state.asked is None, time.monotonic()
    if first:
        _state.asked = number
    if _state.together and _state.published and first:
        os.write(2, b"\nThe first of several files is out: the others follow, then this stops.\n")
    if _state.end is not None:
        _state.end()
        return
    if _state.held or now - _state.raised < PATIENCE:
        return
    if _importing(frame):
        _ask_again(number)
        return
    _state.raised = now
    raise Stopped


def _importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported: a compiled one that cannot finish may end the whole process at once."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _ask_again(number: int) -> None:
    again = threading.Timer(AGAIN, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _raise_again(swallowed: Any) -> None:
    """A compiler's or an engine's callback, or a finaliser, cannot let an exception out: Python would print it and go
    on. A stop that ends there is asked for again a moment later, when the callback is over.
    """
    if not isinstance(swallowed.exc_value, Stopped) or _state.asked is None:
        sys.__unraisablehook__(swallowed)
        return
    _state.raised = 0.0
    _ask_again(_state.asked)
