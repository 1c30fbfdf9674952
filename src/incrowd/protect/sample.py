"""sample: keep a random part of the people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from incrowd.errors import InputError
from incrowd.plan.steps.sample import Sample
from incrowd.protect.methods import carries_out
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows.choose import count_classes, first_of_each, of_those, one_each
from incrowd.rows.people import refuse_split


@carries_out(Sample)
def sample(step: Sample, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Who stays? The first in a keyed order: of records, of people where the plan names a unit, or of households.

    The number is exact. Strata share it by their sizes, fractions going to the largest remainders, so that a stratum
    differs from its share by less than one.
    """
    rows, orders = state.rows, context.orders("who")
    who, what = (context.household, "household") if step.households else (UNIT if context.has_unit else None, "person")
    if context.has_unit and who is not None and who != UNIT:
        refuse_split(rows, UNIT, who)
    drawn = rows if who is None else one_each(rows, who, what, step.by, {})
    counts = count_classes(drawn, step.by)
    total = sum(counts.values())
    wanted = step.count if step.count is not None else round((step.fraction or 0.0) * total)
    what = "record" if who is None else what
    if wanted > total:
        message = f"a sample of {wanted} is asked for, of {total} {what}s."
        raise InputError("D112", message, "Ask for fewer, or leave the step out.")
    if not wanted:
        raise InputError("D113", f"a sample of {total} {what}s with this fraction is empty.", "Raise the fraction.")
    chosen = first_of_each(drawn, step.by, shares(counts, wanted), orders)
    # Settled: each later question would number and sort everybody again.
    rows = (chosen if who is None else of_those(rows, who, chosen)).settled()
    after = context.recount(replace(state, rows=rows))
    people = after.table.people / max(state.table.people, 1)
    removed = int(state.table.records.sum() - after.table.records.sum())
    notes = (
        f"{wanted:,} of {total:,} {what}s, {wanted / total:.4%}",
        *((f"{len(counts):,} strata of {', '.join(step.by)}",) if step.by else ()),
    )
    title = f"sample {what}s" + (f" by {', '.join(step.by)}" if step.by else "")
    return replace(after, sampled=state.sampled * people), Change(title, removed, notes=notes)


def shares(counts: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many does each stratum get? Its share rounded down, and one more for the largest remainders.

    >>> shares({"a": 5, "b": 3, "c": 2}, 5)
    {'a': 3, 'b': 1, 'c': 1}
    """
    total = sum(counts.values())
    quotas = {name: wanted * n // total for name, n in counts.items()}
    rest = sorted(counts, key=lambda name: (-(wanted * counts[name] % total), name))
    for name in rest[: wanted - sum(quotas.values())]:
        quotas[name] += 1
    return quotas
