"""Does a plan that measures distances along a hierarchy release the values that stand in it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import Fault, InputError
from incrowd.keys.hierarchies import parse_arx
from incrowd.keys.hierarchy import Hierarchy
from incrowd.machine.paths import must_be_file
from incrowd.plan.model import Plan
from incrowd.plan.requirements import TCloseness
from incrowd.plan.steps import AnyStep
from incrowd.plan.steps.recode import Recode


def check_distances(plan: Plan, folder: Path) -> Iterator[Fault]:
    """A sensitive variable that is recoded by one hierarchy needs another that starts where the first one led.

    A fault only where no value that can come out is in it: which of them occur, the data tell and not the plan.
    """
    for number, requirement in enumerate(plan.requirements):
        if not isinstance(requirement, TCloseness) or requirement.hierarchy is None:
            continue
        last = _last_recode(plan, requirement.sensitive)
        if last is None or last.hierarchy is None or last.level is None:
            continue
        led, asked = _hierarchy(folder / last.hierarchy), _hierarchy(folder / requirement.hierarchy)
        if led is None or asked is None or last.level > led.height:
            continue  # said where they are opened
        if {row[last.level] for row in led.rows}.isdisjoint(asked.leaves):
            message = f"{requirement.sensitive!r} is recoded to values that this hierarchy does not start from."
            hint = "Name a hierarchy whose first column holds the recoded values."
            yield Fault("P088", f"requirements.{number}.hierarchy", message, hint)


def _last_recode(plan: Plan, name: str) -> Recode | None:
    """The step that makes the released values, when it is a recode."""
    changing: list[AnyStep] = [step for _, step in plan.active if name in step.alters()]
    return changing[-1] if changing and isinstance(changing[-1], Recode) else None


def _hierarchy(path: Path) -> Hierarchy | None:
    """A hierarchy file, or None when it is none: that has a code of its own."""
    try:
        must_be_file(path)
        return parse_arx(path.read_text(encoding="utf-8-sig"), path.stem)
    except (InputError, UnicodeDecodeError):
        return None
