"""Which method carries out which step. A method registers itself where it is written; no list repeats its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from incrowd.plan.steps import Step
from incrowd.protect.in_engine import InEngineState
from incrowd.protect.state import Change, Context, State
from incrowd.rows import Rows

#: (step, its number in the plan, state, context) -> the new state and what changed.
Method = Callable[[Any, int, State, Context], tuple[State, Change]]
#: The same on rows whose classes stay in the engine: (step, state, context) -> the new rows and what changed.
InEngineMethod = Callable[[Any, InEngineState, Context], tuple[Rows, Change]]

METHODS: dict[type[Step], Method] = {}
#: Only what can be said of the rows as a whole: any other step needs the classes here.
IN_ENGINE: dict[type[Step], InEngineMethod] = {}

M = TypeVar("M", bound=Callable[..., object])


def carries_out(kind: type[Step]) -> Callable[[M], M]:
    """Register the method of a step."""
    return _register(METHODS, kind)


def carries_out_in_engine(kind: type[Step]) -> Callable[[M], M]:
    """Register what does a step where the classes are too many to be fetched."""
    return _register(IN_ENGINE, kind)


def _register(methods: dict[type[Step], Any], kind: type[Step]) -> Callable[[M], M]:
    def register(method: M) -> M:
        if kind in methods:
            raise TypeError(f"{kind.__name__} has a method already: {methods[kind].__name__}")
        methods[kind] = method
        return method

    return register
