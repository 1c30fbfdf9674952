"""The scenarios of a plan, measured on the file as it came and on what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.plan import Plan
from incrowd.protect import InEngineState, State
from incrowd.risk.background import plan_scenarios
from incrowd.risk.measure import Measured, measure_scenario, spread_weights
from incrowd.risk.value import Scenario
from incrowd.rows.figures import weigh


@dataclass(frozen=True)
class RiskLog:
    """One scenario before the first step and after the last; None when none of its keys is released."""

    before: Measured
    after: Measured | None


def measure_run(plan: Plan, start: State | InEngineState, end: State | InEngineState) -> tuple[RiskLog, ...]:
    """The scenarios of the plan, measured before the first step and after the last.

    Where the plan does not say which share of the population the file is, a sample from it says: no more than it was
    drawn from. That takes the file for its population, and can only make the risk look larger. Sampling weights count
    where the rows have them and a record is a person; weights of records that were sampled again are no such weights.
    """
    if not plan.scenarios or isinstance(start, InEngineState) or isinstance(end, InEngineState):
        return ()
    protection = plan.data.protection
    fraction = None if protection is None else protection.sampling_fraction
    imputed = 0.0 if protection is None else protection.imputed_share
    after = None if fraction is None else fraction * end.table.people / max(start.table.people, 1)
    if after is None and plan.data.population is None and end.sampled < 1:
        after = end.sampled

    def measured(state: State, scenario: Scenario, part: float | None) -> Measured | None:
        keys = [key for key in scenario.keys if key in state.table.names]
        if not keys or not state.table.classes:
            return None
        table, weights, by = state.table.project(keys)[0], None, plan.data.weights
        if by in state.rows.columns and by is not None and plan.data.unit is None and state.sampled == 1:
            weights = spread_weights(table, weigh(state.rows, keys, by)[1])
        return measure_scenario(table, scenario, fraction=part, imputed=imputed, weights=weights)[0]

    found = []
    for scenario in plan_scenarios(plan):
        if (before := measured(start, scenario, fraction)) is not None:
            found.append(RiskLog(before, measured(end, scenario, after)))
    return tuple(found)
