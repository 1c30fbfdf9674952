"""The use case classifier: can a model still be trained on the release?"""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.keys.table import Int64
from incrowd.keys.tally import Float64, Tally
from incrowd.plan.use_cases import Classifier
from incrowd.risk.value import Z95
from incrowd.secret import order_numbers
from incrowd.utility.judging import unjudged
from incrowd.utility.needs import Need
from incrowd.utility.outcome import Estimate, Figure, Outcome, overlap
from incrowd.utility.registry import Around, Sides, use_case
from incrowd.utility.use_cases.regression import NotFitted, base_levels, design, levels_of, model_needs

#: Forests are grown from records chosen by the secret, so that they are the same each time.
TREES = 100


def classifier_needs(case: Classifier, around: Around) -> list[Need]:
    """Every combination of features and target."""
    return model_needs(case, case.target)


def classifier_rule(case: Classifier) -> str:
    """How much worse the model may be."""
    return f"balanced accuracy for {case.target} falls by at most {case.lost_at_most:g} ({case.model} model)"


@use_case(Classifier, classifier_needs, classifier_rule)
def classifier(case: Classifier, sides: Sides) -> Outcome:
    """How much worse is a model that learned from the release? Balanced accuracy on a held-out part of the original.

    Who is held out is decided by a keyed hash of the record and its number among equal records, so the same people are
    left out of both trainings as far as the release still holds their records unchanged. Misleads where the release is
    perturbed: then people who are held out may have taught the release's model in disguise. Cannot be judged where the
    model of the original has no more to lose than the rule allows.
    """
    subkey = sides.around.subkey
    need = classifier_needs(case, sides.around)[0]
    before, after = _complete(case, sides.original.get(need)), _complete(case, sides.released.get(need))
    nothing = Outcome(case.name, case.test, classifier_rule(case), False, "no model", "accuracy lost")
    learn, test = _split(case, before, subkey)
    try:
        one = _score(case, learn, test, before, subkey)
    except NotFitted as fault:
        return unjudged(nothing, f"on the original {fault}")
    try:
        other = _score(case, _split(case, after, subkey)[0], test, before, subkey)
    except NotFitted as fault:
        return replace(nothing, why=f"on the release {fault}")
    lost = (one.value or 0.0) - (other.value or 0.0)
    passed = lost <= case.lost_at_most + 1e-12
    figure = Figure("balanced accuracy", one, other, lost, overlap(one, other), passed)
    found = f"{one.value:.3f} trained on the original, {other.value:.3f} on the release"
    outcome = replace(nothing, passed=passed, found=found, figures=(figure,))
    guess = 1 / len(set(test.values(case.target)))
    if (one.value or 0.0) - guess <= case.lost_at_most:
        why = f"the model of the original is no more than {case.lost_at_most:g} better than a guess ({guess:.3f})"
        return unjudged(outcome, why)
    return outcome


def _complete(case: Classifier, tally: Tally) -> Tally:
    stay = tally.where(case.among)
    for name in (*case.features, case.target):
        values = tally.values(name)
        there = ~np.isnan(tally.numbers(name)) if name in case.numbers else np.array([v is not None for v in values])
        stay &= there.astype(bool)
    return tally.keep(stay).by([*case.features, case.target])


def _split(case: Classifier, tally: Tally, subkey: bytes) -> tuple[Tally, Tally]:
    """The records to learn from and those that are held out."""
    columns = [tally.values(name) for name in tally.names]
    texts = ["".join(f"{len(str(v))}:{v}" for v in row) for row in zip(*columns, strict=True)]
    row = np.repeat(np.arange(len(texts)), tally.records)
    first = np.cumsum(tally.records) - tally.records
    number = np.arange(len(row)) - first[row]
    marks = [f"{texts[i]}#{n}" for i, n in zip(row.tolist(), number.tolist(), strict=True)]
    drawn = np.asarray(order_numbers(subkey)(pa.array(marks, pa.string()))) % (1 << 30)
    held = np.bincount(row, drawn < case.held_out * (1 << 30), len(texts)).astype(np.int64)
    return _with(tally, tally.records - held), _with(tally, held)


def _with(tally: Tally, records: Int64) -> Tally:
    return replace(tally, records=records, moments={}).keep(records > 0)


def _score(case: Classifier, learn: Tally, test: Tally, whole: Tally, subkey: bytes) -> Estimate:
    """Balanced accuracy: the mean over the target's values of the share that is recognised."""
    if len(set(learn.values(case.target))) < 2 or not test.total:
        raise NotFitted("nothing to tell apart: the target has one value, or nobody is held out")
    model = _model(case, subkey)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(_matrix(case, learn, whole), np.array(learn.values(case.target)), sample_weight=learn.records)
    said, truth = model.predict(_matrix(case, test, whole)), np.array(test.values(case.target))
    shares, error = [], 0.0
    for value in sorted(set(truth.tolist())):
        those = truth == value
        n = int(test.records[those].sum())
        share = float(test.records[those & (said == value)].sum() / n)
        shares.append(share)
        error += share * (1 - share) / n
    score, half = sum(shares) / len(shares), Z95 * sqrt(error) / len(shares)
    return Estimate(score, max(score - half, 0.0), min(score + half, 1.0), test.total)


def _matrix(case: Classifier, tally: Tally, whole: Tally) -> Float64:
    """The features as columns, numbers scaled by their spread in the original."""
    made = design(case, tally, base_levels(case, whole), levels_of(case, whole))
    matrix = made.matrix[:, 1:]
    for name in case.numbers:
        i, values = made.terms.index(name) - 1, whole.numbers(name)
        mean = float(np.average(values, weights=whole.records))
        variance = float(np.average((values - mean) ** 2, weights=whole.records))
        matrix[:, i] = (matrix[:, i] - mean) / (sqrt(variance) or 1.0)
    return matrix


def _model(case: Classifier, subkey: bytes) -> Any:
    if case.model == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, class_weight="balanced")
    from sklearn.ensemble import RandomForestClassifier

    seed = int.from_bytes(subkey[:4], "big")
    return RandomForestClassifier(TREES, min_samples_leaf=5, class_weight="balanced", random_state=seed, n_jobs=1)
