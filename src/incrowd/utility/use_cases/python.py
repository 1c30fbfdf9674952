"""The use case python: a function of the plan's own, from a file in the plan's folder, run in a process of its own.

It is code that somebody wrote, on the records of people: read it before you run a plan of somebody else. The process
is told no path, gets copies of the two tables through a pipe and nothing of the environment, and is ended when it
takes too long or too much memory. That separates; it is no cage: the code still has the rights of whoever runs the
plan. What binds a release to its verdict is the hash that the gate took.
"""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.keys.tally import Tally
from incrowd.machine.children import started
from incrowd.plan.use_cases import Python
from incrowd.utility.needs import Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, finite
from incrowd.utility.registry import Around, Sides, use_case

#: How long a function may take.
SECONDS = 600.0
#: The most memory its process may have: half of the machine's, and never less than this.
LEAST_MEMORY = 4 << 30
#: A verdict is short.
MOST_SAID = 1 << 16
_CHILD = Path(__file__).with_name("python_child.py")
#: Where libraries are found is all that the process needs of our environment.
_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


def python_needs(case: Python, around: Around) -> list[Need]:
    """Every combination of the columns."""
    return [Need(tuple(dict.fromkeys(case.columns)), alone=True)]


def python_rule(case: Python) -> str:
    """Who decides."""
    return f"{case.function} says so"


@use_case(Python, python_needs, python_rule)
def python(case: Python, sides: Sides) -> Outcome:
    """What does the plan's own function say of the two tables? It gets them as Arrow tables of texts, in no order.

    It returns whether the release passes, or a mapping with `passed` and, if it likes, `original`, `released`,
    `effect` (numbers) and `found` (a sentence, for the internal report).
    """
    need = python_needs(case, sides.around)[0]
    folder = sides.around.folder
    path = (folder / case.file).resolve()
    fault = InputError("D152", f"the use case {case.name!r}: there is no {case.function} in the plan's folder.")
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise fault
    tables = (_table(sides.original.get(need)), _table(sides.released.get(need)))
    told = _ask(case, path.read_bytes(), tables)
    match told:
        case {"missing": True}:
            raise fault
        case {"not_loaded": problem}:
            message = f"the use case {case.name!r}: {case.file} cannot be loaded ({_error_name(problem)})."
            raise InputError("D153", message, "Does it run by itself? It is told no path, and sees no other file.")
        case {"raised": problem}:
            message = f"the use case {case.name!r}: {case.function} raised {_error_name(problem)}."
            raise InputError("D150", message, "Mend the function.")
        case {"said": said}:
            return _outcome(case, said)
    raise InputError("D151", f"the use case {case.name!r}: {case.function} gave no verdict.", _SEE)


_SEE = "See docs/methods/utility.md."


def _ask(case: Python, source: bytes, tables: tuple[pa.Table, pa.Table]) -> Any:
    """Start the process, hand it what it needs, and read its verdict. Whatever it started ends with it."""
    header = {
        "name": case.file,
        "function": case.function.partition(":")[2],
        "memory": _memory(),
        "source": len(source),
    }
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    late = threading.Event()
    # Neither the working folder nor the user's own packages are looked in; nothing is written beside the code.
    command = [sys.executable, "-P", "-s", "-B", str(_CHILD)]
    with TemporaryDirectory(prefix="incrowd-") as empty:  # mode 0700, and gone with whatever the code puts there
        env = {**kept, "HOME": empty, "TMPDIR": empty, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        with started(command, cwd=empty, env=env, stdin=pipe, stdout=pipe, stderr=nowhere) as process:

            def stop() -> None:
                late.set()
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # all of it: whoever holds the pipe would be waited for

            watch = threading.Timer(SECONDS, stop)
            watch.daemon = True
            watch.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                with suppress(BrokenPipeError, pa.ArrowException, OSError), process.stdin as given:  # it may end before
                    given.write(json.dumps(header).encode() + b"\n" + source)
                    for table in tables:
                        with pa.ipc.new_stream(given, table.schema) as out:
                            out.write_table(table)
                # One line: something that the code left behind may hold the pipe open.
                said = process.stdout.readline(MOST_SAID + 1)
            finally:
                watch.cancel()
                process.stdout.close()  # type: ignore[union-attr]
    if late.is_set():
        message = f"the use case {case.name!r}: {case.function} took longer than {SECONDS:,.0f} seconds."
        raise InputError("D293", message, "Let it look at fewer columns, or do less.")
    with suppress(ValueError):
        if len(said) <= MOST_SAID:
            return json.loads(said)
    message = f"the use case {case.name!r}: the process of {case.function} ended without a verdict."
    raise InputError("D294", message, "Does it need much memory, end the process itself, or say too much?")


def _memory() -> int:
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return LEAST_MEMORY
    return max(whole // 2, LEAST_MEMORY)


def _error_name(given: object) -> str:
    """The name of an error of Python's own: a name that code made up could hold a value."""
    found = getattr(builtins, given, None) if isinstance(given, str) else None
    return found.__name__ if isinstance(found, type) and issubclass(found, BaseException) else "Error"


def _outcome(case: Python, said: object) -> Outcome:
    rule = python_rule(case)
    if isinstance(said, bool):
        return Outcome(case.name, case.test, rule, bool(said), "passes" if said else "does not pass", "effect")
    if not isinstance(said, Mapping) or not isinstance(said.get("passed"), bool):
        message = (
            f"the use case {case.name!r}: {case.function} returned neither True or False nor a mapping with passed."
        )
        raise InputError("D151", message, _SEE)
    numbers = {name: _number(said.get(name)) for name in ("original", "released", "effect")}
    passed = bool(said["passed"])
    figures: tuple[Figure, ...] = ()
    if any(number is not None for number in numbers.values()):
        one, other = (NOTHING if numbers[s] is None else Estimate(numbers[s]) for s in ("original", "released"))
        figures = (Figure("the figure", one, other, numbers["effect"], None, passed),)
    found = str(said.get("found") or ("passes" if passed else "does not pass"))
    return Outcome(case.name, case.test, rule, passed, found, "effect", figures)


def _number(value: Any) -> float | None:
    return finite(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _table(tally: Tally) -> pa.Table:
    rows = pa.array(np.repeat(np.arange(len(tally.records)), tally.records))
    columns = {
        domain.name: pa.array(domain.values, pa.string()).take(pa.array(codes)).take(rows)
        for domain, codes in zip(tally.domains, tally.codes, strict=True)
    }
    return pa.table(columns)
