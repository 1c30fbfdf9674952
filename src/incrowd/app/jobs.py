"""Long work in a process of its own: it tells how far it is, can be cancelled at any moment, and disturbs nobody else.

Cancelling is a signal, as Ctrl-C in a terminal: what a function of incrowd must not leave half done, it does not.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from incrowd.machine.children import bound
from incrowd.plan.files import Stamp

State = Literal["running", "done", "failed", "cancelled"]
#: Seconds in which a cancelled job may end by itself.
GRACE = 10.0


@dataclass(eq=False)
class Job:
    """One piece of long work. `result` is what its function gave, `fault` the sentences of its error."""

    title: str
    function: str  # a public name of incrowd, or of app/work.py
    plan: str = ""  # the text of the plan that it works on: another one makes its result one of an earlier plan
    files: dict[str, Stamp] = field(default_factory=dict)  # what it may read, as it was when it began
    state: State = "running"
    what: str = "starting"
    number: int = 0
    total: int = 0  # 0 where nobody knows
    share: float | None = None
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    result: Any = None
    fault: str = ""
    code: str = ""
    detail: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    cancelled: bool = False
    stopped: bool = False  # it was asked to hand over what it has

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return (self.ended or time.monotonic()) - self.begun

    def told(self) -> dict[str, object]:
        """How far it is, for the page."""
        return {
            "state": self.state, "title": self.title, "what": self.what, "number": self.number, "total": self.total,
            "share": self.share, "seconds": round(self.seconds),
        }  # fmt: skip

    def cancel(self, *, keep: bool = False) -> None:
        """End it. With `keep` it is asked, as by Ctrl-C, to hand over what it has so far, where it can."""
        if self.process is None or self.state != "running":
            return
        self.cancelled, self.stopped = not keep, keep
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT if keep else signal.SIGTERM)
        if not keep:
            threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        assert self.process is not None
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self, seconds: float) -> None:
        """Until it has ended, or so long."""
        end = time.monotonic() + seconds
        while self.state == "running" and time.monotonic() < end:
            time.sleep(0.02)


def start(
    title: str, function: str, arguments: Sequence[object], settings: dict[str, object], private: Path, plan: str = "",
    files: Mapping[str, Stamp] | None = None,
) -> Job:  # fmt: skip
    """Begin a job: the public function of incrowd, or of `app/work.py`, with these arguments."""
    job = Job(title, function, plan, dict(files or {}))
    place = private / f"job-{os.urandom(6).hex()}"
    begun: Future[None] = Future()
    call = (function, tuple(arguments), settings)
    threading.Thread(target=_follow, args=(job, call, place, begun), daemon=True).start()
    begun.result()
    return job


def _follow(job: Job, call: object, place: Path, begun: Future[None]) -> None:
    """Start the process, hand the call over, hear how far it is, take its result.

    All in one thread, to which the process is bound: one that serves requests ends when it has had nothing to do.
    """
    command = bound([sys.executable, "-m", "incrowd.app.work", str(place)], signal.SIGTERM)
    try:
        job.process = process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0,
        )  # fmt: skip
    except BaseException as error:
        begun.set_exception(error)
        return
    begun.set_result(None)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[bytes] = []
    listener = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
    listener.start()
    with suppress(BrokenPipeError):
        pickle.dump(call, process.stdin)
        process.stdin.close()
    for line in process.stdout:
        with suppress(ValueError):
            told = json.loads(line)
            if told.get("total") == -1:
                job.share = told.get("share")
            else:
                job.what, job.share = str(told["what"]), None
                job.number, job.total = int(told["number"]) or job.number, int(told["total"])
    process.wait()
    listener.join(2)
    _conclude(job, place)
    job.ended = time.monotonic()


def _conclude(job: Job, place: Path) -> None:
    if job.cancelled:
        job.state, job.what = "cancelled", "cancelled"
        place.unlink(missing_ok=True)
        return
    try:
        # What our own process has written into a folder that only we may read.
        kind, value = pickle.loads(place.read_bytes())
    except (OSError, pickle.UnpicklingError, EOFError):
        if job.stopped:  # so early that there was nothing to hand over
            job.state, job.what = "cancelled", "cancelled"
            return
        kind, value = "fault", ("X035", "the work ended before its end.", "Was there enough memory? Try again.", ())
    finally:
        place.unlink(missing_ok=True)
    if kind == "result":
        job.result, job.state, job.what = value, "done", "done"
        return
    job.code, message, hint, job.detail = value
    job.fault = f"{job.code}: {message}" + (f" {hint}" if hint else "")
    job.state, job.what = "failed", "failed"
