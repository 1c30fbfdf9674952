"""Objectives: what a search makes as small as possible, and how small it can still get at nodes not counted yet.

Two facts bound a node. What it loses without suppression grows when it is coarsened. And where requirements prune,
it suppresses at least the records that every coarser node suppresses, at no lower price. So a score is at least
`base` (its own, or any finer node's) plus the `toll` of any coarser node that was counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from incrowd.keys.hierarchy import Levels
from incrowd.keys.loss import Float64, cell_losses, entropy_losses, height_losses, margin, shares
from incrowd.keys.table import Int64, KeyTable


class Objective(StrEnum):
    """What to make small.

    arithmetic and geometric: the mean loss of the keys, in two forms (`keys/loss.py`). discernibility: sum of f^2 over
    classes plus n for each suppressed record. class_size: records / (classes, plus one if anything is suppressed).
    entropy: bits lost about the original values, a suppressed cell as if recoded to everything. precision: mean of
    level / height, 1 where suppressed.
    """

    ARITHMETIC = "arithmetic"
    GEOMETRIC = "geometric"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class_size"
    ENTROPY = "entropy"
    PRECISION = "precision"


# How `bounds.py` puts base and toll together.
SUM, LOG_SUM, SQUARES, CLASSES = 0, 1, 2, 3
_MODES = {Objective.GEOMETRIC: LOG_SUM, Objective.DISCERNIBILITY: SQUARES, Objective.CLASS_SIZE: CLASSES}


@dataclass(frozen=True, eq=False)
class Count:
    """What was counted at one node; `extra[i]` is key i's price of suppression beyond recoding, summed over records."""

    suppressed: int
    failing: int
    kept: int
    squares: float
    failing_squares: float
    extra: Float64


@dataclass(frozen=True, eq=False)
class Yardstick:
    """An objective fitted to a table: `means[key, level]` without suppression, `extra[key, level, code]` on top."""

    objective: Objective
    mode: int
    records: int
    smallest: int
    weights: Float64
    means: Float64
    extra: Float64
    spans: Float64
    margins: tuple[Int64, ...]
    inherits: bool

    @staticmethod
    def of(
        objective: Objective,
        base: KeyTable,
        levels: Sequence[Levels],
        weights: Mapping[str, float] | None = None,
        smallest: int = 1,
    ) -> Yardstick:
        """Fit; `smallest` is the least size a kept class can have."""
        counts = [margin(base, i) for i in range(len(levels))]
        records, most = int(base.records.sum()), max(len(key.recodes) for key in levels)
        means, spans = np.zeros((len(levels), most)), np.ones((len(levels), most))
        extra, inherits = np.zeros((len(levels), most, max(len(domain) for domain in base.domains))), True
        for i, (key, count) in enumerate(zip(levels, counts, strict=True)):
            cells, gone = _prices(objective, key, count)
            inherits &= bool((np.diff(cells, axis=0) >= -1e-12).all() and (cells <= gone + 1e-12).all())
            means[i, : len(cells)] = cells @ count / max(records, 1)
            for level, recode in enumerate(key.recodes):
                np.maximum.at(extra[i, level], recode.codes, gone - cells[level])  # the same for all that occur
                spans[i, level] = max(len(np.unique(recode.codes[count > 0])), 1)
        share = shares(weights, base.names)
        mode = _MODES.get(objective, SUM)
        scale = share * len(levels) * records if objective is Objective.ENTROPY else share
        return Yardstick(objective, mode, records, smallest, scale, means, extra, spans, tuple(counts), inherits)

    @property
    def additive(self) -> bool:
        """Whether the score is a sum over records and keys, or grows with such a sum."""
        return self.mode in (SUM, LOG_SUM)

    def score(self, node: Sequence[int], count: Count) -> float:
        """The objective at a node that was counted."""
        if self.mode == SQUARES:
            kept = count.squares - count.failing_squares
            return kept + float(self.records) * count.suppressed
        if self.mode == CLASSES:
            return self.records / max(count.kept + (count.suppressed > 0), 1)
        per_key = self.per_key(node, count)
        if self.mode == LOG_SUM:
            return float(np.expm1(self.weights @ np.log1p(per_key)))
        return float(self.weights @ per_key)

    def least(self, node: Sequence[int], count: Count) -> float:
        """What the node scores at least if more classes fail than were counted."""
        if self.mode == CLASSES:
            return self.records / (count.kept + 1)
        return self.score(node, count) if self.inherits or self.mode == SQUARES else -np.inf

    def per_key(self, node: Sequence[int], count: Count) -> Float64:
        """Each key's mean price over the records, suppressed ones included."""
        means = self.means[np.arange(len(node)), list(node)]
        result: Float64 = means + count.extra / max(self.records, 1)
        return result

    def toll(self, count: Count) -> Float64:
        """What every finer node pays at least for suppression, where requirements prune."""
        if self.mode == SQUARES:
            return np.array([float(self.records) * count.suppressed - count.failing_squares])
        if self.mode == CLASSES:
            return np.array([float(count.suppressed)])
        toll: Float64 = count.extra / max(self.records, 1) * (1.0 if self.inherits else 0.0)
        return toll

    def floor(self, count: Count) -> float:
        """What every coarser node has at least as its base: its squares, or minus the classes it can have.

        A class of a coarser node holds a class that is kept here, or is made of classes that fail here; the latter
        are at most as many as those, and at most as many as their records fill.
        """
        if self.mode == SQUARES:
            return count.squares
        if self.mode == CLASSES:
            return -float(count.kept + min(count.failing, count.suppressed // self.smallest))
        return -np.inf

    def start(self, nodes: np.ndarray) -> Float64:
        """A base for each node before anything is counted: exact for losses, from the spans for the others."""
        if self.additive:
            prices = self.means if self.mode == SUM else np.log1p(self.means)
            total = _sum_over_keys(prices * self.weights[:, None], nodes)
            return total if self.mode == SUM else np.expm1(total)
        cells = np.exp(_sum_over_keys(np.log(self.spans), nodes)) * (1 + 1e-9)
        if self.mode == SQUARES:
            return float(self.records) ** 2 / cells
        most: Float64 = np.minimum(cells, self.records // self.smallest)
        return self.records / (most + 1)


def _sum_over_keys(values: Float64, nodes: np.ndarray) -> Float64:
    """The sum of values[key, level] for each node."""
    total = np.zeros(len(nodes))
    for i in range(nodes.shape[1]):
        total += values[i][nodes[:, i]]
    return total


def _prices(objective: Objective, key: Levels, count: Int64) -> tuple[Float64, Float64]:
    """The price of each cell by level and base code, and of the cell when its record is suppressed."""
    if objective is Objective.PRECISION:
        cells = height_losses(key)
    elif objective is Objective.ENTROPY:
        cells = entropy_losses(key, count)
        gone = np.log2(np.divide(count.sum(), count, out=np.ones(len(count)), where=count > 0))
        return cells, gone
    else:
        cells = cell_losses(key)
    return cells, np.ones(cells.shape[1])
