"""Models that learn how keys and value go together: one tree, a forest, boosted trees.

Each takes a lesson and says a value for everybody whom it is asked about. They err in different ways: a tree with
leaves of ten learns rules, boosting learns finer ones, and a forest of full-grown trees also has the records by heart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from incrowd.attack.learning.features import Floats, Lesson, in_order
from incrowd.attack.matching.neighbours import equal
from incrowd.attack.situation import Int64

Model = Callable[[Lesson], Int64]

#: The least people in a leaf of the tree.
LEAF = 10
#: Boosting grows so many trees in all, spread over the values, and at least so many rounds of them.
BOOSTED, ROUNDS = 240, 15
#: Categories that boosting takes as they are; a key with more is put in the order of its values' means.
NATIVE = 250
FOREST_TREES = 40


def one_tree(lesson: Lesson) -> Int64:
    """A decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    table, aims = in_order(lesson, lesson.categories)
    rows, to = equal([*table.T, lesson.values.astype(float)])
    number = int(lesson.counts.sum())
    leaf = min(LEAF, max(number // 20, 1)) / number
    model: Any = DecisionTreeClassifier(min_weight_fraction_leaf=leaf, random_state=lesson.seed)
    model.fit(table[rows], lesson.values[rows], sample_weight=np.bincount(to, weights=lesson.counts))
    return np.asarray(model.predict(aims), np.int64)


def forest(lesson: Lesson) -> Int64:
    """Full-grown trees with cuts by chance (Geurts, Ernst and Wehenkel 2006): each remembers every record."""
    from sklearn.ensemble import ExtraTreesClassifier

    table, aims = in_order(lesson, lesson.categories)
    model: Any = ExtraTreesClassifier(FOREST_TREES, max_features=None, random_state=lesson.seed)
    model.fit(table, lesson.values, sample_weight=lesson.counts)
    return np.asarray(model.predict(aims), np.int64)


def boosting(lesson: Lesson) -> Int64:
    """Trees one after the other, each on what the ones before got wrong; categories as they are."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = len(np.unique(lesson.values))
    table, aims, native = _native(lesson)
    model: Any = HistGradientBoostingClassifier(
        max_iter=max(BOOSTED // (values if values > 2 else 1) // 2, ROUNDS), categorical_features=native,
        early_stopping=False, min_samples_leaf=LEAF, random_state=lesson.seed,
    )  # fmt: skip
    with one_thread():
        model.fit(table, lesson.values, sample_weight=lesson.counts)
        return np.asarray(model.predict(aims), np.int64)


def boosted_number(lesson: Lesson, numbers: Floats) -> Floats:
    """The same for a number: the middle of what is likely. `numbers` has that of each row of the lesson."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    table, aims, native = _native(lesson)
    model: Any = HistGradientBoostingRegressor(
        loss="absolute_error", max_iter=BOOSTED // 3, categorical_features=native, early_stopping=False,
        min_samples_leaf=LEAF, random_state=lesson.seed,
    )  # fmt: skip
    with one_thread():
        model.fit(table, numbers, sample_weight=lesson.counts)
        return np.asarray(model.predict(aims), float)


@contextmanager
def one_thread() -> Iterator[None]:
    """Boosting waits for its threads all the time: on a machine that has other work, two took fifty times as long."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # scikit-learn's own dependency

    with threadpool_limits(1, user_api="openmp"):
        yield


def _native(lesson: Lesson) -> tuple[Floats, Floats, list[int]]:
    """Table, aims and the categories that boosting takes as they are; the others as numbers."""
    many = [i for i in lesson.categories if np.nan_to_num(lesson.table[:, i]).max(initial=0) >= NATIVE]
    table, aims = in_order(lesson, many)
    native = [i for i in lesson.categories if i not in many]
    for i in native:  # a category that this lesson does not have is a missing one
        aims[~np.isin(aims[:, i], table[:, i]), i] = np.nan
    return table, aims, native
