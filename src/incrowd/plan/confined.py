"""Does a plan keep to its own folder? Where somebody works on another's machine, it may name nothing else there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import InputError
from incrowd.plan.files import named_files
from incrowd.plan.load import inspect_plan
from incrowd.plan.model import Plan


def refuse_outside(text: str, folder: Path) -> None:
    """Refuse a plan that names a file outside its folder, a link that leads out, a database, or code to run.

    Steps and attacks that are switched off count: they can be switched on. A part with faults is not looked at: nothing
    runs with it, and whoever mends it writes the plan again.
    """
    plan = inspect_plan(text, folder).plan
    if plan is None:
        return
    home = folder.resolve()
    for place, name in _named(plan):
        if not (home / name).resolve().is_relative_to(home):
            message = f"{place} names a file outside the plan's folder."
            raise InputError("D425", message, "Upload the file beside the plan, and name it without a folder.")
    code = any(place.startswith("use_cases.") for place, _ in _named(plan))
    elsewhere = plan.data.database or plan.release.table is not None or plan.data.master is not None
    if code or elsewhere:
        what = "code of its own" if code else "a database or another machine"
        message = f"the plan names {what}, and such a plan is run by its owner only."
        raise InputError("D425", message, "Run it on the machine itself, with: incrowd run plan.yaml")


def _named(plan: Plan) -> Iterator[tuple[str, str]]:
    each = [plan, *(plan.of_tier(tier.tier) for tier in plan.tiers)]
    for one in each:
        on = {
            field: [part.model_copy(update={"off": False}) for part in getattr(one, field)]
            for field in ("steps", "attack")
        }
        yield from ((file.place, file.name) for file in named_files(one.model_copy(update=on)))
