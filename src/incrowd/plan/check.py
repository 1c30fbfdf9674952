"""Does a plan make sense: in itself, and for the columns of the data?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from incrowd.errors import Fault, PlanError
from incrowd.plan.model import Drop, Plan, Pseudonymise, Recode, SuppressRecords


def check_plan(plan: Plan, folder: Path) -> list[Fault]:
    """Every fault that shows without opening the data."""
    return [*_files(plan, folder), *_steps(plan), *_roles(plan), *_requirements(plan)]


def check_columns(plan: Plan, columns: Sequence[str], source: str) -> None:
    """Every column of the data needs a role, and every role a column. Raises PlanError with all faults."""
    faults = []
    for name in plan.variables:
        if name not in columns:
            hint = _did_you_mean(name, columns)
            faults.append(Fault("P010", f"variables.{name}", f"{name!r} is not a column of {source}.", hint))
    for name in columns:
        if name not in plan.variables:
            hint = "Give it one; a column without a role is never released by accident."
            faults.append(Fault("P011", "variables", f"the column {name!r} of {source} has no role.", hint))
    if faults:
        raise PlanError(faults)


def _files(plan: Plan, folder: Path) -> Iterator[Fault]:
    named = {"data.source": plan.data.source}
    for number, step in enumerate(plan.steps):
        if isinstance(step, Recode):
            for field in ("lookup", "hierarchy"):
                if (file := getattr(step, field)) is not None:
                    named[f"steps.{number}.{field}"] = file
    for place, file in named.items():
        if not (folder / file).is_file():
            yield Fault("P020", place, f"there is no file {file!r} beside the plan.")


def _steps(plan: Plan) -> Iterator[Fault]:
    """Each step may only name variables that are still there when it runs."""
    there = list(plan.variables)
    for number, step in enumerate(plan.steps):
        named: list[tuple[str, str]] = []
        if isinstance(step, Drop | Pseudonymise):
            named = [(f"steps.{number}.variables.{i}", name) for i, name in enumerate(step.variables)]
        elif isinstance(step, Recode):
            named = [(f"steps.{number}.variable", step.variable)]
        for place, name in named:
            if name in there:
                continue
            if name in plan.variables:
                yield Fault("P013", place, f"{name!r} is gone before this step.", "Change the order of the steps.")
            else:
                yield Fault("P012", place, f"{name!r} is not a variable of the plan.", _did_you_mean(name, there))
        if isinstance(step, Drop):
            there = [name for name in there if name not in step.variables]
        elif isinstance(step, Pseudonymise):
            if step.into in there:
                yield Fault("P014", f"steps.{number}.into", f"there is a variable {step.into!r} already.")
            there = [*there, step.into]
            there = [n for n in there if n not in step.variables or plan.variables[n].role != "identifier"]
    for name in plan.with_role("identifier"):
        if name in there:
            hint = "Drop it, or pseudonymise it."
            yield Fault("P015", f"variables.{name}", f"the identifier {name!r} would be released as it is.", hint)
    if not [name for name in plan.with_role("key") if name in there]:
        yield Fault(
            "P016",
            "variables",
            "no key is left in the release.",
            "Give the role key to what an intruder knows.",
        )
    suppressed = [number for number, step in enumerate(plan.steps) if isinstance(step, SuppressRecords)]
    for number, step in enumerate(plan.steps):
        if suppressed and number > suppressed[0] and isinstance(step, Recode | Drop):
            touched = step.variables if isinstance(step, Drop) else [step.variable]
            for name in touched:
                if name in plan.variables and plan.variables[name].role in ("key", "sensitive"):
                    yield Fault(
                        "P017",
                        f"steps.{number}",
                        f"{name!r} is changed after records were dropped for the classes it made.",
                        "Put suppress_records last.",
                    )


def _roles(plan: Plan) -> Iterator[Fault]:
    unit = plan.data.unit
    if unit is not None and (unit not in plan.variables or plan.variables[unit].role != "identifier"):
        known = unit in plan.variables
        hint = f"Give {unit!r} the role identifier." if known else _did_you_mean(unit, list(plan.variables))
        yield Fault("P018", "data.unit", "the unit must be a variable with the role identifier.", hint)


def _requirements(plan: Plan) -> Iterator[Fault]:
    sensitive = plan.with_role("sensitive")
    dropped = {name for step in plan.steps if isinstance(step, Drop) for name in step.variables}
    for number, requirement in enumerate(plan.requirements):
        name = getattr(requirement, "sensitive", None)
        if name is None:
            continue
        place = f"requirements.{number}.sensitive"
        if name not in sensitive:
            hint = _did_you_mean(name, sensitive) or "Give the variable the role sensitive."
            yield Fault("P019", place, f"{name!r} is not a sensitive variable of the plan.", hint)
        elif name in dropped:
            yield Fault("P013", place, f"{name!r} is dropped, so there is nothing to require of it.")
    models = {requirement.model for requirement in plan.requirements}
    for number, step in enumerate(plan.steps):
        if isinstance(step, SuppressRecords):
            for i, name in enumerate(step.models or []):
                if name not in models:
                    hint = f"The plan requires: {', '.join(sorted(models))}."
                    yield Fault("P021", f"steps.{number}.for.{i}", f"the plan has no requirement {name!r}.", hint)


def _did_you_mean(name: str, known: Sequence[str]) -> str | None:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"Did you mean {near[0]!r}?" if near else None
