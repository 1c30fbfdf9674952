"""Do the files of codes that a plan names make sense, and what should its author know of them?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import Fault, InputError, did_you_mean
from incrowd.plan.codebook import read_codes, read_variable_codes
from incrowd.plan.model import Plan
from incrowd.plan.steps.numbers import MergeSmall

#: So many variables are named in a note.
NAMED = 3


def check_codes(plan: Plan, folder: Path) -> Iterator[Fault]:
    """A file of codes that cannot be used. Codes that no record has are no fault: which values occur, the data know."""
    for place, file, name in _files(plan):
        if not (folder / file).is_file():
            continue  # said where files are looked for
        try:
            if name is None:
                read_codes(folder / file)
            else:
                read_variable_codes(folder / file, name)
        except InputError as error:
            yield Fault("P092", place, error.message, error.hint or "Mend the file of codes.")


def check_missing_codes(plan: Plan) -> Iterator[Fault]:
    """Small values that would get the name of one that says why there is none: they would be taken for missing."""
    for number, step in plan.active:
        if isinstance(step, MergeSmall) and step.variable in plan.variables:
            for place, label in (("into", step.into), ("with", step.host)):
                if label is not None and label in plan.variables[step.variable].missing_codes:
                    message = f"this is a code of {step.variable!r} that says why there is no value: it joins no group."
                    yield Fault("P113", f"steps.{number}.{place}", message, "Name a value that is one, or a new name.")


def codes_notes(plan: Plan, folder: Path) -> Iterator[str]:
    """Variables that a file of codes speaks of and the plan does not have; those whose codes are given twice; and
    steps that would reckon with a code for no value.
    """
    yield from _reckoned(plan)
    file = plan.data.codes
    try:
        spoken = {} if file is None or not (folder / file).is_file() else read_codes(folder / file)
    except InputError:
        return
    if unknown := [name for name in spoken if name not in plan.variables]:
        named = ", ".join(unknown[:NAMED]) + (f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else "")
        hint = did_you_mean(unknown[0], list(plan.variables))
        yield f"{file} has codes of variables that the plan does not have: {named}{f' ({hint})' if hint else ''}"
    for name, variable in plan.variables.items():
        if name in spoken and variable.codes is not None:
            yield f"{name} has codes of its own and in {file}: its own go first"


def _reckoned(plan: Plan) -> Iterator[str]:
    """Which codes occur, the data know; that a run stops where one does, the plan tells."""
    changed: set[str] = set()
    for number, step in plan.active:
        for _, name in step.amounts():
            if name in plan.variables and plan.variables[name].missing_codes and name not in changed:
                yield (
                    f"steps.{number}: {step.step} reckons with {name}, and stops where a record has one of its missing "
                    f"codes (D378); derive a column without them: expression: '`{name}` + 0'"
                )
        changed |= {*step.alters()}


def _files(plan: Plan) -> Iterator[tuple[str, str, str | None]]:
    if plan.data.codes is not None:
        yield "data.codes", plan.data.codes, None
    for name, variable in plan.variables.items():
        if isinstance(variable.codes, str):
            yield f"variables.{name}.codes", variable.codes, name
