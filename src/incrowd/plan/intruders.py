"""Can the attacks of a plan be tried at all? Which attacks there are, only their room knows: it checks the names."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.model import Plan


def check_attacks(plan: Plan) -> Iterator[Fault]:
    """They name scenarios of the plan, and an engine works on it that can tell whose record is whose."""
    scenarios = [scenario.name for scenario in plan.scenarios]
    for number, attack in plan.attacks:
        place = f"attack.{number}"
        for i, name in enumerate(attack.scenarios or []):
            if name not in scenarios:
                hint = did_you_mean(name, scenarios) or "Describe it under scenarios."
                yield Fault("P056", f"{place}.scenarios.{i}", f"the plan has no scenario {name!r}.", hint)
        for field, files, denied in (
            ("others", attack.others, plan.attest.no_other_release), ("tables", attack.tables, plan.attest.no_tables),
        ):  # fmt: skip
            if files and denied is not None:
                word = "no_other_release" if field == "others" else "no_tables"
                message = f"the attack names {field}, and attest: {word} says that there are none."
                yield Fault("P080", f"{place}.{field}", message, f"Take attest: {word} out, or the files.")
        if plan.data.engine != "duckdb":
            message = "an attack must know whose record is whose, and only DuckDB on this machine can tell it."
            hint = "Attack the release of a sample with engine: duckdb, or switch the attack off."
            yield Fault("P057", place, message, hint)
