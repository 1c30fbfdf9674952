"""Can a plan that neutralises formulas say what it means?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incrowd.errors import Fault
from incrowd.keys.spreadsheet import neutral
from incrowd.plan.model import Plan


def check_formulas(plan: Plan, left: Sequence[str]) -> Iterator[Fault]:
    """A name of a column stays as it is, and a requirement's value must be the same before and after.

    A condition or a stigmatising value that gets another name in the file would be met by nobody there, and every class
    would pass.
    """
    if plan.release.formulas == "keep":
        return
    for name in left:
        if neutral(name) != name:
            message = f"a spreadsheet would run the name of the column {name!r}, and names of columns are not changed."
            yield Fault("P085", "release.formulas", message, "Rename the column in the source, or drop it.")
    for number, requirement in enumerate(plan.requirements):
        if any(neutral(value) != value for value in requirement.values()):
            message = "it names a value that is neutralised in the release."
            yield Fault("P086", f"requirements.{number}", message, "Recode the value before, and name the new one.")
