"""Which last step loses least? Tried on the counted classes of the file itself, before a starter plan names it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from incrowd.audit.log import Snapshot
from incrowd.errors import InputError, NotReleasable
from incrowd.keys.compiling import once_compiled
from incrowd.keys.local import LocalRecoding, recode_locally
from incrowd.keys.search.lattice import LatticeSearch
from incrowd.keys.search.lattice import search as find
from incrowd.keys.table import KeyTable
from incrowd.pipeline.open import context_of
from incrowd.plan import Plan, inspect_plan
from incrowd.plan.codebook import codebook_of
from incrowd.plan.steps.search import Search
from incrowd.profiling import Ending
from incrowd.protect import UNIT, Context, State, protect
from incrowd.protect.search import hierarchies_of
from incrowd.report.words import listed
from incrowd.rows import Rows
from incrowd.rows.tabulate import tabulate
from incrowd.secret import new_secret

#: A plan that loses more than this share of the records is no start.
MOST_LOST = 0.1
#: What the search may suppress, tried in this order: where people have several records, all of theirs go with one.
_SUPPRESSED = (0.05, 0.02, 0.0)
#: A search is stopped after so long, and its levels are pinned: a large lattice is never searched to its end.
_SECONDS = 15.0
#: More records are not tried: counting them takes too long for a first look.
_RECORDS = 2_000_000
#: With more classes a recoding for each of them, or a choice of cells to blank, takes long.
_CLASSES = 5_000
#: A search that loses more than this share of the detail is compared with a recoding per class, which must be clearly
#: better: its mixed labels have their price.
_MUCH, _BETTER = 0.4, 2 / 3


def try_endings(rows: Rows, records: int, start: Ending, write: Callable[[Ending], str]) -> Ending:
    """The ending that loses least on these rows, with what it costs. `write` makes the plan's text of an ending.

    Figures are measured on the file as it is now, by the steps themselves. A file that is too large, or in which
    nothing holds, keeps the ending that it came with, and says so.
    """
    plan = inspect_plan(write(start), Path()).plan
    if plan is None or not records or not plan.steps or not isinstance(plan.steps[-1], Search):
        return start
    if records > _RECORDS:
        return replace(start, cost=f"Not tried: {records:,} records are many. Look at what the run loses.")
    try:
        return _least(plan, rows, start, write)
    except InputError as error:
        return replace(start, cost=f"Could not be tried on this file: {error}")


def _least(plan: Plan, rows: Rows, start: Ending, write: Callable[[Ending], str]) -> Ending:
    """The first ending that loses few records; they are in the order of what else they cost."""
    last = plan.steps[-1]
    assert isinstance(last, Search)
    state, context = _before_last(plan, rows)
    candidates: list[Callable[[], Ending]] = [
        partial(_searched, replace(start, suppression=share), last, state, context) for share in _SUPPRESSED
    ]
    if plan.data.unit is None and state.table.classes <= _CLASSES:
        candidates.append(partial(replace, start, way="cells"))
    for candidate in candidates:
        try:
            tried = _carried_out(candidate(), write, state, context)
        except NotReleasable:
            continue
        if tried is not None:
            return tried
    return replace(start, cost=f"Tried on this file: nothing holds with k = {start.k}, and nothing can be released.")


def _before_last(plan: Plan, rows: Rows) -> tuple[State, Context]:
    """The rows and their classes after all steps but the last."""
    keys = plan.with_role("key")
    rows = rows.as_text(keys)
    if plan.data.unit is not None:
        rows = rows.copy(plan.data.unit, UNIT)
    inside = plan.model_copy(update={"data": plan.data.model_copy(update={"codes": None})})  # the rows have its words
    context = context_of(plan, Path(), new_secret(), codebook_of(inside, Path(), rows.book), {})
    state = State(rows, tabulate(rows, keys, (), UNIT if plan.data.unit is not None else None))
    for number, step in enumerate(plan.steps[:-1], start=1):
        state, _ = protect(step, number, state, context)
    return context.bind(state), context


def _searched(ending: Ending, step: Search, state: State, context: Context) -> Ending:
    """One level for each key; or a recoding for each class, where that keeps much more."""
    trees = hierarchies_of(step, state, context)
    levels = [tree.bind(domain) for tree, domain in zip(trees.values(), state.table.domains, strict=True)]
    goal = (state.table, levels, state.bound)

    def find_timed() -> tuple[LatticeSearch, float]:
        begun = time.perf_counter()
        return find(*goal, suppression=ending.suppression, time_limit=_SECONDS), time.perf_counter() - begun

    found, seconds = once_compiled(find_timed)
    if seconds >= _SECONDS:
        ending = replace(ending, levels=found.levels)
    best = replace(ending, cost=_detail(found))
    if found.loss_arithmetic <= _MUCH or context.has_unit or state.table.classes > _CLASSES:
        return best
    try:
        local = once_compiled(partial(recode_locally, *goal, suppression=ending.suppression, seconds=_SECONDS))
    except (InputError, NotReleasable):
        return best
    if local.stopped or local.loss_arithmetic > _BETTER * found.loss_arithmetic:
        return best
    cost = f"{_detail(local)} (one level for each key: {found.loss_arithmetic:.0%})"
    return replace(ending, way="local", levels={}, cost=cost)


def _detail(found: LatticeSearch | LocalRecoding) -> str:
    return f"{found.loss_arithmetic:.0%} of the detail of the keys"


def _carried_out(ending: Ending, write: Callable[[Ending], str], state: State, context: Context) -> Ending | None:
    """The ending with what it costs, as its step says when it is carried out; None where too much is lost."""
    plan = inspect_plan(write(ending), Path()).plan
    assert plan is not None
    before, told = int(state.table.records.sum()), _telling(state.table)
    state, change = protect(plan.steps[-1], len(plan.steps), state, context)
    after = Snapshot.of(state.table)
    lost = 1 - after.records / before
    if lost > MOST_LOST:
        return None
    detail = ending.cost or f"{change.cells_changed:,} cells"
    cost = f"Tried on this file: it loses {lost:.1%} of the records and {detail}; k = {after.smallest:,}."
    if emptied := [name for name in told if name not in _telling(state.table)]:
        which = f"{listed(emptied, 6)} {'is' if len(emptied) == 1 else 'are'}"
        cost += f"\n{which} left with one value. What must stay needs weight (weights: {{name: 5}}), or fewer keys."
    return replace(ending, cost=cost)


def _telling(table: KeyTable) -> list[str]:
    """The keys that have more than one value, and so tell something."""
    there = table.records > 0
    return [name for name, codes in zip(table.names, table.codes, strict=True) if len(np.unique(codes[there])) > 1]
