"""skewness: a value is much more frequent in the target's class than in the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from incrowd.attack.knowledge import (
    Sensitive,
    impossible,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.meeting import Meeting, gone_for, meet
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.keys.packing import group

#: A belief that grows by this factor counts.
FACTOR = 2.0
#: So many times the values are dealt out anew, for the baseline.
DEALS = 5
ACTS = (
    f"compares the target's class with the whole file, and is {FACTOR:g} times as sure of the true value as without it"
)


@attack(
    "skewness", ACTS, residual="Skewness", needs=("sensitive",), outside=True, place=70,
    remedies=("larger_classes", "closeness", "perturbed_values"),
)  # fmt: skip
def skewness(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """For how many people does the release make the intruder's belief in the truth at least twice as strong?

    Gain = q/p: q the share of the true value among the released records that can be the target's by the scenario's
    keys, p its share in the whole release. Success: targets with a gain of 2 or more. Baseline: the same with the
    release's sensitive values dealt out anew by keyed chance (mean of five), as chance alone makes small classes
    uneven. Control: people who are not in the release but have a class in it. Blank and coarser keys, and keys with
    noise, are taken as in homogeneity. Misleads for a value that more than half
    of the file has: its share cannot double (homogeneity tells about those). Reference: Li, Li and Venkatasubramanian
    (2007).
    """
    if why := impossible(situation, "skewness", ACTS):
        return why
    met = meet(situation)
    return [_attack(situation, met, sensitive_of(situation, name)) for name in situation.sensitive]


def _attack(situation: Situation, met: Meeting, sensitive: Sensitive) -> Attacked:
    gone = gone_for(situation, met, sensitive)
    aimed, outside = gone.aimed, gone.outside
    if gone.out_of_reach:
        return untried(situation, "skewness", ACTS, gone.out_of_reach, sensitive.name)
    readings = met.readings
    pairs = _pairs(met, sensitive)
    gains = [_gains(reading, sensitive, pairs, sensitive.released)[pairs.of] for reading in readings]
    at = max(range(len(readings)), key=lambda i: int((gains[i][aimed] >= FACTOR).sum()))
    gain, met = gains[at], readings[at]
    people = np.bincount(pairs.of[aimed], minlength=len(pairs.value))
    by_chance = []
    for dealt in _dealt(situation, sensitive):
        gained = _gains(met, sensitive, pairs, dealt.astype(np.int64)) >= FACTOR
        by_chance.append(int(people[gained].sum()) / int(people.sum()))
    success = Rate(int((gain[aimed] >= FACTOR).sum()), int(aimed.sum()))
    control = Rate(int((gain[outside] >= FACTOR).sum()), int(outside.sum())) if outside.any() else None
    most = largest_gain(met.histogram(sensitive.released, sensitive.values), sensitive.shares)
    common = float(sensitive.shares[sensitive.shares > 1 / FACTOR].sum())
    sentence = (
        f"For {percent(success.value)} of {success.tries:,} people the release makes somebody who knows them at least "
        f"{FACTOR:g} times as sure of the true {sensitive.name}; by chance alone it would be "
        f"{percent(float(np.mean(by_chance)))}. The largest gain in any class is {most:.1f} times."
    )
    hit = np.flatnonzero((gain >= FACTOR) & aimed)
    return Attacked(
        "skewness", situation.scenario.name, knows(situation), ACTS, success, float(np.mean(by_chance)), control,
        sentence, None, worst_of(met.people[hit], gain[hit]),
        joined("Baseline: the release's values dealt out anew by chance.", sensitive.note, met.note,
               f"{percent(common)} of the records have a value whose share cannot grow so much." if common else "",
               gone.note),
        about=sensitive.name, fair=gone.fair, drawn_of=gone.drawn_of,
    )  # fmt: skip


@dataclass(frozen=True)
class _Pairs:
    """The combinations of keys with a true value (or -1) that people have: far fewer than people, and alike for all
    who share one.
    """

    combination: Int64
    value: Int64
    of: Int64  # for each of the people


def _pairs(met: Meeting, sensitive: Sensitive) -> _Pairs:
    width = sensitive.values + 1
    first, of = group(met.combination * width + sensitive.true[met.people] + 1)
    return _Pairs(met.combination[first], sensitive.true[met.people[first]], of)


def _dealt(situation: Situation, sensitive: Sensitive) -> list[NDArray[np.signedinteger[Any]]]:
    """The released values, dealt out anew so many times: the same for every scenario. Kept, and so in few bytes."""

    def deal() -> list[NDArray[np.signedinteger[Any]]]:
        draws, number = situation.draws("skewness", sensitive.name), len(sensitive.released)
        values = sensitive.released.astype(np.min_scalar_type(-sensitive.values))
        return [values[np.argsort(draws(number), kind="stable")] for _ in range(DEALS)]

    return situation.once(deal, "dealt", sensitive.name)


def _gains(met: Meeting, sensitive: Sensitive, pairs: _Pairs, released: Int64) -> NDArray[np.float64]:
    """For each pair, q/p of the true value when records have these values; 0 where nothing can be said."""
    counts = met.counts(released, sensitive.values)
    counts.sort_indices()
    rows = np.repeat(np.arange(counts.shape[0], dtype=np.int64), np.diff(counts.indptr))
    there = rows * sensitive.values + counts.indices
    wanted = pairs.combination * sensitive.values + np.maximum(pairs.value, 0)
    at = np.minimum(np.searchsorted(there, wanted), max(len(there) - 1, 0))
    found = (there[at] == wanted) & (pairs.value >= 0) if len(there) else np.zeros(len(wanted), bool)
    count = np.zeros(len(wanted))
    count[found] = counts.data[at[found]]
    total = np.asarray(counts.sum(axis=1)).ravel()
    share_in_file = np.maximum(sensitive.shares[np.maximum(pairs.value, 0)], 1e-300)
    return np.asarray(count / np.maximum(total[pairs.combination], 1.0) / share_in_file)


def largest_gain(histogram: csr_array, shares: NDArray[np.float64]) -> float:
    """The largest q/p over the classes and values of the release."""
    total = np.asarray(histogram.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(histogram.shape[0]), np.diff(histogram.indptr))
    gains = histogram.data / total[rows] / shares[histogram.indices]
    return float(gains.max(initial=0.0))
