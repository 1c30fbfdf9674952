"""The log of an earlier run, read as plain data: what a later comparison needs of it, and no more.

Logs of other versions may have more fields or fewer; what is not there is taken as not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from incrowd.attack.value import Attacked, Rate


@dataclass(frozen=True)
class PastStep:
    """One step of an earlier run."""

    number: int
    name: str
    title: str
    records_removed: int
    cells_changed: int
    records: int
    classes: int
    uniques: int
    smallest: int


@dataclass(frozen=True)
class PastVerdict:
    """What the gate found for one requirement."""

    requirement: str
    passed: bool
    achieved: float | None


@dataclass(frozen=True)
class PastRisk:
    """One figure of one scenario, after the last step."""

    scenario: str
    name: str
    method: str
    value: float | None


@dataclass(frozen=True)
class PastRun:
    """An earlier run."""

    title: str
    tier: str
    steps: tuple[PastStep, ...]
    verdicts: tuple[PastVerdict, ...]
    risks: tuple[PastRisk, ...]
    attacks: tuple[Attacked, ...]
    use_cases: Mapping[str, bool]
    loss: Mapping[str, float]

    @staticmethod
    def of(log: Mapping[str, Any]) -> PastRun:
        """Read a log."""
        utility = log.get("utility") or {}
        return PastRun(
            title=str(log.get("title", "")),
            tier=str(log.get("tier", "")),
            steps=tuple(_step(step) for step in log.get("steps", ())),
            verdicts=tuple(
                PastVerdict(one["requirement"], bool(one["passed"]), one.get("achieved"))
                for one in log.get("verdicts", ())
            ),
            risks=tuple(risk for one in log.get("risks", ()) for risk in _risks(one.get("after"))),
            attacks=tuple(_attacked(one) for one in log.get("attacks", ())),
            use_cases={one["use_case"]: bool(one["passed"]) for one in utility.get("outcomes", ())},
            loss={
                name: float(value)
                for name, value in (utility.get("loss") or {}).items()
                if isinstance(value, int | float) and not isinstance(value, bool)
            },
        )


def _step(step: Mapping[str, Any]) -> PastStep:
    after = step["after"]
    return PastStep(
        step["number"], step["name"], step["title"], step["records_removed"], step["cells_changed"],
        after["records"], after["classes"], after["uniques"], after["smallest"],
    )  # fmt: skip


def _risks(measured: Mapping[str, Any] | None) -> Iterable[PastRisk]:
    for risk in () if measured is None else (*measured.get("risks", ()), *measured.get("worth", ())):
        yield PastRisk(risk["scenario"], risk["name"], risk["method"], risk.get("value"))


def _attacked(one: Mapping[str, Any]) -> Attacked:
    known = {field.name for field in fields(Attacked)}
    given = {name: value for name, value in one.items() if name in known}
    for name in ("success", "control", "claimed", "outsiders"):
        rate = given.get(name)
        given[name] = None if rate is None or not rate["tries"] else Rate(rate["hits"], rate["tries"])
    if given["success"] is None:  # an older audit may have counted none of none as a figure
        given["why"] = given.get("why") or "nobody was tried"
    return Attacked(**{**given, "worst": ()})
