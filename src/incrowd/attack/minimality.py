"""minimality: a class that was large enough is missing, so it must have failed for its sensitive value."""

from __future__ import annotations

import numpy as np

from incrowd.attack.gap import OTHERS
from incrowd.attack.knowledge import (
    RELEASE,
    Bools,
    Sensitive,
    impossible,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.gaps import around
from incrowd.attack.matching.meeting import Meeting, blurred, meet
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

ACTS = "knows that no more is left out or coarsened than needed: a class with at least as many people as the smallest \
released one, and yet not there, must have failed because of the sensitive value; states a value that no released \
class has alone"


@attack("minimality", ACTS, residual="Minimality", needs=("sensitive",), place=100, remedies=("nobody_left_out",))
def minimality(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """What does knowing that the method does no more than it must tell about the people it left out or coarsened?

    The intruder knows how many people have each combination of the scenario's keys (from a register: here, the
    original). k is taken to be the size of the smallest released class. A combination that no released class has, label
    for label, although k people or more have it, was not left out for its size. Values that make up no released class
    alone, while others do, are those that a rule forbids (one-sided diversity); where no value does, any may be
    (distinct l); where every value does, no rule about it shows and nothing is claimed. Of the forbidden values the
    intruder states the one most frequent among the released neighbours (one key apart).

    Success: right statements, of the people gone for. Baseline: the most frequent value, for the same people. Control:
    the same statement about people in released classes, so that success minus control is the gain in belief from being
    left out. Limits: it sees gaps at the release's categories only, so a recoding of a whole variable tells it nothing;
    it takes any class left out by a sample for one that failed; it does not weigh how likely a class is to fail.
    Reference: Wong, Fu, Wang and Pei (2007).
    """
    if why := impossible(situation, "minimality", ACTS):
        return why
    met = meet(situation)
    absent = met.exact < 0
    whole = np.bincount(met.class_of, minlength=met.classes)[met.exact[~absent]]
    if not absent.any():
        why_not = "every combination of the keys is in the release as it is: nothing to reason from."
        return [untried(situation, "minimality", ACTS, why_not, name, RELEASE) for name in situation.sensitive]
    if not len(whole):
        why_not = "no combination of the keys is in the release as it is: nothing to reason from."
        return [untried(situation, "minimality", ACTS, why_not, name) for name in situation.sensitive]
    if why_not := blurred(situation, met, absent[met.combination]):
        return [untried(situation, "minimality", ACTS, why_not, name) for name in situation.sensitive]
    large = absent & (met.sizes >= whole.min())
    found = []
    for name in situation.sensitive:
        sensitive = sensitive_of(situation, name)
        if not (sensitive.released >= 0).any():
            found.append(untried(situation, "minimality", ACTS, "no released record has a value.", name))
            continue
        found.append(_attack(situation, met, sensitive, absent, large, int(whole.min())))
    return found


def _attack(
    situation: Situation, met: Meeting, sensitive: Sensitive, absent: Bools, large: Bools, least: int
) -> Attacked:
    forbidden = never_alone(met, sensitive)
    true, away = sensitive.true[met.people], absent[met.combination]
    gone_for = large[met.combination] & (true >= 0) & forbidden.any()
    extra = "; how many people have each combination of the keys"
    note = joined(sensitive.note, met.note, f"Taken for k: {least}, the smallest released class.")
    if not gone_for.any():
        if large[met.combination].any() and forbidden.any():
            why = "nobody who was left out or coarsened although enough others share their keys has a value."
            return untried(situation, "minimality", ACTS, why, sensitive.name)
        reason = (
            "every value has classes of its own in the release, so no rule about it shows"
            if not forbidden.any()
            else "every class that is not there had fewer people than the smallest released one"
        )
        why = f"the method tells nothing of the {int(away.sum()):,} people who were left out or coarsened: {reason}."
        return untried(situation, "minimality", ACTS, why, sensitive.name, RELEASE)
    stated, _ = around(met, sensitive).guess(sensitive.shares, forbidden)
    right = stated[met.combination] == true
    kept = ~away & situation.inside[met.people] & (true >= 0)
    success, control = (Rate(int(right[whom].sum()), int(whom.sum())) for whom in (gone_for, kept))
    baseline = float((true[gone_for] == sensitive.most).mean())
    sentence = (
        f"{success.tries:,} people are left out or coarsened although enough others share their keys. An intruder who "
        f"knows the method concludes that it was for {sensitive.name}, and states it rightly for "
        f"{percent(success.value)}; the same said of people in the release is right for {percent(control.value)}."
    )
    hit = np.flatnonzero(gone_for & right)
    return Attacked(
        "minimality", situation.scenario.name, knows(situation, extra), ACTS, success, baseline,
        control if control.tries else None, sentence, Rate(success.hits, success.tries),
        worst_of(met.people[hit], 1 / np.maximum(sensitive.shares[true[hit]], 1e-12)), joined(note, OTHERS),
        about=sensitive.name, fair=False,
    )  # fmt: skip


def never_alone(met: Meeting, sensitive: Sensitive) -> Bools:
    """Which values make up no released class alone, though they are in the release? None where every value does."""
    histogram = met.histogram(sensitive.released, sensitive.values)
    alone = np.diff(histogram.indptr) == 1
    values = histogram.indices[histogram.indptr[:-1][alone]]
    never: Bools = np.bincount(values, minlength=sensitive.values) == 0
    return never & (sensitive.shares > 0)
