"""The decision paper of a run: what is asked, whether it holds, what it is worth beside what it risks, who answers."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.audit.log import RunLog
from incrowd.audit.manifest import MANIFEST, AuditManifest
from incrowd.plan.verdict import Verdict
from incrowd.report.board.advice import UNKNOWN, Advice, advise
from incrowd.report.board.loss import LIMITS, lost
from incrowd.report.board.naming import NAME
from incrowd.report.board.paper import Figure, Line, Paper, Part, Point, more, short
from incrowd.report.board.telling import LEVELS, SENTENCE, done, remains, risk, worth
from incrowd.report.words import ATTACK, TIERS, chance, figure, limit, listed

#: So many requirements, reasons, roles and lines to sign fit on two pages.
REQUIREMENTS_TOLD, REASONS_TOLD, ROLES_TOLD, LINES = 5, 3, 7, 3
MOST_LINES = 5

SIGNING = (
    "Whoever signs has read this paper, decides about the file that it names, and can find every figure of it in the "
    "internal report."
)


def decision_paper(log: RunLog, missing: dict[str, tuple[str, ...]], manifest: AuditManifest | None = None) -> Paper:
    """What does a board sign? `missing` is what each point of the report lacks, by its title."""
    advice = advise(log)
    return Paper(
        title=short(log.title, 120),
        about=_about(manifest),
        figures=tuple(_figures(log, advice)),
        limits=LIMITS,
        decision=_decision(log, advice, missing),
        worth=worth(log),
        risk=risk(log),
        done=done(log),
        remains=remains(log),
        answers=_answers(log),
        signing=SIGNING,
        lines=_lines(log),
    )


def _about(manifest: AuditManifest | None) -> str:
    if manifest is None:
        return "This paper was made without the files of a run."
    plan = f"the plan with the SHA-256 {manifest.plan_sha256}"
    if not manifest.release:
        return f"Nothing was released by {plan}."
    named = next((one.sha256 for one in manifest.release if one.name == MANIFEST), "")
    return (
        f"About the release of {len(manifest.release)} files whose {MANIFEST} has the SHA-256 {named}, made by {plan}."
    )


def _figures(log: RunLog, advice: Advice) -> Iterator[Figure]:
    required = [one for one in log.verdicts if one.model != ATTACK]
    limits = [one for one in log.verdicts if one.model == ATTACK]
    holds, kept = (sum(one.passed for one in some) for some in (required, limits))
    tier = "no release" if advice.tier == "none" else advice.tier
    reasons = f"{len(advice.reasons)} {'reason' if len(advice.reasons) == 1 else 'reasons'}"
    yield Figure("Asked for", log.tier, TIERS.get(log.tier, "those whom the publisher names"))
    against = f"{reasons} against {'a release' if advice.tier == 'none' else 'a more open tier'}"
    yield Figure(
        "The evidence supports", tier, against if advice.reasons else "every piece of evidence is there",
        "bad" if advice.too_open(log.tier) else "good",
    )  # fmt: skip
    attacks = f"; {kept} of {len(limits)} limits to attacks kept" if limits else ""
    told = f"{holds} of {len(required)} hold" if required else "none"
    whole = bool(required) and holds == len(required) and kept == len(limits)
    yield Figure("Requirements", told, f"counted again in the written file{attacks}", "good" if whole else "bad")
    gone = lost(log)
    left = [f"a {gone.level} loss: {log.end.records:,} of {gone.of:,} records are left", gone.drawn]
    left.insert(1, f"{gone.blanked:,} cells blanked" if gone.blanked else "")
    left.insert(1, f"{len(gone.emptied)} of {gone.keys} keys emptied to one value" if gone.emptied else "")
    yield Figure("Records lost", gone.share, "; ".join(one for one in left if one), LEVELS[gone.level])
    smallest, alone = log.end.smallest, log.end.uniques
    who = f"{alone:,} {log.called.of(alone)} alone" if alone else "nobody stands alone"
    yield Figure(
        "Largest chance to find somebody", chance(1 / smallest) if smallest else "none",
        f"by all released keys; {who}; limit for open: {chance(log.about.risk_open)}",
        "plain" if not smallest else "good" if 1 / smallest <= log.about.risk_open else "bad" if alone else "fair",
    )  # fmt: skip
    outcomes = log.utility.outcomes if log.utility is not None else ()
    stay = sum(one.verdict == "stays" for one in outcomes)
    yield Figure(
        "Use cases", f"{stay} of {len(outcomes)} hold" if outcomes else "none compared",
        "whose conclusion stays the same in the release" if outcomes else "what it is good for is not known",
        "good" if outcomes and stay == len(outcomes) else "bad",
    )  # fmt: skip


def _decision(log: RunLog, advice: Advice, missing: dict[str, tuple[str, ...]]) -> Part:
    failed = sum(not one.passed for one in log.verdicts)
    if failed:
        lead = f"The file may not leave: {failed} of {len(log.verdicts)} requirements and limits fail."
    elif advice.too_open(log.tier):
        lead = (
            f"The plan asks for {log.tier}; {advice.supported}. To release it as {log.tier} goes beyond the evidence."
        )
    else:
        lead = f"The plan asks for {log.tier}, and the evidence supports it."
    points = [*_requirements(log), *(Point(short(f"Warning: {one}.", 300), "bad") for one in log.perturbed_before[:2])]
    if log.other_releases:
        others = "Warning: the plan says that there is no other release of this source, and there is one here."
        points.append(Point(others, "bad"))
    against = "Against it" if advice.too_open(log.tier) else "Against a more open tier"
    for reason in advice.reasons[:REASONS_TOLD]:
        told = f"{against}: {short(reason.text, SENTENCE - 40)} Needed: {short(reason.change, 100)}"
        points.append(Point(told, "fair"))
    if left := more(len(advice.reasons) - REASONS_TOLD, "reason"):
        points.append(Point(f"{left[0].upper()}{left[1:]}.", "fair"))
    if missing:
        points.append(Point(f"Missing in {len(missing)} points of the report: {_missing(missing)}.", "bad"))
    return Part("decision", "The decision", lead, tuple(points))


def _requirements(log: RunLog) -> Iterator[Point]:
    """Those that fail first: none of them may be among the rest. Limits to attacks that are kept are one sentence."""
    limits = [one for one in log.verdicts if one.model == ATTACK]
    order = sorted((one for one in log.verdicts if one.model != ATTACK or not one.passed), key=lambda one: one.passed)
    if len(order) == sum(one.model == ATTACK for one in order):
        yield Point("Nothing was required: there is no verdict to rest a release on.", "bad")
    for one in order[:REQUIREMENTS_TOLD]:
        yield Point(_verdict(log, one), "good" if one.passed else "bad")
    if rest := order[REQUIREMENTS_TOLD:]:
        failing = sum(not one.passed for one in rest)
        how = f"{failing} of them fail" if failing else "all of them hold"
        yield Point(f"And {len(rest)} more, in the report: {how}.", "bad" if failing else "good")
    if limits and all(one.passed for one in limits):
        kept = "The one limit to an attack is" if len(limits) == 1 else f"All {len(limits)} limits to attacks are"
        yield Point(f"{kept} kept, at the upper ends of the intervals.", "good")


def _verdict(log: RunLog, one: Verdict) -> str:
    verb, required = "Holds" if one.passed else "Fails", log.book_after.say(log.called.say(one.requirement))
    return f"{verb}: {short(required, 120)} ({figure(one.achieved)} found, {limit(one)} required)."


def _missing(missing: dict[str, tuple[str, ...]]) -> str:
    told = [f"{title} ({short('; '.join(lacks), 60)})" for title, lacks in missing.items()]
    return listed(told, 3)


def _answers(log: RunLog) -> Part:
    """Which roles answer for what; and what nobody answers for."""
    by: dict[str, list[str]] = {}
    for name, what in UNKNOWN.items():
        said = log.about.said(name)
        if said is not None:
            by.setdefault(short(said.role, NAME), []).append(f"{what} ({said.date})")
    absent = [what for name, what in UNKNOWN.items() if log.about.said(name) is None]
    many = f"{len(UNKNOWN) - len(absent)} of {len(UNKNOWN)} points that only people can answer"
    lead = f"{len(by)} {'role answers' if len(by) == 1 else 'roles answer'} for {many}."
    points = [Point(f"{role}: {short(', '.join(what), 200)}.") for role, what in list(by.items())[:ROLES_TOLD]]
    if absent:
        points.append(Point(f"Nobody answers for: {short(', '.join(absent), 300)}.", "bad"))
    return Part("answers", "Who answers for it", lead, tuple(points), more(len(by) - ROLES_TOLD, "role"))


def _lines(log: RunLog) -> tuple[Line, ...]:
    """What the plan says was signed off, and lines for whoever signs by hand."""
    given = [Line(short(one.role, NAME), one.decision, one.date) for one in log.about.sign_offs[:MOST_LINES]]
    return (*given, *(Line() for _ in range(max(LINES - len(given), 1 if len(given) < MOST_LINES else 0))))
