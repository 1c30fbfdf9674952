"""shuffle: deal the values of variables out anew among the records, within strata."""

from __future__ import annotations

from incrowd.plan.steps.perturb import Shuffle
from incrowd.protect.methods import carries_out
from incrowd.protect.perturbing import recount_changed, told
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows.people import give_back, one_value
from incrowd.rows.records import keep_old, permute


@carries_out(Shuffle)
def shuffle(step: Shuffle, number: int, state: State, context: Context) -> tuple[State, Change]:
    """A keyed permutation: each stratum keeps its values and their number, and who has which is chance.

    The variables move together. A cell that is missing stays missing. Where people have several records, one person
    gives their values to all records of another.
    """
    names, rows = step.variables, keep_old(state.rows, step.variables)
    givers, takers = (context.order(side) for side in ("giver", "taker"))
    if context.has_unit:
        people = one_value(rows, UNIT, names, step.strata)
        moved = give_back(rows, permute(people, names, step.strata, givers, takers), UNIT, names)
    else:
        moved = permute(rows, names, step.strata, givers, takers)
    after, changed = recount_changed(moved, names, state, context)
    within = f"within {', '.join(step.strata)}" if step.strata else "in the whole file"
    notes = (f"a keyed permutation {'of people ' if context.has_unit else ''}{within}", told(changed))
    return after, Change(f"shuffle {', '.join(names)}", cells_changed=sum(changed.values()), notes=notes)
