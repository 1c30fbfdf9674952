"""Play cases in a process of their own: one that hangs, dies or takes too much memory is a fault, and the next goes on.

A child is forked for many cases, since the first run of a process is slow. It says when it begins a case, so the parent
knows which one it died of.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Protocol

from fuzz.outcome import UNEXPLAINED, Outcome

#: Cases that one child plays.
BATCH = 50
#: What no case may take. The files are small, so these are generous. Seconds are of the processor, since machines are
#: shared; a case that does not answer at all is given PATIENCE seconds of the clock.
SECONDS, PATIENCE, GIGABYTES = 40.0, 240.0, 2.0


class Kind(Protocol):
    """A module that makes and plays cases. A case is plain values, so it can be saved."""

    NAME: str

    def make(self, rng: Random) -> dict[str, Any]:
        """A case, from chance alone."""

    def play(self, case: dict[str, Any], folder: Path) -> Outcome:
        """What it comes to, in an empty folder."""

    def smaller(self, case: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Cases with something left out, the boldest first."""


def rng_of(kind: str, seed: str, number: int) -> Random:
    """The chance of one case."""
    return Random(f"{seed}:{kind}:{number}")


def play_many(kind: Kind, seed: str, seconds: float, first: int = 0) -> Iterator[tuple[int, Outcome]]:
    """Case after case until the time is over."""
    end, following = time.monotonic() + seconds, first
    while time.monotonic() < end:
        for number, outcome in _child(lambda n: play_one(kind, rng_of(kind.NAME, seed, n)), following, end):
            yield number, outcome
            following = number + 1


def play_alone(kind: Kind, case: dict[str, Any]) -> Outcome:
    """One case in a child of its own."""
    for _, outcome in _child(lambda _: play_one(kind, case), 0, time.monotonic() + PATIENCE, many=1):
        return outcome
    raise AssertionError("a case was not played")


def call_apart(function: Callable[[], Any], seconds: float) -> Any | None:
    """What a function gives, as plain values, in a child; None when it does not end in time or dies."""
    with tempfile.TemporaryFile() as kept:
        pid = os.fork()
        if not pid:
            _begin_child()
            with contextlib.suppress(BaseException):
                kept.write(json.dumps(function()).encode())
                kept.flush()
            os._exit(0)
        end = time.monotonic() + seconds
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                _kill(pid)
                break
            time.sleep(0.05)
        kept.seek(0)
        content = kept.read()
    return json.loads(content) if content else None


def play_one(kind: Kind, case: dict[str, Any] | Random) -> Outcome:
    """Play a case, or the one that chance makes, in a folder of its own. What it raises is a fault of the harness."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    _reset_peak()
    begun = time.process_time()
    try:
        outcome = kind.play(kind.make(case) if isinstance(case, Random) else case, folder)
    except Exception as error:
        outcome = Outcome()
        frames = " < ".join(f"{f.name}:{f.lineno}" for f in reversed(traceback.extract_tb(error.__traceback__)[-4:]))
        outcome.fault("harness", f"{type(error).__name__}: {error} in {frames}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if (taken := time.process_time() - begun) > SECONDS:
        outcome.fault("slow", f"{taken:.0f} s of the processor")
    if (peak := _peak()) > GIGABYTES:
        outcome.fault("memory", f"{peak:.1f} GB")
    return outcome


def _child(play: Callable[[int], Outcome], first: int, end: float, many: int = BATCH) -> Iterator[tuple[int, Outcome]]:
    """Fork, and read what the child says."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        _begin_child()
        with contextlib.suppress(BaseException), os.fdopen(writer, "w", buffering=1) as pipe:
            for number in range(first, first + many):
                pipe.write(f"{number}\n")
                pipe.write(json.dumps(play(number).to_json()) + "\n")
                if time.monotonic() > end:
                    break
        os._exit(0)
    os.close(writer)
    under_way: int | None = None
    with os.fdopen(reader, "rb") as pipe:
        for line in _lines(pipe, PATIENCE):
            if line is None:
                _kill(pid)
                yield first if under_way is None else under_way, _ended("slow", f"no answer within {PATIENCE:.0f} s")
                return
            if line[:1].isdigit():
                under_way = int(line)
            elif under_way is not None:
                yield under_way, Outcome.from_json(json.loads(line))
                under_way = None
    _, status = os.waitpid(pid, 0)
    if under_way is not None:
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"code {os.WEXITSTATUS(status)}"
        yield under_way, _ended(UNEXPLAINED, f"the process ended by {how}")


def _ended(sort: str, text: str) -> Outcome:
    outcome = Outcome()
    outcome.fault(sort, text)
    return outcome


def _lines(pipe: Any, seconds: float) -> Iterator[bytes | None]:
    """Lines until the end; None when nothing comes for so long."""
    rest = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], seconds)
        if not ready:
            yield None
            return
        if not (read := os.read(pipe.fileno(), 1 << 16)):
            return
        *lines, rest = (rest + read).split(b"\n")
        yield from lines


def _begin_child() -> None:
    """Its own group, so that it can be ended with its children; no core file; a limit on memory as the last resort."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = int(4 * GIGABYTES * 1e9)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _reset_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The most memory since the last reset, in GB; 0 where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1e6
    return 0.0
