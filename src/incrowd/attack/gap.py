"""gap: a combination of keys that exists in the population is missing; from its neighbours guess why."""

from __future__ import annotations

import numpy as np

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
from incrowd.attack.matching.gaps import Around, Floats, around, auc, auc_of_values, missing
from incrowd.attack.matching.meeting import Meeting, blurred, meet
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

ACTS = "sees that the target's combination of keys is missing from the release, and states the value that is most \
frequent in the released classes one key apart"
OTHERS = "The people of the control were not left out, and are not like those who were: it excuses nothing."
#: Above so many shares no AUC is worked out.
MOST_CELLS = 20_000_000


@attack("gap", ACTS, residual="Gap inference", needs=("sensitive",), place=90, remedies=("nobody_left_out",))
def gap(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Of people whose class was left out of the release: is their value told by the classes around the gap?

    Targets: the people whose combination of the scenario's keys no released record can have, records that can be
    everybody's aside. Success: how many of them
    have the value that is most frequent among the released neighbours (classes that differ in one key); without
    neighbours, the release's most frequent value is stated. `claimed`: the same where that value has more than half of
    the neighbours. Baseline: the release's most frequent value for all of them. Control: the same guess about people in
    the release, with their own class left out: what neighbours tell about anybody. The sentence has the AUC of the
    neighbours' shares against the true values and, where classes were left out both for their size and for their value,
    against that reason. Misleads where a class is missing because nobody was sampled from it: then there is no reason
    to guess. Reference: study 2, 7.2.
    """
    if why := impossible(situation, "gap", ACTS):
        return why
    met = meet(situation)
    gone = missing(met)
    targets = gone[met.combination]
    if not targets.any():
        why_not = "no combination of the keys is missing from the release: there is no gap."
        return [untried(situation, "gap", ACTS, why_not, name, RELEASE) for name in situation.sensitive]
    if why_not := blurred(situation, met, targets):
        return [untried(situation, "gap", ACTS, why_not, name) for name in situation.sensitive]
    found = []
    for name in situation.sensitive:
        sensitive = sensitive_of(situation, name)
        if not (sensitive.released >= 0).any():
            found.append(untried(situation, "gap", ACTS, "no released record has a value.", name))
            continue
        near, aimed = around(met, sensitive), targets & (sensitive.true[met.people] >= 0)
        if not near.there[met.combination[aimed]].any():
            why_not = "no missing combination of somebody with a value has a neighbour in the release."
            found.append(untried(situation, "gap", ACTS, why_not, name))
            continue
        found.append(_attack(situation, met, sensitive, near, gone))
    return found


def _attack(situation: Situation, met: Meeting, sensitive: Sensitive, near: Around, gone: Bools) -> Attacked:
    guess, part = near.guess(sensitive.shares)
    sure = part > 0.5
    true = sensitive.true[met.people]
    right = guess[met.combination] == true
    targets = gone[met.combination] & (true >= 0)
    kept = ~gone[met.combination] & situation.inside[met.people] & (true >= 0)
    success = Rate(int(right[targets].sum()), int(targets.sum()))
    bold = targets & sure[met.combination]
    control = Rate(int(right[kept].sum()), int(kept.sum())) if kept.any() else None
    baseline = float((true[targets] == sensitive.most).mean())
    area = _area(met, sensitive, near, targets)
    reason = _reason(met, sensitive, part, gone) if len(met.people) == situation.known.num_rows else None
    sentence = (
        f"{success.tries:,} people have a combination of keys that is missing from the release. The classes around it "
        f"name the right {sensitive.name} for {percent(success.value)} of them; the most frequent value is right for "
        f"{percent(baseline)}. "
        + (
            ""
            if area is None
            else f"AUC {area:.2f}" + ("" if reason is None else f"; of the reason {reason:.2f}") + "."
        )
    )
    hit = np.flatnonzero(bold & right & (true != sensitive.most))
    return Attacked(
        "gap", situation.scenario.name, knows(situation, "; that such people exist"), ACTS, success, baseline, control,
        sentence.strip(), Rate(int(right[bold].sum()), int(bold.sum())),
        worst_of(met.people[hit], part[met.combination[hit]]),
        joined(sensitive.note, met.note,
               "Neighbours are classes with the same labels in all keys but one; coarser labels have none."
               if met.coarse else "",
               "" if area is not None else "No AUC: all of them have one value, or there are too many values.",
               OTHERS),
        about=sensitive.name, fair=False,
    )  # fmt: skip


def _area(met: Meeting, sensitive: Sensitive, near: Around, targets: Bools) -> float | None:
    """The AUC of the neighbours' shares against the true values of the people who are missing."""
    rows, to = np.unique(met.combination[targets], return_inverse=True)
    if len(rows) * sensitive.values > MOST_CELLS:
        return None
    return auc_of_values(near.shares(rows, sensitive.shares)[to.ravel()], sensitive.true[met.people[targets]])


def _reason(met: Meeting, sensitive: Sensitive, part: Floats, gone: Bools) -> float | None:
    """The AUC of the neighbours' largest share against why a class was left out: for one value that all in it have,
    although it was as large as the smallest released one, or for its size.
    """
    least = np.bincount(met.class_of, minlength=met.classes).min()
    true = sensitive.true[met.people]
    uniform = _uniform(met.combination, true, len(gone))
    by_value, by_size = gone & (met.sizes >= least) & uniform, gone & (met.sizes < least)
    either = by_value | by_size
    return auc(part[either], by_value[either])


def _uniform(combination: Int64, true: Int64, number: int) -> Bools:
    """Whether all people of a combination have one value."""
    low, high = np.full(number, np.iinfo(np.int64).max), np.full(number, -1)
    np.minimum.at(low, combination, true)
    np.maximum.at(high, combination, true)
    return np.asarray((low == high) & (low >= 0))
