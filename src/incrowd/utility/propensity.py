"""Can a model tell the release from the original? pMSE with its null ratio, and SPECKS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.keys.tally import Float64, Tally

RIDGE = 1e-6
#: A column of which others explain all but this share follows from them.
SMALL = 1e-9
MOST_STEPS = 50


@dataclass(frozen=True)
class Propensity:
    """How well a record of the release is told from one of the original.

    `pmse` is the mean of (propensity - c)^2, c being the release's part of all records; `null` what a perfect release
    would have, drawn anew from the original's own distribution; `ratio` the two divided: 1 is perfect, large is bad. A
    release that is part of the original can be nearer to it than a new draw; `than_random` divides by what dropping as
    many records at random gives. `specks` is the largest gap between the distributions of the two propensities, from 0
    to 1. `terms` are the coefficients of the model, its constant with them.
    """

    pmse: float
    null: float
    ratio: float | None
    than_random: float | None
    specks: float
    terms: int
    columns: tuple[str, ...]


def propensity(original: Tally, released: Tally, columns: tuple[str, ...]) -> Propensity | None:
    """Fit a logistic regression of 'is in the release' on the columns as categories, each by itself.

    Null: E pMSE = (terms - 1) (1 - c)^2 c / N (Snoke, Raab, Nowok, Dibben and Slavkovic 2018), where terms that follow
    from others (a region beside its district) do not count: they cannot fit anything new. Dropping n - m of n records
    at random gives (n - m)/n of that. SPECKS: Bowen, Liu and Su 2021. Misleads where the release differs in how
    columns go together: single columns cannot show it, so see the associations. None without records.
    """
    n, m = original.total, released.total
    if not n or not m or not columns:
        return None
    one, other = original.by(columns), released.by(columns)
    matrix = _design(one, other, columns)
    label = np.concatenate([np.zeros(len(one.records)), np.ones(len(other.records))])
    weights = np.concatenate([one.records, other.records]).astype(np.float64)
    scores = _fit(matrix, label, weights)
    c, whole = m / (n + m), float(n + m)
    pmse = float((weights * (scores - c) ** 2).sum() / whole)
    terms = matrix.shape[1]
    null = (terms - 1) * (1 - c) ** 2 * c / whole
    random = null * (n - m) / n
    return Propensity(
        pmse, null, pmse / null if null else None, pmse / random if random > 0 else None,
        _gap(scores, label, weights), terms, columns,
    )  # fmt: skip


def _design(one: Tally, other: Tally, columns: tuple[str, ...]) -> Float64:
    """A constant, and a column of ones and zeros for each value of each category but its first, as far as it does not
    follow from the others.
    """
    made = [np.ones(len(one.records) + len(other.records))]
    for name in columns:
        values = [*one.values(name), *other.values(name)]
        for level in sorted(set(values), key=lambda v: (v is not None, v or ""))[1:]:
            made.append(np.array([value == level for value in values], dtype=np.float64))
    return independent(np.column_stack(made))


def independent(matrix: Float64) -> Float64:
    """The columns of a matrix without those that follow from the ones before; as many as its rank.

    Read from the products of the columns, which are few where rows are many. Columns are brought to one length first,
    so that a rare value is no less a column than a frequent one.

    >>> independent(np.array([[1.0, 0, 1], [1, 1, 0], [1, 1, 0]])).tolist()
    [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    """
    lengths = np.sqrt((matrix**2).sum(axis=0))
    scaled = matrix / np.where(lengths > 0, lengths, 1.0)
    products = scaled.T @ scaled
    kept: list[int] = []
    factor = np.zeros((0, 0))  # Cholesky's, of the columns kept so far
    for i in range(matrix.shape[1]):
        row = np.linalg.solve(factor, products[kept, i]) if kept else np.zeros(0)
        left = products[i, i] - float(row @ row)  # what the columns before do not explain of it
        if left > SMALL:
            factor = np.block([[factor, np.zeros((len(kept), 1))], [row[None, :], np.array([[np.sqrt(left)]])]])
            kept.append(i)
    found: Float64 = matrix[:, kept]
    return found


def _fit(x: Float64, label: Float64, weights: Float64) -> Float64:
    """Logistic regression by Newton's method. A trace of a ridge keeps it finite where a value tells the files apart.

    By hand, since importing a library for it takes longer than the fit; tests compare it with scikit-learn's.
    """
    beta, ridge = np.zeros(x.shape[1]), RIDGE * np.eye(x.shape[1])
    for _ in range(MOST_STEPS):
        scores = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        slope = x.T @ (weights * (label - scores)) - RIDGE * beta
        curve = (x * (weights * scores * (1 - scores))[:, None]).T @ x + ridge
        step = np.linalg.solve(curve, slope)
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            break
    found: Float64 = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
    return found


def _gap(scores: Float64, label: Float64, weights: Float64) -> float:
    """The Kolmogorov-Smirnov distance between the scores of the two files."""
    order = np.argsort(scores, kind="stable")
    in_order = scores[order]
    parts = []
    for side in (0.0, 1.0):
        those = np.where(label[order] == side, weights[order], 0.0)
        parts.append(np.cumsum(those) / max(those.sum(), 1.0))
    last = np.r_[np.diff(in_order) > 1e-12, True]  # equal scores step together
    return float(np.abs(parts[0] - parts[1])[last].max(initial=0.0))
