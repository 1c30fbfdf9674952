"""homogeneity: everybody in the target's class has the same value, so the target has it too."""

from __future__ import annotations

import numpy as np

from incrowd.attack.knowledge import (
    Sensitive,
    impossible,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.matching.meeting import Meeting, gone_for, meet
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

#: From this share of one value on, the intruder takes a class for uniform.
NEARLY = 0.95
ACTS = f"looks up the target's class and, where one value has {NEARLY:.0%} of it or more, states that value"


@attack(
    "homogeneity", ACTS, residual="Homogeneity", needs=("sensitive",), outside=True, place=60,
    remedies=("diversity", "larger_classes", "perturbed_values"),
)  # fmt: skip
def homogeneity(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Of how many people does the release tell a sensitive value because all who look like them share it?

    A target's class are the released records that can be theirs by the scenario's keys. Success: values stated rightly,
    of all targets, who are the people in the file; `claimed` how many statements are right, of everybody looked up.
    Baseline: the most frequent value stated for the same people, so that the two compare. Control: the attack on people
    who are not in the release but have a class in it. Blank and coarser keys are read in three ways (may be anybody's;
    not thought of where a class has the very same labels; only the classes that fit the fewest people), and the way
    that is right most often is reported. Where more than half of the targets were released with a key that fits nobody
    (noise), it is not tried. Misleads where the value is the same for nearly everybody: see the baseline. Reference:
    Machanavajjhala et al. (2007).
    """
    if why := impossible(situation, "homogeneity", ACTS):
        return why
    met = meet(situation)
    return [_attack(situation, met, sensitive_of(situation, name)) for name in situation.sensitive]


def _attack(situation: Situation, met: Meeting, sensitive: Sensitive) -> Attacked:
    gone = gone_for(situation, met, sensitive)
    aimed, outside = gone.aimed, gone.outside
    if gone.out_of_reach:
        return untried(situation, "homogeneity", ACTS, gone.out_of_reach, sensitive.name)
    stated = [_stated(reading, sensitive) for reading in met.readings]
    true = sensitive.true[met.people]
    value = max(stated, key=lambda found: int((found[aimed] == true[aimed]).sum()))
    claims, right = value >= 0, (value >= 0) & (value == true)
    success = Rate(int(right[aimed].sum()), int(aimed.sum()))
    claimed = Rate(int(right[gone.looked_up].sum()), int(claims[gone.looked_up].sum()))
    usual = claims & (true == sensitive.most)
    control = Rate(int(right[outside].sum()), int(outside.sum())) if outside.any() else None
    hit = np.flatnonzero(right & aimed)
    surprise = 1 / np.maximum(sensitive.shares[true[hit]], 1e-12)
    rare = int((right & aimed & (true != sensitive.most)).sum())
    sentence = (
        f"An intruder states {sensitive.name} for {percent(int(claims[aimed].sum()) / success.tries)} of "
        f"{success.tries:,} people because everybody like them has the same value, and is right for {success.hits:,}; "
        f"{rare:,} of these do not have the most usual value."
    )
    if (everybody := int(gone.looked_up.sum())) > success.tries:
        sentence += f" Of everybody looked up, {everybody:,}, {claimed.hits:,} of {claimed.tries:,} claims are right."
    return Attacked(
        "homogeneity", situation.scenario.name, knows(situation), ACTS, success,
        int(usual[aimed].sum()) / success.tries, control, sentence, claimed, worst_of(met.people[hit], surprise),
        joined("Baseline: the most frequent value, stated for the same people.", sensitive.note, met.note,
               gone.note),
        about=sensitive.name, fair=gone.fair, drawn_of=gone.drawn_of,
    )  # fmt: skip


def _stated(met: Meeting, sensitive: Sensitive) -> Int64:
    """For each of the people the value that the intruder states, or -1."""
    counts = met.counts(sensitive.released, sensitive.values)
    value, largest, total = largest_of(counts)
    return np.where((total > 0) & (largest >= NEARLY * total), value, -1)[met.combination]
