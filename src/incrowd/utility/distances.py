"""How far is the release from the original, variable by variable and pair by pair?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from incrowd.keys.tally import Float64, Tally, number_values
from incrowd.utility.measures import pearson

#: A column with at most so many values counts as a category for pairs and propensity.
FEW = 20


@dataclass(frozen=True)
class Distance:
    """How far apart two distributions of one column are.

    Total variation is 1/2 sum |p - q|. For numbers also Kolmogorov-Smirnov (largest gap of the distribution functions)
    and Wasserstein (mean shift of the ranked values), the latter in standard deviations of the original.
    """

    column: str
    total_variation: float
    ks: float | None = None
    wasserstein: float | None = None


@dataclass(frozen=True)
class Association:
    """How strongly two columns go together, before and after: Cramer's V, the correlation ratio, or Pearson's r."""

    one: str
    other: str
    measure: str
    original: float
    released: float

    @property
    def change(self) -> float:
        """By how much it moved."""
        return self.released - self.original


def distance(column: str, original: Tally, released: Tally) -> Distance:
    """Compare one column, counted by its values."""
    values = sorted({*original.values(column), *released.values(column)}, key=lambda v: (v is not None, v or ""))
    p, q = (_shares(tally, column, values) for tally in (original, released))
    variation = float(np.abs(p - q).sum() / 2)
    numbers = number_values(values)
    if not is_number(original, column):
        return Distance(column, variation)
    there = ~np.isnan(numbers)
    numbers, p, q = numbers[there], p[there], q[there]
    if not p.sum() > 0 or not q.sum() > 0:
        return Distance(column, variation)
    p, q = p / p.sum(), q / q.sum()
    order = np.argsort(numbers, kind="stable")
    numbers, gap = numbers[order], np.abs(np.cumsum(p[order]) - np.cumsum(q[order]))
    mean = float((p[order] * numbers).sum())
    deviation = sqrt(float((p[order] * (numbers - mean) ** 2).sum()))
    shift = float((gap[:-1] * np.diff(numbers)).sum())
    return Distance(column, variation, float(gap.max(initial=0.0)), shift / deviation if deviation else 0.0)


def is_number(tally: Tally, column: str) -> bool:
    """Whether a column holds numbers that are more than labels: all are numbers, and there are more than FEW."""
    values = [value for value in tally.by([column]).values(column) if value]
    return len(values) > FEW and not bool(np.isnan(number_values(values)).any())


def associations(
    original: Tally, released: Tally, categories: tuple[str, ...], numbers: tuple[str, ...]
) -> tuple[Association, ...]:
    """Every pair of columns, the one that moved most first. The tallies hold moments of all pairs of numbers."""
    found = []
    for a, b in combinations(categories, 2):
        found.append(Association(a, b, "Cramer's V", *(cramers_v(tally, a, b) for tally in (original, released))))
    for a in categories:
        for b in numbers:
            ratios = [correlation_ratio(tally, a, b) for tally in (original, released)]
            found.append(Association(a, b, "correlation ratio", *ratios))
    for a, b in combinations(numbers, 2):
        rs = [pearson(tally.moments[a, b]).value or 0.0 for tally in (original, released)]
        found.append(Association(a, b, "Pearson's r", *rs))
    return tuple(sorted(found, key=lambda pair: (-abs(pair.change), pair.one, pair.other)))


def cramers_v(tally: Tally, a: str, b: str) -> float:
    """How strongly do two categories go together? sqrt(chi2 / (n (min(rows, columns) - 1))), from 0 to 1."""
    cells = tally.by([a, b])
    rows, columns = cells.codes[0], cells.codes[1]
    table = np.zeros((len(cells.domains[0]), len(cells.domains[1])))
    table[rows, columns] = cells.records
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, least = float(table.sum()), min(table.shape) - 1
    if not n or least < 1:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    chi2 = float(((table - expected) ** 2 / expected).sum())
    return sqrt(max(chi2 / (n * least), 0.0))


def correlation_ratio(tally: Tally, category: str, number: str) -> float:
    """How much of a number's spread lies between the values of a category? sqrt(between / whole), from 0 to 1."""
    moments = tally.by([category]).moments[number, number]
    whole = moments.merge(np.zeros(len(moments.n), np.int64), 1)
    if not len(moments.n) or not whole.xx[0] > 0:
        return 0.0
    return sqrt(max(1.0 - float(moments.xx.sum() / whole.xx[0]), 0.0))


def _shares(tally: Tally, column: str, values: list[str | None]) -> Float64:
    at = {value: i for i, value in enumerate(values)}
    found = np.zeros(len(values))
    one = tally.by([column])
    for value, records in zip(one.values(column), one.records.tolist(), strict=True):
        found[at[value]] += records
    shares: Float64 = found / max(float(found.sum()), 1.0)
    return shares
