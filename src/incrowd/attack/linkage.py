"""linkage, nearest: find somebody's record by what is known of them, exactly or as nearly as possible.

Reference: the scenarios of Elliot and Dale (1999); Paass (1988) for knowledge with errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.knowledge import NO_VALUES, RELEASE, has_values
from incrowd.attack.matching.best import Best, best_matches, own_fitting
from incrowd.attack.matching.numeric import moved_numbers, nearest_numbers
from incrowd.attack.matching.targets import Field, field_of
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import knowledge, list_keys, percent

Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]

WORST = 100  # so many lines are named in the audit
MOSTLY = 0.5  # above this share of labels that nobody is known by, nothing is learnt from a failure
SUBSET = 20_000  # so many targets tell which keys carry the success

KINDS: dict[Literal["linkage", "nearest"], tuple[str, int | None]] = {
    "linkage": ("looks for the records that agree in all these keys, and picks one", 0),
    "nearest": ("looks for the records that differ in the fewest of these keys, and picks one", None),
}


@dataclass(frozen=True)
class Linked:
    """What became of each target: was the pick theirs, was there one candidate only, how many were there."""

    hit: Mask
    claim: Mask
    candidates: Int64
    own: Int64


@attack("linkage", KINDS["linkage"][0], residual="What k counts", place=10, remedies=("larger_classes",))
def exact_linkage(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How often does the intruder point to the right record, by an exact match?"""
    return [_attack(situation, auxiliary, "linkage")]


