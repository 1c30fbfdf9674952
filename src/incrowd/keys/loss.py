"""Loss: what coarsening costs. Every figure rests on one cell's loss, between 0 (as it was) and 1 (suppressed).

A cell's loss is looked up by level and *base code* (its code at level 0), so a recoding of a whole variable, a
recoding per class and a suppressed record are all sums over the same matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.hierarchy import Levels
from incrowd.keys.table import Int64, KeyTable

Float64 = NDArray[np.float64]


def cell_losses(levels: Levels) -> Float64:
    """What does one cell lose? (leaves under its value - 1) / (leaves in the hierarchy - 1): [level, base code].

    Misleads where leaves differ in worth: every leaf counts alike, whether anybody has that value or not.
    Reference: Iyengar 2002.
    """
    rows = [loss[recode.codes] for loss, recode in zip(levels.losses, levels.recodes, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(levels.domain))


def height_losses(levels: Levels) -> Float64:
    """How far up the hierarchy is a cell? level / height, the same for all values: [level, base code].

    Misleads where one level is a small step and the next a large one. Reference: Sweeney 2002 (precision).
    """
    height = max(levels.height, 1)
    steps = np.arange(levels.height + 1, dtype=np.float64) / height
    return np.repeat(steps[:, None], len(levels.domain), axis=1)


def entropy_losses(levels: Levels, counts: Int64) -> Float64:
    """How many bits about the original value are gone? log2(f recoded / f original): [level, base code].

    `counts` are the records of each base code; a code that does not occur loses nothing. Reference: Gionis and
    Tassa 2009 (non-uniform entropy).
    """
    rows = []
    for recode in levels.recodes:
        together = np.bincount(recode.codes, weights=counts, minlength=len(recode.domain))[recode.codes]
        ratio = np.divide(together, counts, out=np.ones(len(counts)), where=counts > 0)
        rows.append(np.log2(ratio))
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(levels.domain))


def shares(weights: Mapping[str, float] | None, names: Sequence[str]) -> Float64:
    """The weights of the keys, scaled to sum 1; a key that is not named weighs 1 before scaling."""
    given = weights or {}
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise ValueError(f"weights for {', '.join(unknown)}, which are not keys")
    raw = np.array([given.get(name, 1.0) for name in names], dtype=np.float64)
    if (raw < 0).any() or not raw.sum() > 0 or not np.isfinite(raw).all():
        raise ValueError("weights must be finite, not negative, and not all zero")
    scaled: Float64 = raw / raw.sum()
    return scaled


def arithmetic(per_key: Float64, weights: Float64 | None = None) -> Float64:
    """The plain mean of the keys' losses (last axis); weights sum to 1.

    >>> float(arithmetic(np.array([0.0, 0.5])))
    0.25
    """
    result: Float64 = per_key.mean(axis=-1) if weights is None else per_key @ weights
    return result


def geometric(per_key: Float64, weights: Float64 | None = None) -> Float64:
    """prod (1 + l_i)^(w_i) - 1 over the last axis, w_i = 1/d without weights: ARX's form.

    It prefers uneven losses to even ones, so it spares some keys at the cost of others.

    >>> round(float(geometric(np.array([0.0, 0.44]))), 12)
    0.2
    """
    result: Float64 = np.expm1(arithmetic(np.log1p(per_key), weights))
    return result


def margin(table: KeyTable, key: int) -> Int64:
    """Records of each code of one key."""
    counts = np.bincount(table.codes[key], weights=table.records, minlength=len(table.domains[key]))
    return counts.astype(np.int64)  # exact: whole numbers below 2^53


def key_losses(
    base: KeyTable,
    losses: Sequence[Float64],
    chosen: Sequence[int],
    kept: NDArray[np.bool_] | None = None,
) -> Float64:
    """Each key's mean loss over the records of the file, if the keys take the chosen levels.

    `losses` holds one matrix [level, base code] a key; classes of the base table that are not `kept` are
    suppressed and lose 1 in every key.
    """
    records = base.records.astype(np.float64)
    total = max(float(records.sum()), 1.0)
    result = np.empty(len(losses))
    for i, (matrix, level) in enumerate(zip(losses, chosen, strict=True)):
        cells = matrix[level][base.codes[i]]
        result[i] = records @ (cells if kept is None else np.where(kept, cells, 1.0)) / total
    return result


def lost_bits(start: KeyTable, end: KeyTable) -> float:
    """Which share of what the keys said is gone? 1 - (n' * sum of H') / (n * sum of H), with the entropy H of each key.

    A dropped key says nothing any more, a dropped record neither, and a coarser key says less. It is blind to values
    that moved: swapping, shuffling and rounding by chance leave the entropy of a key as it is, or even raise it.
    """
    before, after = _bits(start), _bits(end)
    return 1.0 - after / before if before else 0.0


def _bits(table: KeyTable) -> float:
    total, number = 0.0, float(table.records.sum())
    for key in range(len(table.domains)):
        counts = margin(table, key)
        p = counts[counts > 0] / max(number, 1.0)
        total -= float((p * np.log2(p)).sum()) * number
    return total
