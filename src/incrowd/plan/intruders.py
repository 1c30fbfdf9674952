"""Can the attack steps of a plan be tried at all?"""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.model import Plan
from incrowd.plan.steps import ATTACK_NAMES, Attack
from incrowd.plan.steps.attack import OUTSIDE


def check_attacks(plan: Plan) -> Iterator[Fault]:
    """They name attacks that there are, and scenarios of the plan, on an engine that can tell whose record is whose."""
    scenarios = [scenario.name for scenario in plan.scenarios]
    for number, step in plan.active:
        if not isinstance(step, Attack):
            continue
        place = f"steps.{number}"
        for i, name in enumerate(step.attacks or []):
            if name not in ATTACK_NAMES:
                hint = did_you_mean(name, ATTACK_NAMES) or f"There are: {', '.join(ATTACK_NAMES)}."
                yield Fault("P055", f"{place}.attacks.{i}", f"{name!r} is no attack.", hint)
        for i, name in enumerate(step.scenarios or []):
            if name not in scenarios:
                hint = did_you_mean(name, scenarios) or "Describe it under scenarios."
                yield Fault("P056", f"{place}.scenarios.{i}", f"the plan has no scenario {name!r}.", hint)
        for field, files, denied in (
            ("others", step.others, plan.attest.no_other_release), ("tables", step.tables, plan.attest.no_tables),
        ):  # fmt: skip
            if files and denied is not None:
                word = "no_other_release" if field == "others" else "no_tables"
                message = f"the step names {field}, and attest: {word} says that there are none."
                yield Fault("P080", f"{place}.{field}", message, f"Take attest: {word} out, or the files.")
        if step.hold_out is not None and step.attacks is not None and not set(step.attacks) & set(OUTSIDE):
            message = "nobody needs to be held out for these attacks."
            yield Fault("P081", f"{place}.hold_out", message, f"It is the control of {' and '.join(OUTSIDE)}.")
        if not plan.data.engine_kind.on_this_machine:
            message = "an attack must know whose record is whose, and only DuckDB on this machine can tell it."
            hint = "Attack the release of a sample with engine: duckdb, or switch the step off."
            yield Fault("P057", place, message, hint)
