"""Which tier does the evidence support: open, safeguarded, controlled, or none?

A pure function of the log. A file is never fit for open by default: every piece of evidence that is not there is a
reason for a more protected tier, as is every figure above its limit. What was not tried counts as if it had been tried
and had failed: to take a test out never improves the advice. The rules are in docs/tier-advice.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import inf

from incrowd.attack.value import Attacked
from incrowd.audit.log import RunLog
from incrowd.keys.requirements import MODELS
from incrowd.report.board.untried import strongest_tried, untried
from incrowd.report.words import figure
from incrowd.risk.before_after import RiskLog

#: From the most open to none at all.
TIERS = ("open", "safeguarded", "controlled", "none")
#: An attack that is right for more than one person in three, beyond what a guess would be, is no matter for a licence.
ONE_IN_THREE = 1 / 3
#: The tier of a test that failed, and so of one that was not made.
FAILED = "controlled"
#: Fewer people than this are no test with people.
FEWEST_PEOPLE = 5
#: So many are named in one reason: the decision has one page.
SHOWN = 3
#: What nobody has attested is a reason against open; these words say what is then unknown.
UNKNOWN = {
    "data_situation": "the data situation", "lawful_basis": "the lawful basis", "consultation": "what users need",
    "transparency": "how people are told", "scenarios": "why these intruders", "external_data": "external data",
    "impact": "the impact on a person", "residual_risk": "that the residual risk is accepted",
    "dpia": "the impact assessment", "governance": "who is responsible", "access": "how access is handled",
    "incident_plan": "the incident plan", "monitoring": "the monitoring",
}  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """Why a file should not be more open than `tier`, the section that shows it, and what would have to change."""

    tier: str
    text: str
    change: str
    section: str
    by_people: bool = False  # only people can remove it: a test, a signature, a word


@dataclass(frozen=True)
class Advice:
    """The most open tier that the evidence supports, and every reason against a more open one."""

    tier: str
    reasons: tuple[Reason, ...]
    does_not_apply: tuple[str, ...] = ()  # attacks that have nothing to attack, each with who says so: no reasons

    @property
    def next(self) -> str | None:
        """The next more open tier; None when it is open already."""
        at = TIERS.index(self.tier)
        return TIERS[at - 1] if at else None

    @property
    def changes(self) -> tuple[str, ...]:
        """What would have to change for the next tier."""
        return tuple(dict.fromkeys(reason.change for reason in self.reasons if reason.tier == self.tier))

    @property
    def supported(self) -> str:
        """The tier in words."""
        return "the evidence supports no release" if self.tier == "none" else (
            f"the evidence supports tier '{self.tier}' at most")  # fmt: skip

    def against(self, tier: str) -> tuple[Reason, ...]:
        """The reasons against a tier."""
        return tuple(reason for reason in self.reasons if TIERS.index(reason.tier) > TIERS.index(tier))

    def left_to_people(self, tier: str) -> bool:
        """Whether only people can remove what speaks against a tier."""
        return all(reason.by_people for reason in self.against(tier))

    def too_open(self, tier: str) -> bool:
        """Is a plan's tier more open than the evidence supports?"""
        return TIERS.index(tier) < TIERS.index(self.tier)


def advise(log: RunLog, today: date | None = None) -> Advice:
    """Which tier does the evidence of this run support? Only the day of the next review is held against the calendar.

    >>> from incrowd.audit.log import Snapshot, StepLog
    >>> start = StepLog(0, "start", "as it came", None, 0, 0, {}, (), Snapshot.of_sizes(("age",), {9: 4}))
    >>> advise(RunLog("x", "open", "survey", None, (start,), ())).tier
    'none'
    """
    found = [
        *_requirements(log), *_decided(log), *_largest(log), *_scenarios(log), *_diversity(log), *_attacks(log),
        *_human_test(log), *_people(log, today or date.today()),
    ]  # fmt: skip
    reasons = sorted(found, key=lambda reason: -TIERS.index(reason.tier))
    return Advice(reasons[0].tier if reasons else "open", tuple(reasons), untried(log).does_not_apply)


def _requirements(log: RunLog) -> Iterator[Reason]:
    failed = sum(not verdict.passed for verdict in log.verdicts)
    if not log.verdicts:
        yield Reason("none", "Nothing was required of the file.", "Require at least a k.", "decision")
    elif failed:
        text = f"{failed} of {len(log.verdicts)} requirements fail in the file as it was written."
        yield Reason("none", text, "Coarsen or suppress until every requirement holds.", "decision")


