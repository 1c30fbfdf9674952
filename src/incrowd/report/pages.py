"""The two reports of a run: the internal one for those who decide, the public one that goes with the file.

The internal report follows the fifteen points that a review board expects to read (points.py); the public one is made
from `PublicFacts` only, never from the log: what is not in that value cannot leak. To add a section, write its template
and name it in INTERNAL or PUBLIC; the contents list follows by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from incrowd.audit.log import LARGEST_K, RunLog, StepLog
from incrowd.audit.manifest import AuditManifest
from incrowd.audit.signing import PublicKey
from incrowd.errors import visible
from incrowd.keys.saying import fixed, percent, percents, sentence
from incrowd.report import words
from incrowd.report.board.advice import advise
from incrowd.report.board.crosswalk import GUIDES, crosswalk
from incrowd.report.board.points import points
from incrowd.report.board.residual import residuals
from incrowd.report.facts import HIDDEN_BELOW, PublicFacts, required_k
from incrowd.risk.before_after import RiskLog
from incrowd.risk.measure import Measured
from incrowd.risk.tables import TableLine
from incrowd.risk.value import Risk

#: Tables of each number of keys in the report, those with most uniques.
SHOWN = 4


@dataclass(frozen=True)
class Section:
    """A part of a report: its anchor, its heading and its template."""

    name: str
    title: str
    template: str


INTERNAL = (
    Section("decision", "Decision", "internal/decision.html"),
    Section("situation", "The data situation", "internal/situation.html"),
    Section("consultation", "Consultation and use cases", "internal/consultation.html"),
    Section("variables", "Variables and their roles", "internal/variables.html"),
    Section("scenarios", "Scenarios and external data", "internal/scenarios.html"),
    Section("before-after", "Before and after", "internal/before_after.html"),
    Section("risk", "Risk by scenario, before and after", "internal/risk.html"),
    Section("treatment", "Treatment log", "internal/treatment.html"),
    Section("attacks", "Attacks on the release", "internal/attacks.html"),
    Section("intruder-test", "The human intruder test", "internal/intruder_test.html"),
    Section("utility", "What analysts keep, and who was removed", "internal/utility.html"),
    Section("alternatives", "Alternatives rejected, and their price", "internal/alternatives.html"),
    Section("residual", "What this does not protect against", "internal/residual.html"),
    Section("crosswalk", "Crosswalk to ICO, UKAN and ONS", "internal/crosswalk.html"),
    Section("incidents", "Incidents, monitoring and how to reproduce it", "internal/incidents.html"),
)
PUBLIC = (
    Section("decision", "The decision", "public/decision.html"),
    Section("glance", "The release at a glance", "public/glance.html"),
    Section("requirements", "What was required, and what the file achieves", "public/requirements.html"),
    Section("classes", "How large the crowds are", "public/classes.html"),
    Section("columns", "Columns", "public/columns.html"),
    Section("use-cases", "What it can be used for", "public/use_cases.html"),
    Section("residual", "What this does not protect against", "public/residual.html"),
    Section("readers", "What a reader should know", "public/readers.html"),
)


def internal_report(log: RunLog, manifest: AuditManifest | None = None) -> str:
    """What was done to the file, why, and does it hold? The report for those who decide. It must stay inside."""
    from incrowd.report.charts import run as charts  # altair takes a second to import: only who wants a report pays

    who = "records" if log.unit is None else "people"
    lost = charts.records_lost(log.steps)
    shown = changing(log.steps)
    return _render(
        "internal",
        INTERNAL,
        title=log.title,
        tier=log.tier,
        log=log,
        about=log.about,
        manifest=manifest,
        points=points(log),
        advice=advise(log),
        crosswalk=crosswalk(log),
        guides=GUIDES,
        remaining=residuals(log),
        conditions=(*words.CONDITIONS.get(log.tier, ()), *log.about.conditions),
        lost=words.share(log.start.records - log.end.records, log.start.records),
        who=who,
        required_k=required_k(log.verdicts),
        ks=range(2, LARGEST_K + 1),
        panels=[(step, _svg(charts.class_sizes(step))) for step in shown],
        unchanged=[step.number for step in log.steps if step not in shown],
        by_step=_svg(charts.classes_by_step(log.steps)),
        lost_chart=None if lost is None else _svg(lost),
        lost_rows=[(step, reason, n) for step in log.steps for reason, n in charts.lost_rows(step)],
        below=_svg(charts.people_below(log.steps, who)),
        risks=[(risk, *_heat_maps(risk), risk_rows(risk)) for risk in log.risks],
        attack_chart=_attacks(log),
        tables=[
            (risk, risk.before.tables or (risk.after and risk.after.tables), table_rows(risk)) for risk in log.risks
        ],
        utility=log.utility,
        frontier=_frontier(log),
        **_tested(log),
    )


def public_report(log: RunLog, key: PublicKey | None = None) -> str:
    """What is in the released file, which requirements does it meet, and how much was lost? To publish with it."""
    from incrowd.report.charts import run as charts

    facts = PublicFacts.of(log)
    return _render(
        "public",
        PUBLIC,
        title=facts.title,
        tier=facts.tier,
        facts=facts,
        key=key,
        residuals=words.RESIDUALS,
        hidden_below=HIDDEN_BELOW,
        sizes_chart=_svg(charts.released_sizes(facts.sizes)) if facts.sizes else None,
    )


def changing(steps: Sequence[StepLog]) -> list[StepLog]:
    """The steps after which the classes are other ones than before, and the start."""
    return [
        step for before, step in zip((None, *steps), steps, strict=False) if not before or before.after != step.after
    ]


def risk_rows(risk: RiskLog) -> list[tuple[str, str, str, str, str]]:
    """Each figure of a scenario as a row: name, method, before, after, and why it has no value or interval.

    Every figure of either side has its row: what a sample makes possible to estimate is measured of the release alone.
    """
    before, after = _figures(risk.before), {} if risk.after is None else _figures(risk.after)
    absent = "not released" if risk.after is None else words.risk(None)
    rows = []
    for name, method in _in_order(before, after):
        one, then = before.get((name, method)), after.get((name, method))
        left = absent if then is None else words.risk(then)
        rows.append((name.replace("_", " "), method, words.risk(one), left, _reasons(one, then)))
    return rows


def _figures(measured: Measured) -> dict[tuple[str, str], Risk]:
    return {(one.name, one.method): one for one in (*measured.risks, *measured.worth)}


T = TypeVar("T")


def _in_order(before: Iterable[T], after: Iterable[T]) -> list[T]:
    """All of both, each once: those of the first, and where they belong in the second those that only it has."""
    found, there = list(dict.fromkeys(before)), set(before)
    last = -1
    for one in after:
        if one in there:
            last = max(last, found.index(one))
        else:
            last += 1
            found.insert(last, one)
            there.add(one)
    return found


def _reasons(before: Risk | None, after: Risk | None) -> str:
    """What to know of the two figures: once where it is the same."""
    said = [(when, one.why) for when, one in (("as it came", before), ("as it leaves", after)) if one is not None]
    if len({why for _, why in said}) < 2:
        return said[0][1]
    return "; ".join(f"{when}: {why}" for when, why in said if why)


def table_rows(risk: RiskLog) -> list[tuple[str, TableLine | None, TableLine | None]]:
    """The tables of each number of keys with most uniques, as the file came or as it leaves, each in both."""
    sides = [
        {} if one is None or one.tables is None else {frozenset(line.keys): line for line in one.tables.lines}
        for one in (risk.before, risk.after)
    ]
    rows = []
    for size in sorted({len(keys) for side in sides for keys in side}):
        most = [[keys for keys in side if len(keys) == size][:SHOWN] for side in sides]
        for keys in _in_order(*most):
            before, after = sides[0].get(keys), sides[1].get(keys)
            named = before or after
            assert named is not None
            rows.append((" + ".join(named.keys), before, after))
    return rows


def _heat_maps(risk: RiskLog) -> tuple[Markup | None, Markup | None]:
    from incrowd.report.charts.heat import uniques_heat

    states = [(risk.before, "as it came"), (risk.after, "as it leaves")]
    maps = [None if m is None or m.tables is None else _svg(uniques_heat(m.tables, told)) for m, told in states]
    return maps[0], maps[1]


def _attacks(log: RunLog) -> Markup | None:
    from incrowd.report.charts.attacks import attack_rates

    chart = attack_rates(log.attacks)
    return None if chart is None else _svg(chart)


def _frontier(log: RunLog) -> Markup | None:
    from incrowd.report.charts.frontier import frontier

    return None if log.utility is None or log.utility.sweep is None else _svg(frontier(log.utility.sweep))


def _tested(log: RunLog) -> dict[str, Any]:
    from incrowd.report.tested import section

    return section(log.intruder_test)


def _svg(chart: Any) -> Markup:
    from incrowd.report.charts.run import to_svg

    # Safe: the converter escapes the texts of marks, to_svg the alt text.
    return Markup(to_svg(chart))


def _render(audience: str, sections: Sequence[Section], **values: Any) -> str:
    constants: Mapping[str, Any] = {
        "audience": audience,
        "points": {},
        "sections": sections,
        "tiers": words.TIERS,
        "readers": words.READERS,
        "every_reader": words.EVERY_READER,
        "measured": words.measured,
    }
    page: str = _environment().get_template("base.html").render(**{**constants, **values})
    return visible(page)  # Jinja escapes what HTML would act on, this what a reader would not see


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    said = {
        "count": words.count, "figure": words.figure, "seconds": words.seconds, "limit": words.limit,
        "small": words.small, "percent": percent, "first_upper": lambda text: text[:1].upper() + text[1:],
        "fixed": fixed, "sentence": sentence,
    }  # fmt: skip
    environment.filters.update(said)
    environment.globals.update(share=words.share, percents=percents)
    return environment
