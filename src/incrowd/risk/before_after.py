"""The scenarios of a plan, measured on the file as it came and on what became of it."""

from __future__ import annotations

from collections.abc import Sequence
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


def measure_start(plan: Plan, start: State | InEngineState) -> tuple[Measured, ...]:
    """The scenarios of the plan, measured before the first step; none where the plan has none, or classes stay in the
    engine.
    """
    if not plan.scenarios or isinstance(start, InEngineState):
        return ()
    found = (_measure(plan, start, scenario, _fraction(plan)) for scenario in plan_scenarios(plan))
    return tuple(one for one in found if one is not None)


def measure_end(
    plan: Plan, start: State | InEngineState, end: State | InEngineState, before: Sequence[Measured]
) -> tuple[RiskLog, ...]:
    """The same scenarios, measured after the last step, beside what they were before the first.

    Where the plan does not say which share of the population the file is, a sample from it says: no more than it was
    drawn from. That takes the file for its population, and can only make the risk look larger.
    """
    if isinstance(start, InEngineState) or isinstance(end, InEngineState):
        return ()
    fraction = _fraction(plan)
    after = None if fraction is None else fraction * end.table.people / max(start.table.people, 1)
    if after is None and plan.data.population is None and end.sampled < 1:
        after = end.sampled
    return tuple(RiskLog(one, _measure(plan, end, one.scenario, after)) for one in before)


def _fraction(plan: Plan) -> float | None:
    protection = plan.data.protection
    return None if protection is None else protection.sampling_fraction


def _measure(plan: Plan, state: State, scenario: Scenario, fraction: float | None) -> Measured | None:
    """One scenario in one state; None when none of its keys is there. Sampling weights count where the rows have them
    and a record is a person; weights of records that were sampled again are no such weights.
    """
    keys = [key for key in scenario.keys if key in state.table.names]
    if not keys or not state.table.classes:
        return None
    protection = plan.data.protection
    imputed = 0.0 if protection is None else protection.imputed_share
    table, weights, by = state.table.project(keys)[0], None, plan.data.weights
    if by in state.rows.columns and by is not None and plan.data.unit is None and state.sampled == 1:
        weights = spread_weights(table, weigh(state.rows, keys, by)[1])
    return measure_scenario(table, scenario, fraction=fraction, imputed=imputed, weights=weights)[0]
