"""inference: a model trained on the release predicts what the target would rather not tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.knowledge import (
    Bools,
    Sensitive,
    believed,
    impossible,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.fitting import ANY
from incrowd.attack.matching.meeting import labels_of
from incrowd.attack.matching.neighbours import Near, equal
from incrowd.attack.matching.spans import are_numbers, middle
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

#: Parts for the control: each is predicted by a model that has not seen it.
PARTS = 3
#: Values of a sensitive variable that a tree tells apart; it never predicts rarer ones.
MOST_VALUES = 20
#: Categories of a key that the model tells apart; rarer ones are as good as missing.
MOST_CATEGORIES = 1_000
MOST_TARGETS = 20_000
#: The least people in a leaf of the tree.
LEAF = 10
TREE, NEAREST = "a decision tree", "the nearest records"
ACTS = f"trains a model ({TREE}, or {NEAREST}) on the release to predict the value from the keys, and states what it \
predicts"

Floats = NDArray[np.float64]


@attack("inference", ACTS, measures="Skewness", needs=("sensitive",), on_request=True, place=80)
def inference(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How well does a model that learned from the release predict people's sensitive values?

    Two models are tried: a decision tree, which sees how keys and value go together, and the nearest records (Gower's
    distance on the keys), which remember everybody. The stronger is told. So that choosing it does not flatter it, the
    people are dealt into two halves, and the model of each half is the one that was right more often in the other.

    Success: right predictions, of all targets who have a value. Baseline: the most frequent value for everybody.
    Control: the same models without the target's own records (the people are dealt into three parts by keyed chance,
    and each part is predicted by models of the other two). Where success and control are alike but above the baseline,
    the release does not give its people away; it shows how keys and value go together, which is true of people outside
    as well. Misleads in small files, where a model that gets fewer records is worse for that reason alone.
    """
    if why := impossible(situation, "inference", ACTS):
        return why
    inside = np.flatnonzero(situation.inside)
    people = situation.chosen(MOST_TARGETS, "inference")
    people = people[situation.inside[people]] if situation.scenario.knows_who_is_in else people
    few = "it takes a few released records, and two values of the variable that people have and the release shows."
    if not len(people) or len(inside) < 2 * PARTS:
        return [untried(situation, "inference", ACTS, few, name) for name in situation.sensitive]
    room = _room(situation, people)
    found = []
    for name in situation.sensitive:
        sensitive = sensitive_of(situation, name)
        told = sensitive.true[people] >= 0
        if not told.any() or len(np.unique(sensitive.released[sensitive.released >= 0])) < 2:
            found.append(untried(situation, "inference", ACTS, few, name))
            continue
        found.append(_attack(situation, sensitive, room, told))
    return found


@dataclass(frozen=True)
class Room:
    """What all models learn from and are asked, whatever the variable."""

    people: Int64  # the targets
    table: Floats  # the keys of the released records, as numbers
    aims: Floats  # those of the targets, as believed
    categories: list[int]  # which keys are categories
    learn: list[Bools]  # from which released records: all, and for each part those of other people
    asked: list[Bools]  # which targets are asked: all, and those of the part
    near: list[Near]
    half: Int64  # 0 or 1 for each target


def _room(situation: Situation, people: Int64) -> Room:
    table, aims, categories = features(situation, people)
    part_of = _dealt(situation, "parts", PARTS)
    mine, theirs = part_of[situation.lines], part_of[people]
    learn = [np.ones(len(mine), bool), *(mine != part for part in range(PARTS))]
    asked = [np.ones(len(people), bool), *(theirs == part for part in range(PARTS))]
    near = [Near.of(table[which], aims[whom], categories) for which, whom in zip(learn, asked, strict=True)]
    return Room(people, table, aims, categories, learn, asked, near, _dealt(situation, "halves", 2)[people])


def _dealt(situation: Situation, purpose: str, into: int) -> Int64:
    """For each record of the original the part that its person was dealt into, by keyed chance."""
    parts = np.zeros(int(situation.people.max(initial=0)) + 1, np.int64)
    dealt = np.argsort(situation.draws("inference", purpose)(len(parts)), kind="stable")
    parts[dealt] = np.arange(len(parts)) % into
    return parts[situation.people]


