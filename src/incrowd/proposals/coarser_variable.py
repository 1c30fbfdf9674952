"""What can be done to one variable of a plan, from the next coarser step to leaving it out, as steps to put into it.

Intruders who found people tell which variables they found them by. Unlike the search for a plan, which decides about
all variables together, this keeps the plan as its author wrote it and changes as little as it can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.attack.knowledge import whole_of
from incrowd.attack.situation import fetch
from incrowd.keys.table import KeyTable
from incrowd.pipeline.live import Live
from incrowd.plan import Plan
from incrowd.plan.check import check_plan, released_columns
from incrowd.plan.steps.suppress import SuppressCells
from incrowd.proposals.goal import with_parts
from incrowd.proposals.information import Given, entropy
from incrowd.proposals.space import fixed_steps, kept_anyway, ladders_of
from incrowd.proposals.values import treatments_of
from incrowd.protect import State, require_in_memory
from incrowd.protect.hierarchies import people_of

#: So many coarser levels are tried, beside leaving it out.
LEVELS = 2
#: What a blank in another key costs, where those of one are wanted.
SPARED = 20.0


@dataclass(frozen=True)
class VariableChange:
    """Steps for a plan that make one variable tell less. `at` is where they come, from 0."""

    variable: str
    words: str
    steps: tuple[Mapping[str, Any], ...]
    at: int
    drops: bool = False


def put_in(plan: Plan, change: VariableChange, reason: str) -> Plan:
    """The plan with these steps, each with the reason."""
    steps = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in plan.steps]
    steps[change.at : change.at] = with_reason(change, reason)
    return with_parts(plan, steps=steps)


def with_reason(change: VariableChange, reason: str) -> list[dict[str, Any]]:
    """The steps of a change as a plan has them."""
    return [{**step, "reason": reason} for step in change.steps]


def changes_to(live: Live, plan: Plan, folder: Path, name: str) -> list[VariableChange]:
    """All that can be done to a released variable so that the plan still has no fault; the least first."""
    return [
        change
        for change in _changes(live, plan, folder, name)
        if not check_plan(put_in(plan, change, "tried"), folder)
    ]  # fmt: skip


def _changes(live: Live, plan: Plan, folder: Path, name: str) -> Iterator[VariableChange]:
    """A step before classes are decided lets the rest of the plan make the best of it. Where a later step goes by the
    variable, the new one comes last.
    """
    fixed = fixed_steps(plan)
    later = {named for number, step in plan.active if number >= fixed for _, named in step.named()}
    at = len(plan.steps) if name in later else fixed
    state = require_in_memory(live.after(_first(plan, at)).state, "a change of the plan")
    if name in state.table.names:
        ladder = ladders_of(plan, state.table, folder, live.opened.book)[name]
        rungs = [rung for rung in ladder.rungs[1:-1] if rung.steps][:LEVELS]
        for rung in rungs:
            yield VariableChange(name, rung.words, tuple(rung.steps), at)
        yield from _blanked(plan, name)
    else:
        for treatment in _ways(live, state, name)[1 : 1 + LEVELS]:
            yield VariableChange(name, treatment.words, treatment.steps, at)
    if name not in kept_anyway(plan):
        yield VariableChange(name, "left out", ({"step": "drop", "variables": [name]},), at, drops=True)


def _first(plan: Plan, many: int) -> Plan:
    return plan.model_copy(update={"steps": plan.steps[:many]})


def _ways(live: Live, state: State, name: str) -> list[Any]:
    given = Given.of(name, whole_of(fetch(state.rows, [name])[name]), live.opened.book.missing.get(name, ()))
    coded = bool(live.opened.book.codes.get(name)) or live.opened.book.scales.get(name) in ("nominal", "ordinal")
    return list(treatments_of(given, perturb=False, drop=False, book=live.opened.book, amount=not coded))


def _blanked(plan: Plan, name: str) -> Iterator[VariableChange]:
    """Local suppression: its cells go where a class is smaller than twice what is required."""
    sizes = [getattr(one, "k", None) for one in plan.requirements]
    k = 2 * max([size for size in sizes if isinstance(size, int)], default=1)
    others = [key for key in plan.with_role("key") if key != name and key in released_columns(plan)]
    per_record = any(isinstance(step, SuppressCells) or step.per_record for _, step in plan.active)
    if k > 1 and not per_record and plan.data.population is None:
        step = {"step": "suppress_cells", "k": k, "weights": dict.fromkeys(others, SPARED)}
        if not others:
            del step["weights"]
        words = f"its cells blanked, rather than those of other keys, in classes of fewer than {k}"
        yield VariableChange(name, words, (step,), len(plan.steps))


def taken_away(live: Live, plan: Plan, changed: Plan, name: str) -> float | None:
    """Which share of what the variable told is gone: 1 where it is left out, 0 where nothing changes. In bits over all
    records; a blank tells nothing. None where it told nothing before.
    """
    before = _told(live, plan, name)
    return None if not before else min(max(1 - _told(live, changed, name) / before, 0.0), 1.0)


def _told(live: Live, plan: Plan, name: str) -> float:
    state = require_in_memory(live.after(plan).state, "a change of the plan")
    if name in state.table.names:
        counts = _there(state.table, name)
    elif name in state.rows.columns:
        given = Given.of(name, whole_of(fetch(state.rows, [name])[name]))
        counts = [int(n) for value, n in zip(given.values, given.counts, strict=True) if value is not None]
    else:
        return 0.0
    return sum(counts) * entropy(counts)


def _there(table: KeyTable, name: str) -> list[int]:
    return [number for value, number in people_of(table, name).items() if value is not None]
