"""Is the time that something takes its own? Kernels are compiled when they are first used on a machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba.core.event import install_recorder

_Result = TypeVar("_Result")


def once_compiled(work: Callable[[], _Result]) -> _Result:
    """What does work with a time limit give where no compiler takes its time? Done again where one did.

    Compiling can take longer than the limit, and a search that ran out of time before it looked gives its top.
    """
    with install_recorder("numba:compile") as compiled:
        result = work()
    return work() if compiled.buffer else result
