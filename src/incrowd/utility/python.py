"""The use case python: a function of the plan's own, from a file in the plan's folder.

It is code that runs with the rights of whoever runs the plan, on the records of people: read it before you run a plan
that somebody else wrote. Only files inside the plan's folder are loaded; nothing is looked for on the search path.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import Python
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, finite


def python_needs(case: Python) -> list[Need]:
    """Every combination of the columns."""
    return [Need(tuple(dict.fromkeys(case.columns)), alone=True)]


def python(case: Python, original: Fetched, released: Fetched, folder: Path) -> Outcome:
    """What does the plan's own function say of the two tables? It gets them as Arrow tables of texts, in no order.

    It returns whether the release passes, or a mapping with `passed` and, if it likes, `original`, `released`,
    `effect` (numbers) and `found` (a sentence, for the internal report).
    """
    need = python_needs(case)[0]
    function, problem = _function(case, folder), "Error"
    try:
        said = function(_table(original.get(need)), _table(released.get(need)))
    except Exception as error:
        problem = type(error).__name__
    else:
        return _outcome(case, said)
    # Outside the except block, so that the function's own message, which may quote a record, is not in the chain.
    raise InputError("D150", f"the use case {case.name!r}: {case.function} raised {problem}.", "Mend the function.")


def _outcome(case: Python, said: object) -> Outcome:
    rule = f"{case.function} says so"
    if isinstance(said, bool | np.bool_):
        return Outcome(case.name, case.test, rule, bool(said), "passes" if said else "does not pass", "effect")
    if not isinstance(said, Mapping) or not isinstance(said.get("passed"), bool | np.bool_):
        message = (
            f"the use case {case.name!r}: {case.function} returned neither True or False nor a mapping with passed."
        )
        raise InputError("D151", message, "See docs/methods/utility.md.")
    numbers = {name: _number(said.get(name)) for name in ("original", "released", "effect")}
    passed = bool(said["passed"])
    figures: tuple[Figure, ...] = ()
    if any(number is not None for number in numbers.values()):
        one, other = (NOTHING if numbers[s] is None else Estimate(numbers[s]) for s in ("original", "released"))
        figures = (Figure("the figure", one, other, numbers["effect"], None, passed),)
    found = str(said.get("found") or ("passes" if passed else "does not pass"))
    return Outcome(case.name, case.test, rule, passed, found, "effect", figures)


def _number(value: Any) -> float | None:
    return finite(float(value)) if isinstance(value, int | float | np.number) and not isinstance(value, bool) else None


def _function(case: Python, folder: Path) -> Callable[[pa.Table, pa.Table], object]:
    module, _, name = case.function.partition(":")
    path = (folder / case.file).resolve()
    fault = InputError("D152", f"the use case {case.name!r}: there is no {case.function} in the plan's folder.")
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise fault
    spec = importlib.util.spec_from_file_location(f"incrowd_plan_{module.replace('.', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    loaded, problem = importlib.util.module_from_spec(spec), None
    try:
        spec.loader.exec_module(loaded)
    except Exception as error:
        problem = type(error).__name__
    if problem is not None:
        message = f"the use case {case.name!r}: {case.file} cannot be loaded ({problem})."
        raise InputError("D153", message, "Does it run by itself?")
    function = getattr(loaded, name, None)
    if not callable(function):
        raise fault
    found: Callable[[pa.Table, pa.Table], object] = function
    return found


def _table(tally: Tally) -> pa.Table:
    rows = pa.array(np.repeat(np.arange(len(tally.records)), tally.records))
    columns = {
        domain.name: pa.array(domain.values, pa.string()).take(pa.array(codes)).take(rows)
        for domain, codes in zip(tally.domains, tally.codes, strict=True)
    }
    return pa.table(columns)