@attack("nearest", KINDS["nearest"][0], residual="What k counts", place=20, remedies=("larger_classes",))
def nearest_linkage(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """The same by the record that differs least: a mistake in what is known, or a perturbed value, is forgiven."""
    return [_attack(situation, auxiliary, "nearest")]


def _attack(situation: Situation, auxiliary: Auxiliary, kind: Literal["linkage", "nearest"]) -> Attacked:
    acts, most = KINDS[kind]
    if nothing := starved(situation, kind, acts):
        return nothing
    field = field_of(situation, auxiliary, kind)
    if absent := hopeless(situation, field):
        return not_tried(situation, kind, acts, absent)
    if kind == "linkage" and field.unheard_of > MOSTLY:
        return not_tried(situation, kind, acts, f"{unheard(field.unheard)}: an exact match says nothing")
    best = best_matches(field.file, field.targets.known, most)
    linked = link(situation, field, best, kind)
    why: list[str] = []
    if kind == "nearest":
        linked, acts, why = _or_by_numbers(situation, auxiliary, field, linked, acts)
    elif field.unheard:
        why = [f"{unheard(field.unheard)}: an exact match does not find these records"]
    return judged(situation, field, linked, kind, acts, carried_by(situation, field, most), why)


def _or_by_numbers(
    situation: Situation, auxiliary: Auxiliary, field: Field, linked: Linked, acts: str
) -> tuple[Linked, str, list[str]]:
    """Where numbers were changed, the nearest number may find more people than counting the keys that differ."""
    moved = moved_numbers(situation)
    names, why = [situation.scenario.keys[key] for key in moved], []
    if moved:
        near, inside = nearest_numbers(situation, auxiliary, field, moved), field.targets.inside
        other = picked(situation, field, near.records, near.people, near.own, "nearest")
        why.append(
            f"numbers were changed ({list_keys(names)}): by keys that differ and by the nearest number, the better way "
            "is told"
        )
        if other.hit[inside].sum() > linked.hit[inside].sum():
            linked = other
            acts = f"looks for the nearest {list_keys(names)} among the records that agree otherwise, and picks one"
    if texts := {name: share for name, share in field.unheard.items() if name not in names}:
        why.append(f"{unheard(texts)}: they count as different")
    return linked, acts, why


def starved(situation: Situation, attack: str, acts: str) -> Attacked | None:
    """The result where there is nothing to look for people by; None where there is."""
    keys = situation.scenario.keys
    if not situation.released.num_rows:
        return not_tried(situation, attack, acts, "no record is released")
    if not keys:
        return not_tried(situation, attack, acts, "none of the scenario's keys is released", RELEASE)
    return None if any(has_values(situation, key) for key in keys) else not_tried(situation, attack, acts, NO_VALUES)


def hopeless(situation: Situation, field: Field) -> str:
    """Why there is no use in trying; empty where there is."""
    if field.unmatched > MOSTLY:
        return (
            f"{percent(field.unmatched)} of the register have a value that nobody in the data has: it seems to be "
            "written in another way"
        )
    if field.empty_register:
        return "the register holds nobody"
    moved = {situation.scenario.keys[key] for key in moved_numbers(situation)}
    if all(field.unheard.get(key) == 1.0 and key not in moved for key in situation.scenario.keys):
        return f"{unheard(field.unheard)}: nothing can be compared"
    return "" if field.targets.inside.any() else "nobody whom the intruder could go for is in the file"


def unheard(labels: Mapping[str, float]) -> str:
    """Which released labels say nothing that is known of anybody, in which share of the records."""
    told = [f"{name} ({percent(share)} of the records)" for name, share in labels.items()]
    return f"released labels of {list_keys(told)} occur nowhere in what is known"


def not_tried(situation: Situation, attack: str, acts: str, why: str, says: str = "") -> Attacked:
    """The result where there is nothing to try; `says` is who says that it does not apply, where it does not."""
    return Attacked(
        attack, situation.scenario.name, knowledge(situation.scenario), acts, None, None, None,
        "This attack does not apply." if says else "This attack was not tried.", why=why, does_not_apply=says,
    )  # fmt: skip


def link(situation: Situation, field: Field, best: Best, purpose: str) -> Linked:
    """Pick one of the best records for each target, by keyed chance, and see whose it is."""
    own = own_fitting(field.file.layers, field.labels, field.targets.known, best, *field.pairs)
    return picked(situation, field, best.records, best.people, own, purpose)


def picked(situation: Situation, field: Field, records: Int64, people: Int64, own: Int64, purpose: str) -> Linked:
    """The same from how many candidates there are, of how many people, and how many are the target's own.

    With a register and without response knowledge, the record may be anybody's who looks the same there: where those
    are more than the candidates, the pick is right the more seldom. A claim is a candidate without a rival: one person,
    and nobody else in the register.
    """
    targets = field.targets
    hit = own > 0
    open_ = np.flatnonzero(hit & (records > own))  # only there chance decides
    drawn = situation.draws(purpose, "pick")(len(open_)) % records[open_].astype(np.uint64)
    hit[open_] = drawn.astype(np.int64) < own[open_]
    claim = people == 1
    if targets.namesakes is not None:
        claim &= targets.namesakes <= 1
        open_ = np.flatnonzero(hit & (targets.namesakes > people))
        drawn = situation.draws(purpose, "namesake")(len(open_)) % targets.namesakes[open_].astype(np.uint64)
        hit[open_] = drawn.astype(np.int64) < people[open_]
    return Linked(hit, claim, records, own)


def judged(
    situation: Situation, field: Field, linked: Linked, attack: str, acts: str, more: str = "", why: Sequence[str] = ()
) -> Attacked:
    """The result: of the people in the file, how many were found; and how many outside were taken for somebody."""
    targets, inside = field.targets, field.targets.inside
    success = Rate(int(linked.hit[inside].sum()), int(inside.sum()))
    outsiders = Rate(int(linked.claim[~inside].sum()), int((~inside).sum()))
    claimed = Rate(int((linked.hit & linked.claim).sum()), int(linked.claim.sum()))
    baseline = len(field.pairs[0]) / max(success.tries, 1) / field.released
    at_risk = np.flatnonzero(inside & linked.claim & linked.hit & (targets.lines >= 0))
    worst = np.sort(targets.lines[at_risk])[:WORST] + 1
    knows = knowledge(situation.scenario, targets.from_register)
    sentence = (
        f"An intruder who {knows} finds the right record of {percent(success.value)} of the people in the file; "
        f"a blind guess finds {percent(baseline)}. "
    )
    if not claimed.tries:
        sentence += "Nobody stands without a look-alike."
    else:
        sentence += f"Where only one candidate is left, {percent(claimed.value)} of {claimed.tries:,} claims are right."
    if outsiders.tries:
        sentence += f" Of the people who are not in the file, {percent(outsiders.value)} are taken for somebody in it."
    return Attacked(
        attack, situation.scenario.name, knows, acts, success, baseline, None, sentence + more, claimed,
        tuple(worst.tolist()), "; ".join([*why, *_limits(situation, field)]), outsiders if outsiders.tries else None,
        drawn_of=field.drawn_of,
    )  # fmt: skip


def _limits(situation: Situation, field: Field) -> list[str]:
    """What the figures do not show."""
    targets = field.targets
    told = ["no control: who is not in the file cannot be found, so that the residual is against a blind guess"]
    if not situation.scenario.knows_who_is_in and targets.namesakes is None:
        told.append(
            "the intruder has no register, so that only look-alikes in the file count, whoever else there is in the "
            "population: found are as many as if it were known who is in the file"
        )
    if targets.namesakes is not None and not targets.from_register:
        told.append(
            "the register shares no identifier with the data: everybody is taken to be in it under their own "
            "keys, so that hits are expected ones, by class"
        )
    if field.unmatched:
        told.append(f"{percent(field.unmatched)} of the register have a value that nobody in the data has")
    if situation.loose:
        told.append("a blanked cell, or a label made class by class, fits every value that it may stand for")
    return told


def carried_by(situation: Situation, field: Field, most: int | None) -> str:
    """Which keys carry the success: what is left of it without each, by the expected share of hits."""
    keys = situation.scenario.keys
    inside = np.flatnonzero(field.targets.inside)
    if len(keys) < 2 or not len(inside) or not situation.scenario.knows_who_is_in:
        return ""
    if len(inside) > SUBSET:
        inside = np.sort(inside[np.argsort(situation.draws("subset")(len(inside)), kind="stable")[:SUBSET]])
    place = np.full(field.targets.number, -1)
    place[inside] = np.arange(len(inside))
    among = place[field.pairs[0]] >= 0
    target, record = place[field.pairs[0][among]], field.pairs[1][among]
    known = [column[inside] for column in field.targets.known]

    def expected(kept: list[int]) -> float:
        records, _ = field.file.fitting(known, kept)
        layers = [field.file.layers[key] for key in kept]
        best = Best(np.zeros(len(inside), np.int64), records, records)
        own = own_fitting(
            layers, [field.labels[key] for key in kept], [known[key] for key in kept], best, target, record
        )
        return float(np.mean(own / np.maximum(records, 1)))

    whole = expected(list(range(len(keys))))
    if whole * field.released_people < 2:  # hardly better than a guess: no key carries anything
        return ""
    without = {key: expected([i for i in range(len(keys)) if i != at]) for at, key in enumerate(keys)}
    telling = sorted(without, key=lambda key: without[key])[:2]
    parts = [f"{key} (an exact match without it: {percent(without[key])})" for key in telling]
    return f" Most hangs on {parts[0]}, then on {parts[1]}."
