"""The decision paper as a page: two sheets of A4 when printed. It stays inside."""

from __future__ import annotations

from incrowd.audit.log import RunLog
from incrowd.audit.manifest import AuditManifest
from incrowd.report import sections
from incrowd.report.board.deciding import decision_paper
from incrowd.report.board.paper import FILLED_IN, KIND, MARKS, SIGNATURES, SIGNED, STAMP, Paper
from incrowd.report.internal import points
from incrowd.report.render import render


def paper_of(log: RunLog, manifest: AuditManifest | None = None) -> Paper:
    """The decision paper of a run, with what its report lacks."""
    stand, titles = points(log), {one.name: one.title for one in sections.internal(log)}
    missing = {titles[name]: point.missing for name, point in stand.items() if point.missing}
    return decision_paper(log, missing, manifest)


def decision_page(paper: Paper) -> str:
    """The paper as HTML."""
    words = {"kind": KIND, "stamp": STAMP, "signatures": SIGNATURES, "signed": SIGNED, "filled_in": FILLED_IN}
    return render("decision.html", paper=paper, marks=MARKS, **words)
