"""Attacks on a run's release: what each works on, put together from the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from incrowd.attack.situation import Situation, fetch, lines_of
from incrowd.plan import Plan
from incrowd.protect import UNIT, Context, State
from incrowd.risk.value import EVERYTHING, Scenario
from incrowd.rows import Rows
from incrowd.rows.frame import LINE


def situation_of(
    plan: Plan, context: Context, start: State, state: State, traced: Rows, scenario: Scenario | None = None
) -> Situation:
    """What an attack in this scenario works on; without one, all keys are known. Of its keys those count that are
    released. `traced` are the written records with their lines in the source.
    """
    released = list(traced.told)
    keys = tuple(name for name in plan.with_role("key") if name in released)
    scenario = scenario or Scenario(EVERYTHING, keys)
    scenario = replace(scenario, keys=tuple(key for key in scenario.keys if key in keys))
    known = (state.original or state).rows
    told = fetch(known, [name for name in released if name in known.columns], LINE)
    if context.has_unit:
        texts = fetch(start.rows, [UNIT], LINE)[UNIT].combine_chunks()
        people = texts.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    else:
        people = np.arange(told.num_rows)
    return Situation(
        released=fetch(traced, released),
        lines=lines_of(traced),
        known=told,
        people=people.astype(np.int64),
        keys=keys,
        sensitive=tuple(name for name in plan.with_role("sensitive") if name in released),
        scenario=scenario,
        came=lambda columns: fetch(start.rows, columns, LINE),
        draws=lambda *purpose: context.draws("attack", *purpose),
        identifiers=tuple(plan.with_role("identifier")),
        columns=tuple(name for name in plan.variables if name in start.rows.columns),
    )
