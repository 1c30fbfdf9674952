"""The public report, which goes with the file: made from `PublicFacts` only, never from the log."""

from __future__ import annotations

from incrowd.audit.log import RunLog
from incrowd.audit.signing import PublicKey
from incrowd.report import sections, words
from incrowd.report.facts import HIDDEN_BELOW, PublicFacts
from incrowd.report.render import part, render


def public_report(log: RunLog, key: PublicKey | None = None) -> str:
    """What is in the released file, which requirements does it meet, and how much was lost? To publish with it.

    What is not in `PublicFacts` cannot leak: no section is given anything else of the run.
    """
    facts = PublicFacts.of(log)
    shown = {"facts": facts, "key": key, "hidden_below": HIDDEN_BELOW, "called": facts.called}
    return render(
        "base.html",
        audience="public",
        title=facts.title,
        tier=facts.tier,
        tiers=words.TIERS,
        sections=sections.public(),
        points={},
        leads={},
        bodies={one.name: part(one.template, **shown, **one.values(facts)) for one in sections.public()},
    )
