"""Steps on a file whose classes are too many to be fetched: they stay in the engine, and the steps are expressions.

Recoding and dropping make classes fewer; as soon as they fit, they are fetched and every method works again. Until
then only what can be said of the rows as a whole is done here. Whatever else is refused, with the way out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from incrowd.errors import InputError
from incrowd.keys.requirements import K, OneSided, Requirement, WeakK, refuse_unmet, where_name
from incrowd.keys.requirements.diversity import DistinctL
from incrowd.keys.table import KeyTable
from incrowd.plan import steps
from incrowd.protect.recode import new_names
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.values import relabel_rows
from incrowd.rows import Rows
from incrowd.rows.engine import TOO_MANY
from incrowd.rows.in_engine import ClassTest, InEngineClasses, count_classes


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


def protect_in_engine(
    step: steps.AnyStep, state: InEngineState, context: Context
) -> tuple[InEngineState | State, Change]:
    """Carry out one step on distant classes, and fetch them when they have become few enough."""
    match step:
        case steps.Drop():
            rows = state.rows.drop(step.variables)
            keys = tuple(key for key in state.keys if key not in step.variables)
            change = Change(f"drop {', '.join(step.variables)}", cells_changed=state.records * len(step.variables))
            return _again(rows, keys, state, context), change
        case steps.Recode():
            named, change = new_names(step, state.rows.value_counts(step.variable), context)
            rows = relabel_rows(state.rows, step.variable, named)
            return _again(rows, state.keys, state, context), change
        case steps.SuppressRecords(of=None):
            rows, change = _suppress(step, state, context)
            return _again(rows, state.keys, replace(state, decided=True), context), change
        case _:
            raise _needed(step.step)


def _again(rows: Rows, keys: tuple[str, ...], state: InEngineState, context: Context) -> InEngineState | State:
    """Counted again: here, once the classes are few enough."""
    counted = count_classes(rows, keys, state.sensitive, UNIT if context.has_unit else None)
    if isinstance(counted, KeyTable):
        return State(rows, counted)
    return replace(InEngineState.of(rows, counted, state.sensitive), decided=state.decided)


def recounted(rows: Rows, state: InEngineState, context: Context) -> InEngineState | State:
    """The same keys counted again in rows whose values have other names."""
    return _again(rows, state.keys, state, context)


def _suppress(step: steps.SuppressRecords, state: InEngineState, context: Context) -> tuple[Rows, Change]:
    """Drop what fails until nothing fails: dropping by some keys may make classes by others too small."""
    # All of the plan, not only those of the step: what compares with the file as it was must see it before this.
    tested = [(requirement, _test(requirement, state)) for requirement in context.requirements]
    refuse_absent_values(state, context)
    tests = {r.describe(): test for r, test in tested if step.models is None or r.model in step.models}
    classes, removed_for = state.classes, dict.fromkeys(tests, 0)
    dropped = True
    while dropped:
        dropped = False
        for words, test in tests.items():
            classes, removed = classes.without_failing(test)
            removed_for[words] += removed
            dropped = dropped or (removed > 0 and len(tests) > 1)
    total = sum(removed_for.values())
    title = f"suppress records for {', '.join(step.models) if step.models else 'all requirements'}"
    return classes.rows_of(state.rows) if total else state.rows, Change(title, total, 0, removed_for)


def _test(requirement: Requirement, state: InEngineState) -> ClassTest:
    keys = requirement.keys or state.keys
    if requirement.where is None:
        match requirement:
            case WeakK() | K():
                return ClassTest(keys, k=requirement.k)
            case DistinctL():
                return ClassTest(keys, sensitive=requirement.sensitive, l=requirement.l)
            case OneSided():
                return ClassTest(
                    keys, sensitive=requirement.sensitive, value=requirement.value, share=requirement.alpha
                )
            case _:
                pass
    raise _needed(f"{requirement.model!r} as it is required")


def refuse_absent_values(state: InEngineState, context: Context) -> None:
    """Refuse values and conditions that nobody meets: a slip of the pen would make every class pass.

    Once something was suppressed it is too late to tell: everybody with a value may rightly be gone.
    """
    if state.decided:
        return
    for requirement in context.requirements:
        if isinstance(requirement, OneSided):
            requirement.refuse_absent(requirement.value in state.rows.value_counts(requirement.sensitive))
    for condition, where in context.conditions.items():
        name = where_name(condition)
        refuse_unmet("1" in state.rows.flag(name, where).value_counts(name), name)


def require_in_memory(state: State | InEngineState, what: str) -> State:
    """The state with a KeyTable; where it has none, the error that says what needs one."""
    if isinstance(state, InEngineState):
        raise _needed(what)
    return state


def _needed(what: str) -> InputError:
    return InputError(
        TOO_MANY,
        f"there are too many classes to be held here, and {what} needs them.",
        "Drop or recode keys before it, or raise data: limit if this machine has the memory.",
    )
