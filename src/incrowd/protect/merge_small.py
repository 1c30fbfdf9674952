"""merge_small: put the values that too few people have together."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.merging import merge_into_one, merge_into_parents
from incrowd.plan.steps.numbers import MergeSmall
from incrowd.protect.methods import carries_out
from incrowd.protect.state import Change, Context, State
from incrowd.protect.values import Named, ValuePeople, changed_cells, relabel, value_people, value_records
from incrowd.rows.lookup import read_hierarchy

#: So many merged values are named in the audit, group by group.
TOLD = 40


@carries_out(MergeSmall)
def merge_small(step: MergeSmall, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Which values are too rare to be shown? They become one group, or the rest of their parent, and the group is
    large enough itself. Missing stays missing, as do the codes that say why; others do not join them.
    """
    people = value_people(state, step.variable, context)
    counts, asked = people.counts, step.fewer_than
    apart = context.book.missing.get(step.variable, ())
    if step.hierarchy is None:
        if step.host is not None and not counts.get(step.host):
            message = f"nobody has the value of {step.variable!r} that is to take the small ones in."
            raise InputError("D366", message, "Name one that occurs at this step (with: ...).")
        into = step.into or str(step.host)
        named = merge_into_one(
            counts, asked, into, step.variable, host=step.host, apart=apart, together=people.together
        )
    else:
        hierarchy = read_hierarchy(context.folder / step.hierarchy, step.variable)
        named = merge_into_parents(counts, asked, hierarchy, apart=apart, together=people.together)
    if any(label in apart and value != label for value, label in named.items()):
        message = f"small values of {step.variable!r} would get the name of one that says why there is none."
        raise InputError("D367", message, "Give the group another name than a missing code has.")
    cells = changed_cells(value_records(state, step.variable), named)
    after = relabel(state, step.variable, named, compared=True)
    notes = tuple(_notes(step, people, named, context.book))
    return after, Change(f"merge small values of {step.variable}", 0, cells, notes=notes)


def _notes(step: MergeSmall, having: ValuePeople, named: Named, book: Codebook) -> Iterator[str]:
    """What was merged into what, for the audit: never for a public page."""
    people = having.counts
    groups: dict[str, list[str]] = {}
    for value, label in named.items():
        if value is not None and label is not None and people[value]:
            groups.setdefault(label, []).append(value)
    groups = {label: values for label, values in groups.items() if values != [label]}
    merged = sum(value != label for label, values in groups.items() for value in values)
    yield f"{merged:,} of {sum(n > 0 for n in people.values()):,} values merged, limit {step.fewer_than}"
    for label, values in groups.items():
        said = [book.both(step.variable, value) for value in sorted(values)]
        more = f" and {len(said) - TOLD:,} more" if len(said) > TOLD else ""
        yield f"{label}: {', '.join(said[:TOLD])}{more} ({having.together(values):,} people)"
    stay = (None, *book.missing.get(step.variable, ()))
    if few := sum(people.get(value, 0) for value in stay if 0 < people.get(value, 0) < step.fewer_than):
        yield f"the {few:,} with a missing value are fewer than that, and stay"
