"""The fifteen points that a review board expects to read, and how each stands: filled, attested, or missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from incrowd.audit.log import RunLog
from incrowd.report.board.crosswalk import MISSING, crosswalk
from incrowd.report.board.residual import residuals
from incrowd.risk.measure import Measured

#: The names of the sections, in the order of the points, which are numbered from 1.
NAMES = (
    "decision", "situation", "consultation", "variables", "scenarios", "before-after", "risk", "treatment", "attacks",
    "intruder-test", "utility", "alternatives", "residual", "crosswalk", "incidents",
)  # fmt: skip

#: What people must attest for each point.
ATTEST = {
    "situation": ("data_situation", "lawful_basis"),
    "consultation": ("consultation", "transparency"),
    "scenarios": ("scenarios", "external_data"),
    "residual": ("impact", "residual_risk"),
    "crosswalk": ("dpia", "governance", "access"),
    "incidents": ("incident_plan", "monitoring"),
}


@dataclass(frozen=True)
class Point:
    """How one point stands: `filled` by measurements alone, `attested` by people too, or with something `missing`."""

    number: int
    name: str
    status: str
    missing: tuple[str, ...]


def points(log: RunLog) -> dict[str, Point]:
    """How does each of the fifteen points stand?"""
    found = {}
    for number, name in enumerate(NAMES, start=1):
        absent = [point for point in ATTEST.get(name, ()) if log.about.said(point) is None]
        missing = (*_missing(name, log), *(f"an attestation: {point}" for point in absent))
        people = name in ATTEST or name == "decision"
        status = "missing" if missing else "attested" if people else "filled"
        found[name] = Point(number, name, status, missing)
    return found


def _missing(name: str, log: RunLog) -> Iterator[str]:
    """What a machine would fill in and could not."""
    about, utility = log.about, log.utility
    wanted: dict[str, list[tuple[str, object]]] = {
        "decision": [("a requirement", log.verdicts), ("a sign-off: sign_off", about.sign_offs),
                     ("the next review: review", about.review)],
        "consultation": [("use cases", about.use_cases)],
        "variables": [("the variables", log.variables)],
        "scenarios": [("intruder scenarios", log.risks),
                      ("a scenario with response knowledge", _knowing(log, True)),
                      ("a scenario without response knowledge", _knowing(log, False))],
        "before-after": [("uniques in tables of keys: they need scenarios", log.risks)],
        "risk": [("risk in the population: it needs scenarios", log.risks)],
        "attacks": [("attacks on the release", any(one.success is not None for one in log.attacks))],
        "intruder-test": [("a human intruder test with claims", log.human_test and log.human_test.claims)],
        "utility": [("use cases that were compared", utility and utility.outcomes),
                    *((f"a verdict on: {one.use_case}", one.judged) for one in (utility.outcomes if utility else ()))],
        "alternatives": [("alternatives or a sweep", utility and (utility.prices or utility.sweep))],
        "incidents": [("the next review: review", about.review)],
    }  # fmt: skip
    yield from (words for words, there in wanted.get(name, []) if not there)
    if name == "risk":
        yield from _unmodelled(log)
    if name == "treatment" and len(log.steps) == 1:
        yield "protection steps"
    elif name == "treatment":
        bare = [str(step.number) for step in log.steps[1:] if not step.reason]
        if bare:
            yield f"the reason for step {', '.join(bare)}"
    if name == "residual":
        unmeasured = [one.name for one in residuals(log) if not one.measured]
        if unmeasured:
            yield f"a measurement of: {', '.join(unmeasured)}"
    if name == "crosswalk":
        open_points = sum(row.status == MISSING for row in crosswalk(log))
        if open_points:
            yield f"{open_points} points of the guides"


def _knowing(log: RunLog, knows: bool) -> bool:
    return any(risk.before.scenario.knows_who_is_in == knows for risk in log.risks)


def _unmodelled(log: RunLog) -> Iterator[str]:
    """Scenarios of which no figure speaks of the population, and what that needs.

    A release without uniques has none that could be estimated, and a file that is its population needs none.
    """
    alone = ("prosecutor", "uniques", "right_match")
    unknown, unfitted = [], []
    for risk in log.risks:
        left = risk.after
        if left is None or (left.fraction is not None and left.fraction >= 1):
            continue
        models = [one for one in left.risks if not one.name.startswith(alone)]
        if not models and left.fraction is None:
            unknown.append(left.scenario.name)
        elif not any(one.value is not None for one in models) and not _no_uniques(left):
            unfitted.append(left.scenario.name)
    if unknown:
        needs = "it needs a sampling fraction, weights or a population"
        yield f"a model of the population for {', '.join(unknown)}: {needs}"
    if unfitted:
        yield f"a model of the population that gives a figure for {', '.join(unfitted)}: the table says why none does"


def _no_uniques(measured: Measured) -> bool:
    return any(one.name == "uniques" and one.value == 0 for one in measured.risks)
