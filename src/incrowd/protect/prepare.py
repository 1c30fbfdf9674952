"""rename, derive: done already as the data were opened (pipeline/prepare.py); here they are told in their place."""

from __future__ import annotations

from incrowd.plan.steps.prepare import Derive, Rename
from incrowd.protect.in_engine import InEngineState
from incrowd.protect.methods import carries_out, carries_out_in_engine
from incrowd.protect.state import Change, Context, State
from incrowd.rows import Rows


@carries_out(Rename)
@carries_out(Derive)
def prepared(step: Rename | Derive, number: int, state: State, context: Context) -> tuple[State, Change]:
    """The records have the column already: nothing was counted without it."""
    return state, _change(step, context)


@carries_out_in_engine(Rename)
@carries_out_in_engine(Derive)
def prepared_in_engine(step: Rename | Derive, state: InEngineState, context: Context) -> tuple[Rows, Change]:
    """The same of rows whose classes are not here."""
    return state.rows, _change(step, context)


def _change(step: Rename | Derive, context: Context) -> Change:
    if isinstance(step, Rename):
        said = ", ".join(f"{old} to {new}" for old, new in step.variables.items())
        return Change(f"rename {said}", notes=("done as the data were opened",))
    why = () if step.weaker_role is None else (f"made from an identifier: {step.weaker_role}",)
    return Change(f"derive {step.into} = {step.expression}", notes=(*context.prepared.get(step.into, ()), *why))
