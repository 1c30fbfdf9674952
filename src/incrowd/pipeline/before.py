"""Measure what the file exposes as it came, before anything is done to it."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.audit.groups import MOST_CLASSES, achieved_by
from incrowd.pipeline.count import Counted
from incrowd.protect import State
from incrowd.risk.before_after import measure_start
from incrowd.risk.measure import Measured


@dataclass(frozen=True, kw_only=True)
class MeasuredBefore(Counted):
    """The file as it came, with its risk in each scenario and what it reaches of each requirement."""

    risk_before: tuple[Measured, ...]
    at_start: tuple[float | None, ...]  # None where that would cost too much, or cannot be said


def measure_before(counted: Counted) -> MeasuredBefore:
    """The risk of the file as it came in the scenarios of the plan, and how far it is from the requirements."""
    start, required = counted.start, counted.context.requirements
    at_start: tuple[float | None, ...] = tuple(None for _ in required)
    if isinstance(start, State) and start.table.classes <= MOST_CLASSES:
        at_start = tuple(achieved_by(start.table, requirement) for requirement in required)
    return MeasuredBefore(**vars(counted), risk_before=measure_start(counted.plan, start), at_start=at_start)