def _attack(situation: Situation, sensitive: Sensitive, room: Room, told: Bools) -> Attacked:
    seed = int(situation.draws("inference", "model", sensitive.name)(1)[0] % np.uint64(2**31))
    usable, merged = _usable(sensitive)
    true = sensitive.true[room.people]
    stated: dict[str, list[Int64]] = {TREE: [], NEAREST: []}  # with the target's own records, and without
    for model in stated:
        for parts in (slice(0, 1), slice(1, None)):
            found = np.full(len(true), -1, np.int64)
            for learn, asked, near in zip(room.learn[parts], room.asked[parts], room.near[parts], strict=True):
                if model == NEAREST:
                    found[asked] = near.state(sensitive.released[learn], sensitive.values)
                else:
                    known = learn & usable
                    found[asked] = _predict(
                        room.table[known], sensitive.released[known], room.aims[asked], room.categories, seed
                    )
            stated[model].append(found)
    chosen = _chosen({model: (with_own == true)[told] for model, (with_own, _) in stated.items()}, room.half[told])
    right, without = (
        np.choose(chosen, [(stated[model][at] == true)[told] for model in stated])
        for at in (0, 1)
    )  # fmt: skip
    success, control = (Rate(int(hits.sum()), len(hits)) for hits in (right, without))
    people, true = room.people[told], true[told]
    baseline = float((true == sensitive.most).mean())
    rare = np.flatnonzero(right.astype(bool) & ~without.astype(bool))
    order = 1 / np.maximum(sensitive.shares[true[rare]], 1e-12)
    alone = {
        model: percent(float((found[0] == sensitive.true[room.people])[told].mean())) for model, found in stated.items()
    }
    sentence = (
        f"A model trained on the release names the right {sensitive.name} for {percent(success.value)} of "
        f"{success.tries:,} people; without their own records it is {percent(control.value)}, and naming the most "
        f"frequent value for everybody is right for {percent(baseline)}."
    )
    tried = (
        f"Tried: {TREE} ({alone[TREE]}) and {NEAREST} ({alone[NEAREST]}); for each half of the people the model that \
was right more often in the other half."
    )
    most = f"{merged:,} released records have a rarer value than the {MOST_VALUES} that the tree learns."
    few = "Targets: people chosen by chance." if situation.known.num_rows > MOST_TARGETS else ""
    return Attacked(
        "inference", situation.scenario.name, knows(situation), ACTS, success, baseline, control, sentence, None,
        worst_of(people[rare], order), joined(sensitive.note, tried, most if merged else "", few),
        about=sensitive.name,
    )  # fmt: skip


def _chosen(right: dict[str, Bools], half: Int64) -> Int64:
    """For each target the number of the model that was right more often in the other half; the first when alike."""
    found = np.zeros(len(half), np.int64)
    for one in (0, 1):
        others = half != one
        found[~others] = int(np.argmax([int(hits[others].sum()) for hits in right.values()]))
    return found


def features(situation: Situation, people: Int64) -> tuple[Floats, Floats, list[int]]:
    """The keys as numbers, of the released records and of people as believed; and which of them are categories.

    Labels that are numbers or ranges become numbers (the middle), so that a coarser label lies where its values do; one
    that was given up altogether is missing. Of other labels, a value that the release does not use is replaced by the
    label it was most often released under.
    """
    keys = situation.scenario.keys
    tables = [situation.released.select(keys), believed(situation, people), situation.known.select(keys)]
    coded = codes_of(tables, keys)
    columns: list[tuple[Floats, Floats]] = []
    categories = []
    for i, key in enumerate(keys):
        labels, (released, mine, true) = labels_of(tables, key), (codes[i] for codes in coded)
        if are_numbers([label for label in labels if label != ANY]):
            points = np.array([middle(label) for label in labels])
            columns.append((points[released], points[mine]))
            continue
        categories.append(i)
        columns.append(_category(labels, released, mine, true[situation.lines]))
    return np.column_stack([c[0] for c in columns]), np.column_stack([c[1] for c in columns]), categories


def _category(labels: list[str | None], released: Int64, mine: Int64, behind: Int64) -> tuple[Floats, Floats]:
    counts = np.bincount(released, minlength=len(labels))
    to = np.arange(len(labels))
    pairs, often = np.unique(behind * len(labels) + released, return_counts=True)
    for at in np.argsort(often, kind="stable").tolist():  # the most frequent is written last
        value, label = divmod(int(pairs[at]), len(labels))
        if not counts[value]:
            to[value] = label
    kept = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    number = np.full(len(labels), np.nan)
    number[kept[counts[kept] > 0]] = np.arange(int((counts[kept] > 0).sum()))
    number[[i for i, label in enumerate(labels) if label is None]] = np.nan
    return number[released], number[to[mine]]


def _usable(sensitive: Sensitive) -> tuple[Bools, int]:
    """Released records whose value a model learns, and how many have a value that is too rare for that."""
    order = np.argsort(-sensitive.shares, kind="stable")
    learnt = np.zeros(sensitive.values + 1, bool)
    learnt[order[:MOST_VALUES]] = True
    learnt[-1] = False
    usable = learnt[sensitive.released]
    return usable, int(((sensitive.released >= 0) & ~usable).sum())


def _predict(table: Floats, values: Int64, aims: Floats, categories: list[int], seed: int) -> Int64:
    """What a tree grown from these records says about others. Equal records count once, with their number as weight.

    Categories are put in the order of the mean of the values that go with them, so that a cut parts like from unlike.
    """
    if len(np.unique(values)) < 2:
        return np.full(len(aims), values[0] if len(values) else -1, np.int64)
    if not len(aims):
        return np.zeros(0, np.int64)
    from sklearn.tree import DecisionTreeClassifier

    table, aims = table.copy(), aims.copy()
    for i in categories:
        there = ~np.isnan(table[:, i])
        codes = table[there, i].astype(np.int64)
        sums = np.bincount(codes, weights=values[there], minlength=MOST_CATEGORIES)
        means = sums / np.maximum(np.bincount(codes, minlength=MOST_CATEGORIES), 1)
        for part in (table, aims):
            known = ~np.isnan(part[:, i])
            part[known, i] = means[part[known, i].astype(np.int64)]
    rows, to = equal([*table.T, values.astype(float)])
    counts = np.bincount(to)
    leaf = min(LEAF, max(len(values) // 20, 1)) / len(values)
    model: Any = DecisionTreeClassifier(min_weight_fraction_leaf=leaf, random_state=seed)
    model.fit(table[rows], values[rows], sample_weight=counts)
    different, back = equal(list(aims.T))
    return np.asarray(model.predict(aims[different])[back], np.int64)
