"""incrowd check: all faults of a plan at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Json
from incrowd.cli._terminal import say


@root.command()
def check(
    plan: Annotated[Path | None, typer.Argument(help="The release plan, a YAML file.")] = None,
    json_: Json = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of plans instead.")] = False,
) -> None:
    """Show all faults of a plan at once, each with a code, a line and a way out. Exit code 2 when there are any."""
    from incrowd.errors import InputError, PlanError
    from incrowd.plan import Plan
    from incrowd.tasks.check import check as look

    if schema:
        say(json.dumps(Plan.model_json_schema(by_alias=True), indent=1))
        return
    if plan is None:
        raise InputError("D019", "no plan is named.", "Say: incrowd check plan.yaml")
    found = look(plan)
    if found.plan is None or found.faults:
        raise PlanError(list(found.faults))
    missing = found.not_attested
    if json_:
        say(
            json.dumps(
                {"faults": [], "unconfirmed": found.plan.unconfirmed, "not_attested": missing, "notes": found.notes}
            )
        )
    else:
        numbers = (len(found.plan.variables), len(found.plan.steps), len(found.plan.requirements))
        say(f"{plan} has no faults. Variables: {numbers[0]}, steps: {numbers[1]}, requirements: {numbers[2]}.")
        for note in found.notes:
            say(f"note: {note}")
        if found.plan.unconfirmed:
            many = len(found.plan.unconfirmed)
            say(f"Roles that are only suggested ({many}): nobody has written the reason. The internal report says so.")
        if missing:
            named = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
            say(f"Not attested yet ({len(missing)}): {named}. The internal report shows them as missing.")
