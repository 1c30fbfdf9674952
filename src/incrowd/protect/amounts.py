"""What a step reckons with must be amounts: a code for 'no value' is none, whatever number it looks like."""

from __future__ import annotations

from incrowd.errors import InputError
from incrowd.plan.steps import AnyStep
from incrowd.protect.state import Context, State


def refuse_missing_codes(step: AnyStep, state: State, context: Context) -> None:
    """Noise on -9, or a mean with it, would make figures of what is none, and hide that there was no value."""
    for _, name in step.amounts():
        codes = context.book.missing.get(name, ())
        if codes and (found := state.rows.count_of(name, codes)):
            message = f"{found:,} records have a code for no value in {name!r}, and {step.step} would reckon with it."
            way = f"Derive a column that has none in its place, and treat that: expression: '`{name}` + 0'."
            raise InputError("D378", message, way)
