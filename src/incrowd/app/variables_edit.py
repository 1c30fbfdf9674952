"""What the page Variables does to a plan: roles with their reasons, who could know a variable, what intruders know.

Nothing else of the plan is touched: a step or a scenario that names a variable stays, and the plan's check says what no
longer goes together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from incrowd.app.data_settings import share_of
from incrowd.app.document import Document
from incrowd.app.edits import Tree, append, as_written, named, part, put, set_or_remove, space_below, take_out
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.plan.attest import is_placeholder
from incrowd.plan.model import Role
from incrowd.plan.scenarios import Exposure
from incrowd.profiling import Column
from incrowd.profiling.intruders import Intruder

ROLES: tuple[str, ...] = get_args(Role)
#: The questions about a variable, in the plan's order.
QUESTIONS = {name: str(field.description) for name, field in Exposure.model_fields.items() if name != "reason"}
ANSWERS = ("no", "partly", "yes")
Edit = Callable[[Tree], None]


@dataclass(frozen=True)
class Change:
    """What a variable is to be: its role, why, and what it means. None leaves a field as it is."""

    role: str
    reason: str | None = None
    label: str | None = None


def suggested(column: Column) -> Change:
    """What the profile suggests, as somebody who confirms it would write it."""
    return Change(column.role, f"Confirmed as suggested: {column.reason}")


def set_variables(document: Document, changes: Mapping[str, Change], columns: Iterable[Column] = ()) -> Edit:
    """Set several variables. One that the plan does not have is added, where it is one of the file's `columns`."""
    known = {column.name: column for column in columns}

    def edit(tree: Tree) -> None:
        variables = part(tree, "variables")
        names = list(as_written(document.text).get("variables") or ())
        for name, change in changes.items():
            key = named(variables, names, name)
            if key is None and name in known:
                put(variables, name, _new(known[name]))
                names.append(name)
                key = name
            if key is None:
                raise _gone(f"the variable {name!r}")
            _set(part(variables, key), name, change)

    return edit


def _new(column: Column) -> CommentedMap:
    """A variable as a starter plan has it."""
    return CommentedMap(role=column.role, **{"suggested" if column.certain else "decide": column.reason})


def _set(variable: CommentedMap, name: str, change: Change) -> None:
    if change.role not in ROLES:
        raise InputError("D422", f"the role of {name!r} is none.", f"Choose one: {', '.join(ROLES)}.")
    put(variable, "role", change.role)
    if change.reason is not None:
        if not change.reason and not {"suggested", "decide"} & {*variable}:
            raise InputError("D422", f"the reason of {name!r} is empty.", "A role needs one: it stands in the audit.")
        set_or_remove(variable, "reason", change.reason, after=("role",))
    if change.label is not None:
        set_or_remove(variable, "label", change.label, after=("role", "suggested", "decide", "reason"))


def remove_variable(document: Document, name: str) -> Edit:
    """Take a variable out of the plan that the file does not have."""

    def edit(tree: Tree) -> None:
        variables = part(tree, "variables")
        key = named(variables, as_written(document.text).get("variables") or (), name)
        if key is None:
            raise _gone(f"the variable {name!r}")
        take_out(variables, key)

    return edit


def set_exposure(document: Document, name: str, form: Form) -> Edit:
    """Who could know a variable. Every question is answered by somebody: what is left open is no 'no'. With `remove`
    the answers are taken back.
    """
    answers = {question: first(form, question) for question in QUESTIONS}
    reason, gone = first(form, "reason"), first(form, "remove") == "yes"
    if not gone:
        if not {*answers.values()} <= {*ANSWERS, ""}:
            raise InputError("D422", "an answer is none of no, partly and yes.", "Choose one for each question.")
        if unanswered := [QUESTIONS[question] for question, answer in answers.items() if not answer]:
            message = f"not answered yet: {' '.join(unanswered)} Nothing was saved."
            raise InputError("D422", message, "Answer all: where you do not know, somebody else could (partly).")
        if not reason:
            raise InputError("D422", "the reason for the answers is empty.", "Say in a few words how you know.")

    def edit(tree: Tree) -> None:
        variables = part(tree, "variables")
        key = named(variables, as_written(document.text).get("variables") or (), name)
        if key is None:
            raise _gone(f"the variable {name!r}")
        said = None if gone else CommentedMap(answers | {"reason": reason})
        set_or_remove(part(variables, key), "exposure", said)

    return edit


