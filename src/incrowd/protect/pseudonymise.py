"""pseudonymise: identifiers become one HMAC under the secret."""

from __future__ import annotations

from dataclasses import replace

from incrowd.errors import IncrowdError, InputError
from incrowd.plan.steps.columns import Pseudonymise
from incrowd.protect.methods import carries_out
from incrowd.protect.state import Change, Context, State
from incrowd.secret import pseudonyms


@carries_out(Pseudonymise)
def pseudonymise(step: Pseudonymise, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Which records belong to one person, without saying who? HMAC-SHA3-256 over the delimited identifiers.

    Without the secret nobody can test guesses; a hash with a published salt, as in study 2, lets everybody do that.
    The identifiers among the variables are removed; keys among them (a postcode) stay for later steps to treat.
    """
    # A name and no draw: as long as the release is called the same, later runs call people the same. A series says
    # itself what people's names depend on.
    keyed_by = context.pseudonyms_by or (*context.release, "pseudonymise", str(step.number or number))
    subkey = context.secret.subkey(*keyed_by, *((step.into,) if context.pseudonyms_by else ()))
    rows = state.rows.add_text(step.into, step.variables, pseudonyms(subkey, len(step.variables)))
    people, names, shared = rows.compare_distinct(step.variables, step.into)
    if people != names:
        raise IncrowdError("X010", "two different people got the same pseudonym.", "Run again with another secret.")
    if shared and not context.has_unit:
        raise InputError(
            "D069",
            f"{shared} records share their pseudonym with another record, so the release would show whose they are.",
            "Name the unit (data: unit), so that k counts people and not records.",
        )
    gone = [name for name in step.variables if name in context.identifiers]
    notes = (f"{names} different pseudonyms; {shared} records share theirs with another record",)
    cells = int(state.table.records.sum()) * max(len(gone), 1)
    return replace(state, rows=rows.drop(gone)), Change(
        f"pseudonymise {' + '.join(step.variables)} into {step.into}", 0, cells, notes=notes
    )
