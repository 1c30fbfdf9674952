"""The internal report, for those who decide: the points that a review board expects to read, and how each stands."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.audit.log import RunLog
from incrowd.audit.manifest import AuditManifest
from incrowd.report import sections, words
from incrowd.report.render import part, render


@dataclass(frozen=True)
class Point:
    """How one point stands: `filled` by measurements alone, `attested` by people too, or with something `missing`."""

    number: int
    name: str
    status: str
    missing: tuple[str, ...]


def internal_report(log: RunLog, manifest: AuditManifest | None = None) -> str:
    """What was done to the file, why, and does it hold? The report for those who decide. It must stay inside."""
    lost = words.share(log.start.records - log.end.records, log.start.records)
    stand = points(log)
    shown = {"log": log, "about": log.about, "manifest": manifest, "lost": lost, "points": stand,
             "called": log.called, "word": log.word, "said": log.book_after.say, "told": log.told}  # fmt: skip
    return render(
        "base.html",
        audience="internal",
        title=log.title,
        tier=log.tier,
        tiers=words.TIERS,
        sections=sections.internal(log),
        points=stand,
        leads={one.name: one.lead(log) for one in sections.internal(log)},
        bodies={one.name: part(one.template, **shown, **one.values(log)) for one in sections.internal(log)},
    )


def points(log: RunLog) -> dict[str, Point]:
    """How does each point of the review board stand? Each is a section, numbered from 1."""
    found = {}
    for number, one in enumerate(sections.internal(log), start=1):
        absent = [point for point in one.attested if log.about.said(point) is None]
        missing = (*one.missing(log), *(f"an attestation: {point}" for point in absent))
        status = "missing" if missing else "attested" if one.attested or one.signed else "filled"
        found[one.name] = Point(number, one.name, status, missing)
    return found
