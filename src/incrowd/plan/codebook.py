"""What the values of a plan's data stand for: what the plan says, then its files of codes, then the data's own file."""

from __future__ import annotations

from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.plan.model import Plan
from incrowd.rows.dialect import sniff
from incrowd.rows.lookup import read_lookup, read_records

#: The columns of a file with the codes of all variables.
COLUMNS = ("variable", "code", "label")


def codebook_of(plan: Plan, folder: Path, source: Codebook | None = None) -> Codebook:
    """What the plan says of its variables' values, over what the data's own file says (`source`). A file of codes may
    speak of more variables than the plan has; those are left out.
    """
    own = Codebook(
        titles={name: one.label for name, one in plan.variables.items() if one.label is not None},
        codes={
            name: read_variable_codes(folder / one.codes, name) if isinstance(one.codes, str) else one.codes
            for name, one in plan.variables.items()
            if one.codes is not None
        },
        missing={name: tuple(one.missing_codes) for name, one in plan.variables.items() if one.missing_codes},
        scales={name: one.scale for name, one in plan.variables.items() if one.scale is not None},
    )
    beside = Codebook() if plan.data.codes is None else Codebook(codes=read_codes(folder / plan.data.codes))
    return own.over(beside.over(source or Codebook())).of(plan.variables)


def read_variable_codes(path: Path, name: str) -> dict[str, str]:
    """The codes of one variable: from a file of its own, or from one with those of all variables."""
    if set(COLUMNS) <= set(sniff(path).columns):
        return read_codes(path).get(name, {})
    return read_lookup(path)


def read_codes(path: Path) -> dict[str, dict[str, str]]:
    """A CSV file with the columns variable, code and label, in any order, among others."""
    found: dict[str, dict[str, str]] = {}
    for number, (variable, code, label) in enumerate(read_records(path, COLUMNS), start=2):
        if found.setdefault(variable, {}).setdefault(code, label) != label:
            raise InputError("D025", f"line {number} of {path.name} gives a code a second label.", "Keep one.")
    return found
