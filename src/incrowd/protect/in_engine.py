"""A file whose classes are too many to be fetched: they stay in the engine, and steps are expressions.

Recoding and dropping make classes fewer; as soon as they fit, they are fetched and every method works again. Until
then only what can be said of the rows as a whole is done (`carries_out_in_engine`). Whatever else is refused, with the
way out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from incrowd.errors import InputError
from incrowd.keys.requirements import refuse_unmet, where_name
from incrowd.keys.table import KeyTable
from incrowd.protect.state import UNIT, Context, State
from incrowd.rows import Rows
from incrowd.rows.engine import TOO_MANY
from incrowd.rows.in_engine import InEngineClasses, count_classes


@dataclass(frozen=True)
class InEngineState:
    """The rows so far and their classes, which stay in the engine."""

    rows: Rows
    classes: InEngineClasses
    sensitive: tuple[str, ...]
    records: int
    decided: bool = False  # something was suppressed, and slips were looked for before it
    history: str = ""  # a hash of all that was done so far

    @staticmethod
    def of(rows: Rows, classes: InEngineClasses, sensitive: tuple[str, ...]) -> InEngineState:
        """The rows and their classes, just counted."""
        return InEngineState(rows, classes, sensitive, classes.people())

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys."""
        return self.classes.keys


def recounted(rows: Rows, state: InEngineState, context: Context) -> InEngineState | State:
    """The keys that are still there, counted again in changed rows: here, once the classes are few enough."""
    keys = tuple(key for key in state.keys if key in rows.columns)
    counted = count_classes(rows, keys, state.sensitive, UNIT if context.has_unit else None)
    if isinstance(counted, KeyTable):
        return State(rows, counted)
    return replace(InEngineState.of(rows, counted, state.sensitive), decided=state.decided)


def refuse_absent_values(state: InEngineState, context: Context) -> None:
    """Refuse values and conditions that nobody meets: a value that does not occur would make every class pass.

    Once something was suppressed it is too late to tell: everybody with a value may rightly be gone.
    """
    if state.decided:
        return
    for requirement in context.requirements:
        requirement.refuse_absent(lambda name, value: value in state.rows.value_counts(name))
    for condition, where in context.conditions.items():
        name = where_name(condition)
        refuse_unmet("1" in state.rows.flag(name, where).value_counts(name), name)


def require_in_memory(state: State | InEngineState, what: str) -> State:
    """The state with a KeyTable; where it has none, the error that says what needs one."""
    if isinstance(state, InEngineState):
        raise too_many(what)
    return state


def too_many(what: str) -> InputError:
    """The error for what cannot be done while the classes stay in the engine."""
    return InputError(
        TOO_MANY,
        f"there are too many classes to be held here, and {what} needs them.",
        "Drop or recode keys before it, or raise data: limit if this machine has the memory.",
    )