def add_scenario(intruder: Intruder | None, keys: Sequence[str], error: Mapping[str, float]) -> Edit:
    """One more intruder: a usual one, or one to be described."""
    if not keys:
        message = "no variable has the role key, so there is nothing that an intruder could know."
        raise InputError("D422", message, "Give the role key to what others may know of a person.")

    def edit(tree: Tree) -> None:
        there = tree.get("scenarios") or ()
        names = {str(one.get("name")) for one in there if isinstance(one, CommentedMap)}
        name = base = "somebody" if intruder is None else intruder.name
        number = 2
        while name in names:
            name, number = f"{base} {number}", number + 1
        new = CommentedMap(name=name, keys=_in_line(keys))
        if error:
            new["error"] = _in_line(CommentedMap(error))
        if intruder is not None and not intruder.knows_who_is_in:
            new["knows_who_is_in"] = False
        if there:
            append(part(tree, "scenarios", kind=CommentedSeq), new)
        else:
            take_out(tree, "scenarios")
            put(tree, "scenarios", CommentedSeq([new]), after=("requirements", "attack"))
            space_below(tree, "scenarios")

    return edit


def set_scenario(document: Document, form: Form) -> Edit:
    """Change an intruder; what the form does not ask about (geography) stays."""
    name, keys = first(form, "name"), form.get("keys", [])
    if not name or not keys:
        raise InputError("D449", "a scenario has a name and at least one thing that is known.", "Give it both.")
    shares = {key: share_of(first(form, f"error:{key}"), f"how often {key!r} is wrong") for key in keys}
    error = {key: share for key, share in shares.items() if share}

    def edit(tree: Tree) -> None:
        scenario = _scenario(document, tree, form)
        others = [
            one for at, one in enumerate(as_written(document.text)["scenarios"]) if str(at) != first(form, "number")
        ]
        if any(isinstance(one, dict) and one.get("name") == name for one in others):
            raise InputError("D450", "there is a scenario with this name.", "Give it another.")
        put(scenario, "name", name)
        put(scenario, "keys", _in_line(keys))
        set_or_remove(scenario, "error", _in_line(CommentedMap(error)) if error else None, after=("name", "keys"))
        if first(form, "knows") == "yes":
            take_out(scenario, "knows_who_is_in")  # what is left out is yes
        else:
            put(scenario, "knows_who_is_in", False, after=("name", "keys", "error"))

    return edit


def remove_scenario(document: Document, form: Form) -> Edit:
    """Take an intruder out; the list goes with the last one."""

    def edit(tree: Tree) -> None:
        _scenario(document, tree, form)
        if len(tree["scenarios"]) == 1:
            take_out(tree, "scenarios")
        else:
            take_out(tree["scenarios"], int(first(form, "number")))

    return edit


def _scenario(document: Document, tree: Tree, form: Form) -> CommentedMap:
    """The scenario that a form means, by its place and its name: the plan may have been edited meanwhile."""
    number, there = first(form, "number"), as_written(document.text).get("scenarios")
    at = int(number) if number.isdecimal() and len(number) < 5 else -1
    listed = there if isinstance(there, list) else []
    if not 0 <= at < len(listed) or not isinstance(listed[at], dict) or listed[at].get("name") != first(form, "was"):
        raise _gone("this scenario")
    return part(tree, "scenarios", at)  # type: ignore[no-any-return]


def is_confirmed(variable: Mapping[str, Any]) -> bool:
    """Whether somebody has written why a variable has its role."""
    reason = variable.get("reason")
    return isinstance(reason, str) and not is_placeholder(reason)


def _in_line(given: Any) -> Any:
    """A list or a block on one line."""
    found = given if isinstance(given, CommentedMap) else CommentedSeq(given)
    found.fa.set_flow_style()
    return found


def _gone(what: str) -> InputError:
    return InputError("D421", f"{what} is not there any more.", "The plan was changed meanwhile: look at it again.")
