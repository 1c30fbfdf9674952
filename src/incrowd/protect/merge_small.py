"""merge_small: put the values that too few people have together."""

from __future__ import annotations

from incrowd.keys.merging import merge_into_one, merge_into_parents
from incrowd.plan.steps.numbers import MergeSmall
from incrowd.protect.methods import carries_out
from incrowd.protect.state import Change, Context, State
from incrowd.protect.values import changed_cells, relabel, value_people, value_records
from incrowd.rows.lookup import read_hierarchy


@carries_out(MergeSmall)
def merge_small(step: MergeSmall, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Which values are too rare to be shown? They become one group, or the rest of their parent, and the group is
    large enough itself. Missing stays missing, and is no group that others join.
    """
    people = value_people(state, step.variable, context)
    if step.into is not None:
        named = merge_into_one(people, step.fewer_than, step.into, step.variable)
    else:
        hierarchy = read_hierarchy(context.folder / str(step.hierarchy), step.variable)
        named = merge_into_parents(people, step.fewer_than, hierarchy)
    merged = [value for value, label in named.items() if label != value and people[value]]
    nobody = people.get(None, 0)
    notes = (
        f"{len(merged):,} of {sum(n > 0 for n in people.values()):,} values merged, limit {step.fewer_than}",
        *(
            (f"the {nobody:,} with a missing value are fewer than that, and stay",)
            if 0 < nobody < step.fewer_than
            else ()
        ),
    )
    cells = changed_cells(value_records(state, step.variable), named)
    after = relabel(state, step.variable, named, compared=True)
    return after, Change(f"merge small values of {step.variable}", 0, cells, notes=notes)
