"""The sections of both reports, in one list. To add one, write its template and a line here.

The template is templates/internal/NAME.html or templates/public/NAME.html. It sees what its section gives it, and what
every section of its report sees: `log`, `about`, `manifest`, `lost` and `points` inside; `facts`, `key` and
`hidden_below` in public. The contents list, the numbers and how each point stands follow by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from incrowd.audit.log import RunLog
from incrowd.report import series, values
from incrowd.report.board import leads, missing
from incrowd.report.facts import PublicFacts

Values = Mapping[str, Any]


def _nothing(of: object) -> Values:
    return {}


def _silent(log: RunLog) -> str:
    return ""


def _complete(log: RunLog) -> Iterable[str]:
    return ()


def _always(log: RunLog) -> bool:
    return True


@dataclass(frozen=True)
class InternalSection:
    """A section for those who decide: one point that a review board expects to read."""

    name: str  # its anchor, and its template
    title: str
    values: Callable[[RunLog], Values] = _nothing
    missing: Callable[[RunLog], Iterable[str]] = _complete  # what a machine would fill in and could not, in words
    attested: tuple[str, ...] = ()  # what people must attest for it
    signed: bool = False  # people answer for it by their sign-offs
    applies: Callable[[RunLog], bool] = _always  # whether the run has anything of the kind
    lead: Callable[[RunLog], str] = _silent  # what was found, in one sentence; it stands first

    @property
    def template(self) -> str:
        """Where its words are."""
        return f"internal/{self.name.replace('-', '_')}.html"


@dataclass(frozen=True)
class PublicSection:
    """A section for every reader: it is given public facts, never the log."""

    name: str
    title: str
    values: Callable[[PublicFacts], Values] = _nothing

    @property
    def template(self) -> str:
        """Where its words are."""
        return f"public/{self.name.replace('-', '_')}.html"


SECTIONS: tuple[InternalSection | PublicSection, ...] = (
    InternalSection("decision", "Decision", values.decision, missing.decision, signed=True),
    InternalSection(
        "situation", "The data situation", attested=("data_situation", "lawful_basis"), lead=leads.situation
    ),
    InternalSection(
        "consultation", "Consultation and use cases", missing=missing.consultation,
        attested=("consultation", "transparency"), lead=leads.consultation,
    ),
    InternalSection("variables", "Variables and their roles", missing=missing.variables, lead=leads.variables),
    InternalSection(
        "scenarios", "Scenarios and external data", missing=missing.scenarios, attested=("scenarios", "external_data"),
        lead=leads.scenarios,
    ),
    InternalSection(
        "before-after", "Before and after", values.before_after, missing.before_after, lead=leads.before_after
    ),
    InternalSection("risk", "Risk by scenario, before and after", values.risk, missing.risk, lead=leads.risk),
    InternalSection("treatment", "Treatment log", values.treatment, missing.treatment, lead=leads.treatment),
    InternalSection("attacks", "Attacks on the release", values.attacks, missing.attacks, lead=leads.attacks),
    InternalSection(
        "intruder-test", "The human intruder test", values.intruder_test, missing.intruder_test,
        lead=leads.intruder_test,
    ),
    InternalSection(
        "utility", "What analysts keep, and who was removed", missing=missing.utility, lead=leads.utility
    ),
    InternalSection(
        "alternatives", "Alternatives rejected, and their price", values.alternatives, missing.alternatives,
        lead=leads.alternatives,
    ),
    InternalSection(
        "proposed", "How the plan was found, and what its promises cost", values.proposed,
        applies=lambda log: log.about.proposed is not None, lead=leads.proposed,
    ),
    InternalSection(
        "residual", "What this does not protect against", values.residual, missing.residual,
        attested=("impact", "residual_risk"), lead=leads.residual,
    ),
    InternalSection(
        "crosswalk", "Crosswalk to ICO, UKAN and ONS", values.crosswalk, missing.crosswalk,
        attested=("dpia", "governance", "access"), lead=leads.crosswalk,
    ),
    InternalSection(
        "incidents", "Incidents, monitoring and how to reproduce it", missing=missing.incidents,
        attested=("incident_plan", "monitoring"), lead=leads.incidents,
    ),
    InternalSection(
        "series", "The series", series.section, series.missing, applies=lambda log: log.series is not None,
        lead=leads.series,
    ),
    PublicSection("decision", "The decision", values.public_decision),
    PublicSection("glance", "The release at a glance"),
    PublicSection("requirements", "What was required, and what the file achieves"),
    PublicSection("classes", "How large the crowds are", values.classes),
    PublicSection("columns", "Columns"),
    PublicSection("use-cases", "What it can be used for"),
    PublicSection("residual", "What this does not protect against", values.public_residual),
    PublicSection("readers", "What a reader should know", values.readers),
)  # fmt: skip


def internal(log: RunLog | None = None) -> list[InternalSection]:
    """The sections of the internal report of a run, in order; without a run, those that every report has."""
    there = (one for one in SECTIONS if isinstance(one, InternalSection))
    return [one for one in there if (one.applies is _always if log is None else one.applies(log))]


def public() -> list[PublicSection]:
    """The sections of the public report, in order."""
    return [one for one in SECTIONS if isinstance(one, PublicSection)]
