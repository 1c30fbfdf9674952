"""Do the files of codes that a plan names make sense, and what should its author know of them?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import Fault, InputError, did_you_mean
from incrowd.plan.codebook import read_codes, read_variable_codes
from incrowd.plan.model import Plan

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


def codes_notes(plan: Plan, folder: Path) -> Iterator[str]:
    """Variables that a file of codes speaks of and the plan does not have; and those whose codes are given twice."""
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


def _files(plan: Plan) -> Iterator[tuple[str, str, str | None]]:
    if plan.data.codes is not None:
        yield "data.codes", plan.data.codes, None
    for name, variable in plan.variables.items():
        if isinstance(variable.codes, str):
            yield f"variables.{name}.codes", variable.codes, name
