"""What is missing from a release, and what stands around it: shared by the attacks on gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from incrowd.attack.knowledge import Bools, Sensitive
from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.matching.meeting import Meeting
from incrowd.attack.situation import Int64
from incrowd.keys.packing import group, pack

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Around:
    """For each combination of keys, the values in the released classes that differ from it in one key."""

    counts: csr_array  # combinations x values

    @property
    def there(self) -> Bools:
        """For each combination, whether it has neighbours at all."""
        return np.asarray(np.diff(self.counts.indptr) > 0)

    def guess(self, otherwise: Floats, among: Bools | None = None) -> tuple[Int64, Floats]:
        """The most frequent value among the neighbours, and its share there. Where they have none of the values asked
        for, the one that is most frequent `otherwise`, with share 0.
        """
        among = np.ones(self.counts.shape[1], bool) if among is None else among
        value, largest, _ = largest_of(csr_array(self.counts @ diags_array(among.astype(float))))
        total = np.asarray(self.counts.sum(axis=1)).ravel()
        usual = int(np.where(among, otherwise, -1.0).argmax())
        return np.where(largest > 0, value, usual), largest / np.maximum(total, 1.0)

    def shares(self, rows: Int64, otherwise: Floats) -> Floats:
        """The share of each value among the neighbours of some combinations; without any, that in the whole release."""
        dense = self.counts[rows].toarray()
        total = dense.sum(axis=1, keepdims=True)
        return np.where(total > 0, dense / np.maximum(total, 1.0), otherwise[None, :])


def around(met: Meeting, sensitive: Sensitive) -> Around:
    """Neighbours' values: key by key, the classes that share all other keys; a combination's own class is left out.

    So are classes with a blank or coarser key: a blank could be the target's own record.
    """
    firm = diags_array((~met.loose).astype(float))
    histogram = csr_array(firm @ met.histogram(sensitive.released, sensitive.values))
    keys, number, classes = met.codes.shape[0], met.codes.shape[1], met.classes
    both = np.concatenate([met.codes, met.class_codes], axis=1)
    spans = (both.max(axis=1, initial=0) + 1).tolist()
    total = csr_array((number, sensitive.values))
    for key in range(keys):
        rest = [i for i in range(keys) if i != key]
        groups = np.zeros(number + classes, np.int64)
        if rest:
            _, groups = group(pack([both[i] for i in rest], [spans[i] for i in rest]))
        width = int(groups.max(initial=0)) + 1
        mine = csr_array((np.ones(number), (np.arange(number), groups[:number])), shape=(number, width))
        theirs = csr_array((np.ones(classes), (groups[number:], np.arange(classes))), shape=(width, classes))
        total = total + mine @ (theirs @ histogram)
    there = np.flatnonzero(met.exact >= 0)
    own = csr_array((np.ones(len(there)), (there, met.exact[there])), shape=(number, classes))
    left = csr_array(total - keys * (own @ histogram))
    left.eliminate_zeros()
    return Around(left)


def missing(met: Meeting) -> Bools:
    """For each combination, whether no released record can have it.

    A class that can be everybody's is none of anybody's: beside others it closes no gap.
    """
    anybody = met.loose & (np.bincount(met.meets.indices, minlength=met.classes) == met.meets.shape[0])
    if anybody.all():
        anybody[:] = False
    return np.asarray(met.meets @ (~anybody).astype(float) == 0)


def auc(scores: Floats, true: Bools) -> float | None:
    """The chance that somebody with the value has a higher score than somebody without; ties count half. None when all
    have it or nobody has.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    with_it = int(true.sum())
    without = len(true) - with_it
    if not with_it or not without:
        return None
    _, to, number = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(number) - (number - 1) / 2)[to.ravel()]
    return float((ranks[true].sum() - with_it * (with_it + 1) / 2) / (with_it * without))


def auc_of_values(shares: Floats, true: Int64) -> float | None:
    """The AUC of each value against the rest, weighted by how many have it."""
    found, weights = [], []
    for value in np.unique(true[true >= 0]).tolist():
        one = auc(shares[:, value], true == value)
        if one is not None:
            found.append(one)
            weights.append(int((true == value).sum()))
    return float(np.average(found, weights=weights)) if found else None
