"""Does a plan treat its variables as what it declares them to be: names, names in an order, or amounts?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import Fault
from incrowd.plan.lookups import KNOWN
from incrowd.plan.model import Plan
from incrowd.plan.requirements import TCloseness
from incrowd.plan.steps.recode import Recode


def check_scales(plan: Plan, folder: Path) -> Iterator[Fault]:
    """No reckoning with names, and no neighbours where there is no order; and no file that hides what incrowd knows."""
    scales = {name: variable.scale for name, variable in plan.variables.items()}
    for number, step in plan.active:
        asked = [(place, name, "amounts", {"nominal", "ordinal"}) for place, name in step.amounts()]
        asked += [(place, name, "an order", {"nominal"}) for place, name in step.ordered()]
        for place, name, what, unfit in asked:
            if (scale := scales.get(name)) in unfit:
                message = f"{name!r} is declared {scale}, and this step needs {what}."
                hint = "Use recode with a mapping, or a search with auto; or declare another scale."
                yield Fault("P095", f"steps.{number}.{place}", message, hint)
        if isinstance(step, Recode) and step.lookup in KNOWN and os.path.isfile(folder / str(step.lookup)):
            message = f"{step.lookup!r} names regions that incrowd knows, and there is a file of that name, too."
            hint = f"Write {{file: {step.lookup}}} for the file, or give it another name."
            yield Fault("P096", f"steps.{number}.lookup", message, hint)
    for number, requirement in enumerate(plan.requirements):
        if isinstance(requirement, TCloseness) and requirement.distance in ("ordered", "ordered-text"):
            name = requirement.sensitive
            if scales.get(name) == "nominal":
                message = f"the ordered distance needs an order, and {name!r} is declared nominal."
                hint = "Use the distance equal or hierarchical, or declare another scale."
                yield Fault("P094", f"requirements.{number}.distance", message, hint)
