"""inference: models trained on the release predict what the target would rather not tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.attack.knowledge import (
    Bools,
    Sensitive,
    impossible,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.learning.guesses import MODELS, MOST_FOREST, MOST_LEARNT, MOST_VALUES, NEAREST, Guesses, guess
from incrowd.attack.learning.numbers import CLOSE, Numbers, close
from incrowd.attack.learning.room import PARTS, Room, room_of, strongest
from incrowd.attack.registry import ASSUMES, attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import list_keys, percent

MOST_TARGETS, THOROUGH_TARGETS = 20_000, 100_000
ACTS = f"trains models on the release ({list_keys([*MODELS, NEAREST])}) to predict the value from the keys, and states \
what the strongest predicts"
FEW = "it takes a few released records, and two values of the variable that people have and the release shows."


@attack(
    "inference", ACTS, residual="Skewness", needs=("sensitive",), on_request=True, place=80,
    remedies=("larger_classes", "closeness", "perturbed_values"),
    assumes=f"{ASSUMES} The intruder knows which model suits such files, and nothing else of the targets.",
)  # fmt: skip
def inference(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How well do models that learned from the release predict people's sensitive values?

    The strongest of several is told: a decision tree and boosting, which see how keys and value go together; a forest
    of full-grown trees and the nearest records (Gower's distance on the keys), which remember everybody; and for a
    number also boosting on the number itself. So that choosing does not flatter it, the people are dealt into two
    halves, and the model of each half is the one that was right more often in the other: an intruder who knows which
    model suits such files, and nothing of these people. (To try the models on the release alone would not do: that
    finds those which see rules, and never those which remember.)

    Success: right predictions, of the people in the file who have a value. Baseline: the most frequent value for
    everybody. Control: the strongest without the target's own records, chosen in the same way (the people are dealt
    into parts by keyed chance, and each part is predicted by models of the others). Where success and control are alike
    but above the baseline, the release does not give its people away; it shows how keys and value go together, which is
    true of people outside as well. Misleads in small files, where a model that gets fewer records is worse for that
    alone.
    """
    if why := impossible(situation, "inference", ACTS):
        return why
    people = situation.chosen(THOROUGH_TARGETS if auxiliary.thorough else MOST_TARGETS, "inference")
    sampled = len(people) < situation.known.num_rows
    meant = situation.inside  # others have no record of their own to be found by, and make nobody in the file safer
    people = people[meant[people]]
    if not len(people) or situation.released.num_rows < 2 * PARTS:
        return [untried(situation, "inference", ACTS, FEW, name) for name in situation.sensitive]
    room = room_of(situation, people, auxiliary.thorough)
    found = []
    for name in situation.sensitive:
        sensitive = sensitive_of(situation, name)
        told = sensitive.true[people] >= 0
        if not told.any() or len(np.unique(sensitive.released[sensitive.released >= 0])) < 2:
            found.append(untried(situation, "inference", ACTS, FEW, name))
            continue
        drawn_of = int((meant & (sensitive.true >= 0)).sum()) if sampled else None
        found.append(_attack(situation, sensitive, room, told, drawn_of))
    return found


def _attack(situation: Situation, sensitive: Sensitive, room: Room, told: Bools, drawn_of: int | None) -> Attacked:
    seed = int(situation.draws("inference", "model", sensitive.name)(1)[0] % np.uint64(2**31))
    numbers = Numbers.of(situation, sensitive) if sensitive.banded else None
    guesses = guess(sensitive, numbers, room, seed)
    true, half = sensitive.true[room.people][told], room.half[told]
    right = [{model: both[at][told] == true for model, both in guesses.values.items()} for at in (0, 1)]
    with_own, without = (strongest(hits, half) for hits in right)
    success, control = (Rate(int(hits.sum()), len(hits)) for hits in (with_own, without))
    baseline = float((true == sensitive.most).mean())
    rare = np.flatnonzero(with_own & ~without)
    order = 1 / np.maximum(sensitive.shares[true[rare]], 1e-12)
    sentence = (
        f"A model trained on the release names the right {sensitive.name} for {percent(success.value)} of "
        f"{success.tries:,} people; without their own records it is {percent(control.value)}, and naming the most "
        f"frequent value for everybody is right for {percent(baseline)}."
    )
    if numbers is not None:
        sentence += f" {named(guesses, numbers, room, told).said}"
    shares = [{model: percent(float(hits.mean())) for model, hits in each.items()} for each in right]
    tried = "; ".join(f"{model} {shares[0][model]}, without own records {shares[1][model]}" for model in shares[0])
    return Attacked(
        "inference", situation.scenario.name, knows(situation), ACTS, success, baseline, control, sentence, None,
        worst_of(room.people[told][rare], order),
        joined(sensitive.note, f"Tried: {tried}. {CHOICE}", *_limits(guesses)), about=sensitive.name,
        drawn_of=drawn_of,
    )  # fmt: skip


CHOICE = "The strongest is told: for each half of the people the model that was right more often in the other half, so \
that choosing does not flatter it."


def _limits(guesses: Guesses) -> list[str]:
    """What the figure does not show."""
    found = []
    if guesses.rare:
        found.append(
            f"{guesses.rare:,} released records have a rarer value than the {MOST_VALUES} that trees learn: only the "
            "nearest records name it."
        )
    if guesses.thinned:
        found.append(f"Boosting learnt from {MOST_LEARNT:,} different records by chance.")
    if guesses.no_forest:
        found.append(f"No forest, which takes long on more than {MOST_FOREST:,} different records.")
    return found


@dataclass(frozen=True)
class Named:
    """How often a number is named nearly, with the target's own records and without; and the middle one for all."""

    success: Rate
    control: Rate
    baseline: float

    @property
    def said(self) -> str:
        """In a sentence."""
        return (
            f"The number itself is named to within {CLOSE:.0%} for {percent(self.success.value)} "
            f"({percent(self.success.low)} to {percent(self.success.high)}), without their own records for "
            f"{percent(self.control.value)}; the middle one of the release for everybody is as near for "
            f"{percent(self.baseline)}."
        )


def named(guesses: Guesses, numbers: Numbers, room: Room, told: Bools) -> Named:
    """How near the strongest model comes to the number, the model being chosen as for bands."""
    true, half = numbers.true[room.people][told], room.half[told]
    hits = [
        strongest({model: close(both[at][told], true) for model, both in guesses.numbers.items()}, half)
        for at in (0, 1)
    ]  # fmt: skip
    success, control = (Rate(int(one.sum()), len(one)) for one in hits)
    guessed = np.full(len(true), np.nanmedian(numbers.released))
    return Named(success, control, float(close(guessed, true).mean()))
