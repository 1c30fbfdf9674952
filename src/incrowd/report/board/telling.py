"""The parts of the decision paper that tell what was done, what it is worth, what it risks, and what remains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from incrowd.attack.value import Attacked
from incrowd.audit.log import RunLog, StepLog
from incrowd.audit.rarest import Combination
from incrowd.keys.saying import percent, sentence
from incrowd.plan.steps.base import STEPS
from incrowd.report.board.loss import lost, lost_words
from incrowd.report.board.naming import NAME, column, value_of
from incrowd.report.board.paper import Part, Point, Stand, more, short
from incrowd.report.board.residual import residuals
from incrowd.report.words import CONDITIONS, chance, listed
from incrowd.risk.before_after import RiskLog
from incrowd.risk.measure import Measured

#: So many points of a kind, and so many characters of a sentence, fit on two pages.
STEPS_TOLD, SCENARIOS_TOLD, ATTACKS_TOLD, CASES_TOLD, RAREST_TOLD = 9, 3, 3, 4, 2
SENTENCE = 210
LEVELS: Mapping[str, Stand] = {"small": "good", "noticeable": "fair", "large": "bad"}


def done(log: RunLog) -> Part:
    """What was done, a sentence for each step; where there are many, for those that did most."""
    steps = [step for step in log.steps[1:] if not step.off]
    most = sorted(steps, key=lambda s: (-s.records_removed, -_freed(log, s), -s.cells_changed))[:STEPS_TOLD]
    told = [step for step in steps if step in most]
    many = f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}"
    first, last = f"{log.start.records:,} records as they came", f"{log.end.records:,} that leave"
    lead = f"{many} lead from {first} to {last}." if steps else "Nothing was done to the file."
    points = tuple(Point(_step(log, step)) for step in told)
    return Part("done", "What was done", lead, points, more(len(steps) - len(told), "step"), numbered=True)


def _freed(log: RunLog, step: StepLog) -> int:
    """How many no longer stood alone after it."""
    before = log.steps[log.steps.index(step) - 1].after
    return before.uniques - step.after.uniques


def _step(log: RunLog, step: StepLog) -> str:
    at = log.steps.index(step)
    before, settings = log.steps[at - 1].after, dict(log.about.steps[at - 1]) if at <= len(log.about.steps) else {}
    kind = STEPS.get(step.name)
    try:
        told = (kind.plainly.format_map(_in_words(log, settings)) if kind else "") or step.title
    except KeyError:  # a field that the plan left out
        told = step.title
    effect = ""
    if step.records_removed:
        effect = f"; {step.records_removed:,} records went"
    elif before.uniques != step.after.uniques:
        alone = "stood alone" if log.unit is None else f"classes had one {log.called.one}"
        effect = f"; {before.uniques:,} {alone} before, {step.after.uniques:,} after"
    reason = f" {short(sentence(step.reason), 100)}" if step.reason else ""
    return f"{short(told, SENTENCE - 90)}{effect}.{reason}"


def _in_words(log: RunLog, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a step with the columns that it names by their titles. A list is one where every part is one."""
    named = {}
    for field, text in settings.items():
        names = text.split(", ")
        columns = all(name in log.variables for name in names)
        named[field] = ", ".join(column(log, name) for name in names) if columns else text
    return named


def worth(log: RunLog) -> Part:
    """Who asked for it, which use cases hold, and what was lost: what the release is worth."""
    outcomes = log.utility.outcomes if log.utility is not None else ()
    kept = sum(one.verdict == "stays" for one in outcomes)
    if outcomes:
        lead = f"{kept} of {len(outcomes)} use cases keep their conclusion in the release."
    elif log.about.use_cases:
        lead = f"None of the {len(log.about.use_cases)} use cases was compared: nothing was released."
    else:
        lead = "No use case was named: what the release is good for is not known."
    asked = log.about.said("consultation")
    points = [
        Point("Nobody says who asked for the release.", "bad")
        if asked is None
        else Point(f"Who asked: {short(asked.text, SENTENCE)} ({short(asked.role, NAME)}, {asked.date})")
    ]
    order = sorted(outcomes, key=lambda one: (one.verdict == "stays", one.judged))
    stands: Mapping[str, Stand] = {"stays": "good", "changes": "bad"}
    for one in order[:CASES_TOLD]:
        points.append(
            Point(f"{short(one.use_case, 110)} The conclusion {one.verdict}.", stands.get(one.verdict, "fair"))
        )
    if (rest := len(order) - CASES_TOLD) > 0:
        left = sum(one.verdict == "stays" for one in order[CASES_TOLD:])
        points.append(Point(f"{rest} more use cases are in the report; {left} of them keep their conclusion."))
    points.append(Point(short(f"Loss: {lost_words(log)}", 480), LEVELS[lost(log).level]))
    return Part("worth", "What it is worth", lead, tuple(points))


def risk(log: RunLog) -> Part:
    """The largest chance, who could find whom, what attacks achieved: what the release risks, in plain words."""
    end, who = log.end, log.called
    keys = f"all {len(end.keys)} keys" if len(end.keys) > 1 else "the one key"
    if not end.smallest:
        lead = "No record is left: nobody can be found."
    elif not end.keys:
        lead = f"No key is released: all {end.people:,} {who.many} look alike."
    else:
        start, alone = log.start, "nobody stood alone"
        if start.uniques:  # somebody with several records can be alone in several classes
            of_all = f"{start.uniques:,} of {start.classes:,} classes had one {who.one}"
            alone = f"{start.uniques:,} of {start.people:,} stood alone" if log.unit is None else of_all
        lead = (
            f"The largest chance to find {who.a}: {chance(1 / end.smallest)}, for somebody who knows {keys} and who is "
            f"in the file. As the file came, it was {chance(1 / max(log.start.smallest, 1))}, and {alone}."
        )
    points = [*_scenarios(log), *_attacks(log), _people(log), *_rarest(log)]
    return Part("risk", "What it risks", lead, tuple(points))


