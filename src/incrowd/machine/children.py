"""Programs that incrowd starts, a browser or a server: they end with it, however it ends.

Each leads a group of its own. At the end, and when a signal or a fault comes, what is left of the group is ended. When
incrowd itself is killed (SIGKILL) nobody can do that: on Linux the system tells the child.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from incrowd.machine.stopping import held

#: Ask to be told of the parent's death (PR_SET_PDEATHSIG), see whether that came too late, become the program.
_BOUND = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, int(sys.argv[1]), 0, 0, 0); "
    "os.getppid() == int(sys.argv[2]) or os._exit(1); os.execvp(sys.argv[3], sys.argv[3:])"
)
#: Seconds to end by itself.
GRACE = 5.0


def bound(command: Sequence[str], ending: signal.Signals = signal.SIGKILL) -> list[str]:
    """The command, as a child that hears `ending` when its parent dies; elsewhere than on Linux as it is.

    To Linux the parent is the thread that starts it, so that one has to live as long as the child.
    """
    if not sys.platform.startswith("linux"):
        return list(command)
    return [sys.executable, "-I", "-S", "-c", _BOUND, str(int(ending)), str(os.getpid()), *command]


@contextmanager
def started(
    command: Sequence[str], ending: signal.Signals = signal.SIGKILL, **settings: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs as long as what is inside, at most. `ending` is how it is asked to end.

    It has no input unless `settings` give it one, and never the secrets of ours that are in the environment.
    """
    settings = {"stdin": subprocess.DEVNULL, "env": os.environ, **settings}
    settings["env"] = {name: value for name, value in settings["env"].items() if not name.startswith("INCROWD_")}
    process: subprocess.Popen[bytes] = subprocess.Popen(bound(command, ending), process_group=0, **settings)
    try:
        yield process
    finally:
        with held():
            _end(process, ending)


def _end(process: subprocess.Popen[bytes], ending: signal.Signals) -> None:
    if process.poll() is None and ending is not signal.SIGKILL:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, ending)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    with suppress(ProcessLookupError, PermissionError):  # nobody is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
