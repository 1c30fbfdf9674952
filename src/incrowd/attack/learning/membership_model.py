"""From how close the release comes to people, to whether they were in it: learnt from some, said of others.

The two never mix. To learn from one half for the other and the other way round would double the tries, but the two
results would rise and fall together, and an interval that takes them for independent would be too narrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from incrowd.attack.knowledge import Bools
from incrowd.attack.learning.features import Floats
from incrowd.attack.learning.models import one_thread
from incrowd.attack.situation import Int64

ROUNDS = 40  # of boosting: the measures are few
LEAST = 15  # people in a leaf


def judged_members(measured: Floats, member: Int64, learn: Bools, seed: int) -> tuple[Bools, Floats]:
    """For each of those not learnt from: are they called members, and how likely they were in.

    Boosted trees on all measures, or a threshold on the first (the distance): the way that is right more often about
    every other one of those learnt from, when it has learnt from the rest.
    """
    seen, known = measured[learn], member[learn]
    first = np.arange(len(known)) // 2 % 2 == 0
    scores = _scored(seen[first], known[first], seen[~first], seed)
    near = seen[~first, 0] <= _threshold(seen[first, 0], known[first])
    truth = known[~first] == 1
    by_distance = int((near == truth).sum()) > int(((scores >= 0.5) == truth).sum())
    scores = _scored(seen, known, measured[~learn], seed)
    if by_distance:
        return measured[~learn, 0] <= _threshold(seen[:, 0], known), -measured[~learn, 0]
    return scores >= 0.5, scores


def _scored(seen: Floats, member: Int64, asked: Floats, seed: int) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model: Any = HistGradientBoostingClassifier(
        max_iter=ROUNDS, max_depth=3, min_samples_leaf=LEAST, early_stopping=False, random_state=seed
    )
    with one_thread():
        model.fit(seen, member)
        return np.asarray(model.predict_proba(asked)[:, 1], float)


def _threshold(distance: Floats, member: Int64) -> float:
    """The distance up to which calling people members is right most often; below all where that is never better."""
    order = np.argsort(distance, kind="stable")
    gain = np.cumsum(np.where(member[order] == 1, 1, -1))
    ends = np.flatnonzero(np.r_[np.diff(distance[order]) > 0, True])
    best = ends[np.argmax(gain[ends])]
    return float(distance[order][best]) if gain[best] > 0 else -1.0