def _scenarios(log: RunLog) -> Iterator[Point]:
    if not log.risks:
        yield Point("Nobody says who could look for somebody: the plan has no scenario.", "bad")
    order = sorted(log.risks, key=lambda one: -(largest_of(one.after) or 0.0))
    for one in order[:SCENARIOS_TOLD]:
        yield Point(_scenario(log, one))
    if left := more(len(log.risks) - SCENARIOS_TOLD, "scenario"):
        yield Point(sentence(left))


def _scenario(log: RunLog, one: RiskLog) -> str:
    scenario = one.before.scenario
    name = short(scenario.name[:1].upper() + scenario.name[1:], NAME)
    known = listed([column(log, key) for key in scenario.keys])
    who = f"{name}, who knows {known}{', and who is in the file' if scenario.knows_who_is_in else ''}:"
    if one.after is None:
        return f"{who} none of it is released."
    largest, mean, before = largest_of(one.after), *(_value(m, "prosecutor_mean") for m in (one.after, one.before))
    if largest is None or mean is None or before is None:
        return f"{who} not measured."
    return f"{who} {chance(largest)} at most, {chance(mean)} on average (as it came, {chance(before)} on average)."


def largest_of(measured: Measured | None) -> float | None:
    """The largest chance to find somebody who is known to be in the file."""
    return _value(measured, "prosecutor_max")


def _value(measured: Measured | None, name: str) -> float | None:
    risks = () if measured is None else measured.risks
    return next((one.value for one in risks if one.name == name), None)


def _attacks(log: RunLog) -> Iterator[Point]:
    """The attacks that found most: first one that looks for a person's record, then what adds most to a guess."""
    tried = sorted((one for one in log.attacks if one.in_full), key=lambda one: -(one.excess or 0.0))
    if not tried:
        yield Point("No simulated intruder has tried the release.", "bad")
    finding = [one for one in tried if one.outsiders is not None][:1]
    told = list({one.attack: one for one in reversed([*finding, *tried])}.values())  # each attack once, at its worst
    chosen = [*finding, *(one for one in reversed(told) if one not in finding)][:ATTACKS_TOLD]
    for one in chosen:
        yield Point(_attack(one))
    if left := more(len(tried) - len(chosen), "attack"):
        yield Point(sentence(left))


def _attack(one: Attacked) -> str:
    assert one.success is not None
    beside = "" if one.baseline is None else f", against {chance(one.baseline)} by a guess"
    name = short(f"{one.name[:1].upper()}{one.name[1:]} ({one.scenario})", NAME + 20)
    return f"{name}: {chance(one.success.value)}{beside}. {_first(one.sentence)}"


def _first(text: str) -> str:
    """As many of its sentences as there is room for, and one at least."""
    sentences = text.split(". ")
    kept = 1
    while kept < len(sentences) and len(". ".join(sentences[: kept + 1])) <= SENTENCE:
        kept += 1
    return short(sentence(". ".join(sentences[:kept])), SENTENCE)


def _people(log: RunLog) -> Point:
    tested = log.human_test
    if tested is None:
        return Point("No test with people was held on this release.", "bad")
    right = (
        f"{tested.total.correct:,} of {tested.claims:,} claims right, at most {percent(tested.upper)} of such claims"
    )
    if tested.taken_back.sure:
        right += f"; {tested.taken_back.sure:,} right and sure ones were taken back"
    return Point(f"Friendly people tried: {right}.", "bad" if tested.finding else "plain")


def _rarest(log: RunLog) -> Iterator[Point]:
    found = log.rarest
    if found.combinations:
        told = "; ".join(combination(log, one) for one in found.combinations[:RAREST_TOLD])
        yield Point(short(f"The rarest combinations: {told}.", 320), "bad" if found.left else "plain")


def combination(log: RunLog, one: Combination) -> str:
    """Values of several keys as a person reads them, and how many have them."""
    named = ", ".join(value_of(log, key, value, 40) for key, value in one.values)
    return f"{named} ({one.before:,} {log.called.of(one.before)} before, {one.after:,} after)"


def remains(log: RunLog) -> Part:
    """The risks that remain, who accepts them, the conditions, and the next review."""
    known = residuals(log)
    without = [one.name for one in known if not one.measured]
    lead = f"{len(known) - len(without)} of {len(known)} known risks were measured in this run."
    points = []
    if without:
        points.append(Point(f"Not measured, and so not known: {listed(without, len(without))}.", "bad"))
    for name, title in (("impact", "If somebody is found"), ("residual_risk", "Accepted")):
        said = log.about.said(name)
        if said is None:
            points.append(Point(f"{title}: nobody has said anything.", "bad"))
        else:
            points.append(Point(f"{title}: {short(said.text, SENTENCE)} ({short(said.role, NAME)}, {said.date})"))
    conditions = (*CONDITIONS.get(log.tier, ()), *log.about.conditions)
    if conditions:
        told = " ".join(short(sentence(one), 120) for one in conditions[:3])
        points.append(Point(f"Conditions: {told}{f' {sentence(more(len(conditions) - 3))}' if conditions[3:] else ''}"))
    review = log.about.review
    if review is None:
        points.append(Point("No next review is set.", "bad"))
    else:
        triggers = short("; ".join(review.triggers), 140)
        points.append(Point(f"Next review: {review.next}, by {short(review.role, NAME)}; earlier if: {triggers}."))
    return Part("remains", "What remains", lead, tuple(points))
