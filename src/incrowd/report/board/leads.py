"""What was found, in one sentence for each point of the internal report: made of its figures, in plain words."""

from __future__ import annotations

from collections import Counter

from incrowd.audit.log import RunLog
from incrowd.keys.saying import percent
from incrowd.report.board import crosswalk as guides
from incrowd.report.board.loss import hardest_words
from incrowd.report.board.telling import done, largest_of, remains, worth
from incrowd.report.words import chance, share


def situation(log: RunLog) -> str:
    """What came, and for whom it is."""
    of = f" of {log.start.people:,} {log.called.many}" if log.unit is not None else ""
    return f"A file of {log.start.records:,} records{of} ({log.kind}) is to be released as {log.tier}."


def consultation(log: RunLog) -> str:
    """Who asked, and for what."""
    asked = log.about.said("consultation")
    users = "nobody says that users were asked" if asked is None else f"users were asked ({asked.role}, {asked.date})"
    many = len(log.about.use_cases)
    cases = f"{_many(many, 'use case')} {'was' if many == 1 else 'were'} fixed before treatment"
    return f"{cases}; {users}."


def variables(log: RunLog) -> str:
    """How many of each role, and how many are released."""
    roles = Counter(role for role, _ in log.variables.values())
    told = ", ".join(f"{number} {role}" for role, number in roles.most_common())
    released = sum(name in log.released_columns for name in log.variables)
    return f"{released} of {_many(len(log.variables), 'variable')} are released ({told})." if roles else ""


def scenarios(log: RunLog) -> str:
    """How many intruders, and how many of them know who is in the file."""
    if not log.risks:
        return "No intruder was described."
    knowing = sum(one.before.scenario.knows_who_is_in for one in log.risks)
    know = "knows" if knowing == 1 else "know"
    return f"{_many(len(log.risks), 'intruder')} considered; {knowing} of them {know} who is in the file."


def before_after(log: RunLog) -> str:
    """Who stood alone, and who does."""
    start, end = log.start, log.end
    then = f"the smallest class had {start.smallest:,}, and has {end.smallest:,}"
    if log.unit is not None:  # somebody with several records can be alone in several classes
        alone = f"{start.uniques:,} of {start.classes:,} classes had one {log.called.one} as the file came"
        return f"{alone}, {end.uniques:,} of {end.classes:,} have as it leaves; {then}."
    alone = f"{start.uniques:,} of {start.people:,} {log.called.many} stood alone as the file came"
    return f"{alone}, {end.uniques:,} of {end.people:,} do as it leaves; {then}."


def risk(log: RunLog) -> str:
    """The scenario in which somebody is easiest to find."""
    worst = max(log.risks, key=lambda one: largest_of(one.after) or 0.0, default=None)
    if worst is None:
        return "No scenario was measured: risk is known only as far as the requirements measure it."
    after, before = largest_of(worst.after), largest_of(worst.before)
    if after is None or before is None:
        return "None of what the intruders know is released."
    name = worst.before.scenario.name
    return f"Easiest to find for {name}: {chance(after)} at most as the file leaves, {chance(before)} as it came."


def treatment(log: RunLog) -> str:
    """How many steps, and which took most."""
    most = max(log.steps[1:], key=lambda step: step.records_removed, default=None)
    took = ""
    if most is not None and most.records_removed:
        took = f" Step {most.number} took most: {share(most.records_removed, log.start.records)} of the records."
    return f"{done(log).lead}{took}"


def attacks(log: RunLog) -> str:
    """The attack that adds most to a guess."""
    tried = [one for one in log.attacks if one.in_full]
    if not tried:
        return "No attack on the release was tried."
    worst = max(tried, key=lambda one: one.excess or 0.0)
    assert worst.success is not None
    guess = "" if worst.baseline is None else f", where a guess is right for {percent(worst.baseline)}"
    most = f"{worst.name} ({worst.scenario}) adds most to a guess: right for {percent(worst.success.value)}{guess}"
    return f"{_many(len(tried), 'attack')} tried; {most}."


def intruder_test(log: RunLog) -> str:
    """What people found."""
    tested = log.human_test
    if tested is None:
        return "No test with people was held on this release."
    claims = f"{tested.total.correct:,} of {_many(tested.claims, 'claim')} right"
    return f"{_many(tested.took_part, 'friendly intruder')} tried: {claims}, at most {percent(tested.upper)} of such."


def utility(log: RunLog) -> str:
    """Which use cases hold, and who was hit hardest."""
    return f"{worth(log).lead} {hardest_words(log)}".strip()


def alternatives(log: RunLog) -> str:
    """What the plan drops, and the dearest of what was not chosen."""
    prices = log.utility.prices if log.utility is not None else ()
    own = next((one for one in prices if one.chosen), None)
    others = [one for one in prices if not one.chosen]
    if own is None or not others:
        return "No other requirement was priced."
    dearest = max(others, key=lambda one: one.dropped)
    plan = f"The plan's requirements drop {share(own.dropped, own.records)} of the records"
    most = share(dearest.dropped, dearest.records)
    return f"{plan}; the dearest of {_many(len(others), 'alternative')} would drop {most}."


def residual(log: RunLog) -> str:
    """How many of the risks that remain were measured."""
    return remains(log).lead


def crosswalk(log: RunLog) -> str:
    """How the points of the guides stand."""
    stands = Counter(row.status for row in guides.crosswalk(log))
    whole, names = sum(stands.values()), (guides.AUTOMATED, guides.ATTESTED, guides.MISSING)
    shown, said, absent = (stands[name] for name in names)
    return f"Of {whole} points in three guides {shown} are shown by a measurement, {said} attested, {absent} missing."


def incidents(log: RunLog) -> str:
    """When it is looked at again."""
    review = log.about.review
    return "No next review is set." if review is None else f"The next review is on {review.next}, by {review.role}."


def proposed(log: RunLog) -> str:
    """For which goal the plan was found."""
    found = log.about.proposed
    return "" if found is None else f"A search for plans that are fit for {found['goal']} found this one."


def series(log: RunLog) -> str:
    """How many releases there are, and with how many of them this one was tried."""
    if log.series is None:
        return ""
    earlier = [one for one in log.series.releases if one.run]
    tried = sum(one.compared for one in earlier)
    held = f"it was held against {tried} of {_many(len(earlier), 'earlier release')}" if earlier else "it is the first"
    return f"This is a release of the series {log.series.name!r}; {held}."


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