def _decided(log: RunLog) -> Iterator[Reason]:
    signed = log.about.sign_offs
    for one in signed:
        if one.decision == "do not release":
            text = f"{one.role} decided not to release ({one.date})."
            yield Reason("none", text, "Another decision.", "decision", True)
    if any(one.decision == "release with conditions" for one in signed):
        text = "A sign-off has conditions, and only people can say whether they are met."
        yield Reason("safeguarded", text, "A sign-off without conditions, once they are met.", "decision", True)
    if not signed:
        text = "Nobody has signed the release off."
        yield Reason("safeguarded", text, "A sign-off (attest: sign_off).", "decision", True)


def _largest(log: RunLog) -> Iterator[Reason]:
    """Open: anybody may look, and who is in the file must be taken as known. So the worst-off person counts."""
    smallest, limit = log.end.smallest, log.about.risk_open
    if not smallest:
        yield Reason("none", "No record is left.", "Recode before suppressing.", "before-after")
    elif 1 / smallest > limit:
        are = "is" if log.end.uniques == 1 else "are"
        alone = f"{log.end.uniques:,} {log.called.of(log.end.uniques)} {are} alone"
        people = alone if smallest == 1 else f"the smallest class has {smallest}"
        text = f"By all keys {people}: a chance of {figure(1 / smallest)} to find somebody, above {limit:g}."
        yield Reason("safeguarded", text, f"Classes of at least {_needed(limit)} {log.called.many}.", "before-after")


def _needed(limit: float) -> int:
    """The smallest class whose 1/f is within the limit."""
    return next(size for size in range(1, 10**6) if 1 / size <= limit)


def _scenarios(log: RunLog) -> Iterator[Reason]:
    """Safeguarded: users are bound, so the mean counts: in the plan's scenarios, and by all keys. The latter is the
    largest of them, so that a scenario which is left out cannot make the file look better.
    """
    limit = log.about.risk_safeguarded
    if log.end.records and log.end.classes / log.end.people > limit:
        mean = figure(log.end.classes / log.end.people)
        text = f"By all keys the mean chance to find {log.called.a} is {mean}, above {limit:g}."
        yield Reason("controlled", text, "Larger classes.", "before-after")
    if not log.risks:
        yield Reason("safeguarded", "No intruder scenario was measured.", "Name scenarios in the plan.", "scenarios")
        return
    if not any(risk.before.scenario.knows_who_is_in for risk in log.risks):
        text = "No scenario takes who is in the file as known, and of an open file it must be."
        yield Reason("safeguarded", text, "A scenario with response knowledge.", "scenarios")
    means = {risk.before.scenario.name: _mean(risk) for risk in log.risks}
    high = {name: mean for name, mean in means.items() if mean is not None and mean > limit}
    if high:
        text = f"The mean chance to find {log.called.a} is above {limit:g}: {_named(high, figure)}."
        keys = dict.fromkeys(k for r in log.risks if r.before.scenario.name in high for k in r.before.scenario.keys)
        yield Reason("controlled", text, f"Larger classes by {', '.join(keys)}.", "risk")


def _mean(risk: RiskLog) -> float | None:
    """The mean risk in a scenario as it is declared; where the population is not known, as if members were.

    A population can only lower it: nobody finds more people than somebody who knows who is in the file. None where it
    was not measured: the mean by all keys is above it.
    """
    if risk.after is None:
        return None
    wanted = {"prosecutor_mean"} | (set() if risk.before.scenario.knows_who_is_in else {"marketer", "global_risk"})
    return min((one.value for one in risk.after.risks if one.name in wanted and one.value is not None), default=None)


def _diversity(log: RunLog) -> Iterator[Reason]:
    sensitive = [n for n, (role, _) in log.variables.items() if role == "sensitive" and n in log.released_columns]
    limiting = {name for name, model in MODELS.items() if model.limits_disclosure}
    limited = {verdict.sensitive for verdict in log.verdicts if verdict.model in limiting}
    if free := [name for name in sensitive if name not in limited]:
        text = f"No requirement limits what a class gives away about {', '.join(free)}."
        yield Reason("safeguarded", text, "Require diversity or closeness of each sensitive variable.", "decision")


