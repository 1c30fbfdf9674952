"""Mondrian: the textbook top-down recoding of numeric keys, for comparison with local recoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.table import Int64, KeyTable


@dataclass(frozen=True, eq=False)
class Mondrian:
    """Boxes: base class c is in box `to[c]`, which spans `low[i, j]` to `high[i, j]` in key i (both included)."""

    to: Int64
    low: Int64
    high: Int64
    loss_arithmetic: float

    @property
    def classes(self) -> int:
        """The number of boxes."""
        return int(self.low.shape[1])


def mondrian(
    table: KeyTable, k: int, *, ranks: Sequence[Int64] | None = None, spans: Sequence[int] | None = None
) -> Mondrian:
    """Which boxes of at least k records does cutting at medians give? (Strict: equal values stay together.)

    Cut the box at the median of the key in which it is widest, relative to the key; if one side would have fewer
    than k records, try the next key; a box that cannot be cut is a class. Loss of a cell = (high - low) / (span - 1).
    `ranks[i][code]` is the place of a value in key i's order (default: the order of the codes), `spans[i]` the number
    of places (default: as many as values).

    Misleads for keys without an order: there the boxes, and so the loss, mean nothing; and the boxes of one release
    are cut anywhere, so that no two releases have the same bands. Reference: LeFevre, DeWitt and Ramakrishnan 2006.

    >>> from incrowd.keys.table import from_records
    >>> result = mondrian(from_records({"age": ["20", "21", "30", "35"]}), 2)
    >>> result.low.tolist(), result.high.tolist()
    ([[0, 2]], [[1, 3]])
    """
    if table.pairs is not None:
        raise InputError("D048", "mondrian needs one record per person.", "Recode whole variables instead.")
    if int(table.records.sum()) < k:
        raise NotReleasable("R014", f"the file has fewer than {k} records.", "Ask for a smaller k.")
    place = [np.arange(len(domain)) for domain in table.domains] if ranks is None else list(ranks)
    widths = np.array([len(domain) for domain in table.domains] if spans is None else list(spans), np.float64)
    widths = np.maximum(widths - 1, 1)
    points = np.array([rank[codes] for rank, codes in zip(place, table.codes, strict=True)], np.int64)
    to = np.full(len(table.records), -1, np.int64)
    low: list[Int64] = []
    high: list[Int64] = []
    waiting = [np.flatnonzero(table.records > 0)]
    while waiting:
        box = waiting.pop()
        inside = points[:, box]
        parts = _cut(inside, table.records[box], k, widths)
        if parts is not None:
            # The lower half is cut first, so that boxes are numbered from low to high.
            waiting += [box[~parts], box[parts]]
            continue
        to[box] = len(low)
        low.append(inside.min(axis=1))
        high.append(inside.max(axis=1))
    lows, highs = np.array(low, np.int64).T, np.array(high, np.int64).T
    filled = to >= 0
    sizes = np.bincount(to[filled], table.records[filled], len(low))
    loss = ((highs - lows) / widths[:, None]).mean(axis=0) @ sizes / sizes.sum()
    return Mondrian(to, lows, highs, float(loss))


def _cut(inside: Int64, records: Int64, k: int, widths: np.ndarray) -> np.ndarray | None:
    """The lower side of the first cut that leaves k records on both, the widest key tried first."""
    extent = (inside.max(axis=1) - inside.min(axis=1)) / widths
    total = int(records.sum())
    for key in np.argsort(-extent, kind="stable"):
        if extent[key] == 0:
            return None
        order = np.argsort(inside[key], kind="stable")
        middle = inside[key][order][np.searchsorted(np.cumsum(records[order]), (total + 1) // 2)]
        for lower in (inside[key] <= middle, inside[key] < middle):
            mass = int(records[lower].sum())
            if mass >= k and total - mass >= k:
                return np.asarray(lower)
    return None
