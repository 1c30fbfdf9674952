"""From a fault of the plan to the page where it is mended; and what one press mends: steps and intruders that no longer
fit the roles, because somebody has decided that a column is something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from incrowd.app.document import Document
from incrowd.app.edits import Tree, as_written, named, part, put, take_out
from incrowd.app.steps import steps_of
from incrowd.errors import Fault
from incrowd.plan import Plan
from incrowd.plan.steps.search import Search

#: The part of a plan that a fault names first, and where it is mended.
PLACES = {
    "title": "/data", "data": "/data", "tier": "/data", "variables": "/variables", "scenarios": "/variables#scenarios",
    "steps": "/protect#steps", "requirements": "/protect#must", "propose": "/propose", "use_cases": "/utility",
    "sweep": "/utility", "attack": "/attack", "intruder_test": "/attack/people", "release": "/release",
}  # fmt: skip
RELEASED = "P015"  # an identifier would be released as it is: its role is decided, and what is done about it is not


def where(fault: Fault) -> str | None:
    """The page where a fault is mended; None where only the text can be."""
    return PLACES["steps"] if fault.code == RELEASED else PLACES.get(fault.place.partition(".")[0])


@dataclass(frozen=True)
class Misfits:
    """What names a column as it was before its role was changed."""

    released: tuple[str, ...] = ()  # identifiers that no step leaves out
    searched: tuple[tuple[int, str], ...] = ()  # a search step, and what it coarsens that is no key
    known: tuple[tuple[int, str], ...] = ()  # an intruder, and what is known that is no key

    def __bool__(self) -> bool:
        return bool(self.released or self.searched or self.known)


def misfits(document: Document) -> Misfits:
    """What does not fit the roles, as far as one press can mend it: nothing is left empty by that."""
    plan, faults = document.checked.plan, document.checked.faults
    if plan is None or not faults:
        return Misfits()
    keys = {*plan.with_role("key")}
    released = tuple(one.place.partition(".")[2] for one in faults if one.code == RELEASED)
    searches = [(n, one.hierarchies) for n, one in enumerate(plan.steps) if isinstance(one, Search)]
    scenarios = [(n, one.keys) for n, one in enumerate(plan.scenarios)]
    return Misfits(released, _strays(searches, keys, plan), _strays(scenarios, keys, plan))


def _strays(parts: Sequence[tuple[int, Any]], keys: set[str], plan: Plan) -> tuple[tuple[int, str], ...]:
    """What the parts name that is a variable and no key, unless nothing else is named there."""
    return tuple(
        (number, name)
        for number, names in parts
        if keys & {*names}
        for name in names
        if name in plan.variables and name not in keys
    )


def follow_roles(document: Document) -> None:
    """Leave out what names people, and let searches and intruders name keys only. What was left out stays out."""
    found = misfits(document)

    def edit(tree: Tree) -> None:
        steps, written = steps_of(tree), as_written(document.text)
        searches = [one for one in written.get("steps") or () if one.get("step") != "attack"]
        for number, name in found.searched:
            for field in ("hierarchies", "weights", "levels"):
                _forget(part(steps, number), searches[number], field, name)
        for number, name in found.known:
            for field in ("keys", "error"):
                _forget(part(tree, "scenarios", number), written["scenarios"][number], field, name)
        if found.released:
            _drop(steps, found.released)

    document.change(edit, "steps and intruders follow the roles")


def _forget(block: Tree, written: Tree, field: str, name: str) -> None:
    """Take a name out of a field, a list or a map; `written` is the same block as it is written."""
    names = written.get(field)
    if isinstance(names, list) and name in names:
        take_out(part(block, field, kind=CommentedSeq), names.index(name))
        names.remove(name)
    elif isinstance(names, dict) and name in names:
        there = part(block, field)
        take_out(there, named(there, names, name))
        del names[name]


def _drop(steps: Tree, names: Sequence[str]) -> None:
    """Leave columns out by the first step that does so anyhow, or by a new one."""
    for step in steps:
        if isinstance(step, CommentedMap) and step.get("step") == "drop" and str(step.get("off", "")).lower() != "true":
            there = step.get("variables")
            put(step, "variables", CommentedSeq([*(there if isinstance(there, list) else ()), *names]))
            return
    steps.insert(0, CommentedMap(step="drop", variables=CommentedSeq(names), reason="They name people."))