def _attacks(log: RunLog) -> Iterator[Reason]:
    missing = untried(log)
    if not any(attack.in_full for attack in log.attacks):
        yield Reason(FAILED, "No attack on the release was tried.", "Attack it, and show the result.", "attacks")
    elif missing.never:
        text = f"Not tried, which counts as failed: {_listed(missing.never)}."
        yield Reason(FAILED, text, "These attacks (in the plan: attack), and what they find.", "attacks")
    for names, by_people in ((missing.could_not, False), (missing.beside, True)):
        if names:
            text = f"Could not be tried, or not in full, which counts as failed: {_listed(names)}."
            change = "What they need (the section says what), or somebody's word that there is none (attest)."
            yield Reason(FAILED, text, change, "attacks", by_people)
    if log.attacks and not strongest_tried(log):
        text = "No attack was tried by somebody who knows all released keys and who is in the file."
        yield Reason(FAILED, text, "A scenario with all keys, without errors, with response knowledge.", "scenarios")
    figures: dict[str, float] = {}  # an attack has a result for each sensitive variable, and for each file beside
    for attack in log.attacks:
        if (worst := most(attack)) is not None:
            name = f"{attack.name} ({attack.scenario})"
            figures[name] = max(worst, figures.get(name, 0.0))
    for tier, low, high in ((FAILED, ONE_IN_THREE, inf), ("safeguarded", log.about.risk_open, ONE_IN_THREE)):
        found = {name: worst for name, worst in figures.items() if low < worst <= high}
        if found:
            told = _named(found, lambda worst: f"up to {worst:.0%}")
            text = f"Attacks may be right for more than {low:.0%} beyond a guess: {told}."
            yield Reason(tier, text, "A release on which these attacks find less.", "attacks")


def _named(figures: Mapping[str, float], said: Callable[[float], str]) -> str:
    """Names with their figures, the largest first, and how many more there are."""
    largest = sorted(figures.items(), key=lambda each: -each[1])[:SHOWN]
    return ", ".join(f"{name} {said(value)}" for name, value in largest) + _more(len(figures))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + _more(len(names))


def _more(number: int) -> str:
    return f" and {number - SHOWN} more" if number > SHOWN else ""


def most(attack: Attacked) -> float | None:
    """The most that an attack may add to what anybody could do without the file: the upper end of its interval.

    Against the lower end of the control, or the baseline; None when it could not be tried in full.
    """
    return None if attack.excess is None else max(attack.excess, 0.0)


def _human_test(log: RunLog) -> Iterator[Reason]:
    tested = log.human_test
    if tested is None:
        text = "No test with people was held on this release (human intruder test)."
        yield Reason(FAILED, text, "An intruder test with people, on this release.", "intruder-test", True)
    elif tested.finding:
        text = f"People were right in {tested.total.correct} of {tested.total.claims} claims, more than luck explains."
        if tested.sure_finds:
            who = "1 claim" if tested.sure_finds == 1 else f"{tested.sure_finds} claims"
            what = "found somebody" if tested.sure_finds > tested.sure_values else "learned something of somebody"
            text = f"People {what} and were sure of it ({who})."
        elif tested.taken_back.sure:
            text = f"People found somebody, were sure of it, and took it back (claims: {tested.taken_back.sure})."
        yield Reason(FAILED, text, "A release in which friendly intruders find nobody.", "intruder-test")
    elif not tested.claims:
        text = "Nobody claimed anything in the intruder test, which does not show that nobody can be found."
        yield Reason(FAILED, text, "A test in which people claim what they think.", "intruder-test", True)
    elif tested.took_part < FEWEST_PEOPLE:
        text = f"Only {tested.took_part} people took part in the intruder test, where {FEWEST_PEOPLE} are the fewest."
        yield Reason("safeguarded", text, "An intruder test with more people.", "intruder-test", True)
    elif tested.upper > log.about.risk_open:
        text = f"People may be right in up to {tested.upper:.1%} of such claims, above {log.about.risk_open:g}."
        change = "A test with more claims, all decided, or fewer right ones."
        yield Reason("safeguarded", text, change, "intruder-test", True)


def _people(log: RunLog, today: date) -> Iterator[Reason]:
    absent = [words for name, words in UNKNOWN.items() if log.about.said(name) is None]
    if absent:
        text = f"Nobody has attested {', '.join(absent)}."
        yield Reason("safeguarded", text, "The attestations that are missing (attest).", "crosswalk", True)
    if log.about.review is None:
        yield Reason("safeguarded", "No next review is set.", "A review (attest: review).", "incidents", True)
    elif log.about.review.next < today.isoformat():
        text = f"The review of {log.about.review.next} is overdue."
        yield Reason("safeguarded", text, "The review, and the date of the next one.", "incidents", True)
