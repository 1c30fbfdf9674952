"""What is known beside the records when risk is measured: of a plan, or as somebody says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.keys.hierarchy import Hierarchy
from incrowd.plan import Plan
from incrowd.risk.value import EVERYTHING, Scenario
from incrowd.rows import Reading, Source
from incrowd.rows.lookup import read_hierarchy


@dataclass(frozen=True)
class Background:
    """What is known beside the records."""

    weights: str | None = None
    household: str | None = None
    unit: str | None = None
    fraction: float | None = None
    imputed: float = 0.0
    population: Source | None = None
    population_count: str | None = None
    population_reading: Reading | None = None  # how its file is read, where it does not tell itself
    levels: Mapping[str, Hierarchy] | None = None  # a scenario's geography: key -> its hierarchy


def plan_scenarios(plan: Plan) -> list[Scenario]:
    """The scenarios of a plan, or one in which all keys are known."""
    if not plan.scenarios:
        return [Scenario(EVERYTHING, tuple(plan.with_role("key")))]
    return [Scenario(s.name, tuple(s.keys), dict(s.error), s.knows_who_is_in) for s in plan.scenarios]


def plan_background(plan: Plan, folder: Path) -> Background:
    """What a plan knows beside the records."""
    data, protection = plan.data, plan.data.protection
    levels = {}
    for scenario in plan.scenarios:
        if scenario.geography is not None and scenario.geography.hierarchy is not None:
            levels[scenario.geography.key] = read_hierarchy(
                folder / scenario.geography.hierarchy, scenario.geography.key
            )
    return Background(
        data.weights, data.household, data.unit,
        None if protection is None else protection.sampling_fraction,
        0.0 if protection is None else protection.imputed_share,
        None if data.population is None else folder / data.population.source,
        None if data.population is None else data.population.count,
        None if data.population is None else data.population.reading, levels,
    )  # fmt: skip
