"""The other end of the use case python: this file runs alone, in a process of its own, and knows nothing of incrowd.

From its standard input it reads a line of JSON, the source of the function's file, and two Arrow tables. It writes what
the function says as JSON, and nothing else: what the code prints goes nowhere.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any


def main() -> None:
    """Read, run, tell."""
    out, given = os.dup(1), os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    told = _told(given)
    with os.fdopen(out, "w") as pipe:
        pipe.write(json.dumps(told) + "\n")


def _told(given: Any) -> dict[str, Any]:
    import pyarrow as pa

    header = json.loads(given.readline())
    source = given.read(header["source"])
    tables = [pa.ipc.open_stream(given).read_all() for _ in range(2)]
    _limit_memory(header["memory"])
    module = ModuleType("incrowd_plan")
    module.__file__ = header["name"]
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(source, header["name"], "exec"), module.__dict__)
    except BaseException as error:
        return {"not_loaded": _name(error)}
    function: Callable[..., object] | None = getattr(module, header["function"], None)
    if not callable(function):
        return {"missing": True}
    try:
        return {"said": _plain(function(*tables))}
    except BaseException as error:
        return {"raised": _name(error)}


def _plain(said: object) -> Any:
    """What can be a verdict, as JSON has it; everything else is none."""
    if isinstance(said, Mapping):
        numbers = {name: _plain_number(said.get(name)) for name in ("original", "released", "effect")}
        found = said.get("found")
        return {"passed": _truth(said.get("passed")), **numbers, "found": None if found is None else str(found)}
    return _truth(said)


def _truth(value: object) -> bool | None:
    import numpy as np

    return bool(value) if isinstance(value, bool | np.bool_) else None


def _plain_number(value: Any) -> float | None:
    import numpy as np

    return float(value) if isinstance(value, int | float | np.number) and not isinstance(value, bool) else None


def _name(error: BaseException) -> str:
    """The nearest error of Python's own."""
    names: list[str] = [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind]
    return names[0]


def _limit_memory(most: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system can
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would hold records


if __name__ == "__main__":
    main()
