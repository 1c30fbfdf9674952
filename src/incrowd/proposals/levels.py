"""By which names may the block `propose` speak of how finely a key is said? For whoever writes it beside the data."""

from __future__ import annotations

from collections.abc import Mapping

from incrowd.pipeline.live import Live
from incrowd.plan import Plan
from incrowd.proposals.ladder import Rung
from incrowd.proposals.space import fixed_steps, ladders_of
from incrowd.protect import require_in_memory


def key_levels(live: Live, plan: Plan) -> Mapping[str, tuple[Rung, ...]]:
    """The levels of each key that is released, the finest first, after the steps of the plan that stay.

    `plan` is one that a search would take (`goal.read_goal_plan`). None are known where the data in memory were counted
    for another plan: a search itself lists the levels of a key when a name is unknown (D396).
    """
    if not live.fits(plan):
        return {}
    first = plan.model_copy(update={"steps": plan.steps[: fixed_steps(plan)]})
    state = require_in_memory(live.after(first).state, "a proposal")
    found = ladders_of(plan, state.table, live.folder, live.opened.book)
    return {name: ladder.rungs for name, ladder in found.items()}
