"""A tally: records counted by some columns, with the moments of some numbers. What a use case is computed from.

Moments are kept as means and sums of squared deviations, and groups are put together by the formula of Chan, Golub
and LeVeque: plain sums of squares would lose digits where a number is large and varies little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Domain, Int32, Int64, KeyTable, Mask, Recode

Float64 = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Moments:
    """How many records have both numbers, their means, and the sums of squared deviations and of their products.

    For one number it stands twice: `y` is `x`.
    """

    n: Int64
    mean_x: Float64
    mean_y: Float64
    xx: Float64
    yy: Float64
    xy: Float64

    def keep(self, rows: Mask | Int64) -> Moments:
        """Only these rows."""
        return Moments(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def merge(self, to: Int64, number: int) -> Moments:
        """Rows of one group put together."""

        def summed(amounts: Float64) -> Float64:
            return np.bincount(to, weights=amounts, minlength=number).astype(np.float64)

        n = add_up(to, self.n, number)
        least = np.maximum(n, 1)
        mean_x, mean_y = summed(self.n * self.mean_x) / least, summed(self.n * self.mean_y) / least
        dx, dy = self.mean_x - mean_x[to], self.mean_y - mean_y[to]
        xx, yy = summed(self.xx + self.n * dx * dx), summed(self.yy + self.n * dy * dy)
        return Moments(n, mean_x, mean_y, xx, yy, summed(self.xy + self.n * dx * dy))


@dataclass(frozen=True, eq=False)
class Tally:
    """Rows of distinct values of the columns (`codes`, one row a column), with their records and moments.

    `missing` are values that say why there is none, column by column: -9 is counted, and is no number.
    """

    domains: tuple[Domain, ...]
    codes: Int32
    records: Int64
    moments: Mapping[Pair, Moments] = field(default_factory=dict)
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(domain.name for domain in self.domains)

    @property
    def total(self) -> int:
        """All records."""
        return int(self.records.sum())

    def values(self, name: str) -> list[str | None]:
        """The value of a column in each row."""
        i = self.names.index(name)
        return [self.domains[i].values[code] for code in self.codes[i].tolist()]

    def numbers(self, name: str) -> Float64:
        """The value of a column in each row as a number; NaN where it is none, or says why there is none."""
        none = frozenset(self.missing.get(name, ()))
        return number_values([None if value in none else value for value in self.values(name)])

    def has(self, name: str, values: Sequence[str]) -> Mask:
        """Which rows have one of these values?"""
        i, wanted = self.names.index(name), set(values)
        hit = np.array([value in wanted for value in self.domains[i].values], dtype=bool)
        found: Mask = hit[self.codes[i]] if len(hit) else np.zeros(len(self.records), bool)
        return found

    def where(self, condition: Mapping[str, Sequence[str]] | None) -> Mask:
        """Which rows meet a condition: in every column one of its values?"""
        met = np.ones(len(self.records), dtype=bool)
        for name, values in (condition or {}).items():
            met &= self.has(name, values)
        return met

    def keep(self, rows: Mask) -> Tally:
        """Only these rows."""
        moments = {pair: found.keep(rows) for pair, found in self.moments.items()}
        return replace(self, codes=self.codes[:, rows], records=self.records[rows], moments=moments)

    def by(self, names: Sequence[str]) -> Tally:
        """Counted by fewer columns. By none, there is one row (none, when there are no records)."""
        at = [self.names.index(name) for name in names]
        if at:
            first, to = group(pack([self.codes[i] for i in at], [len(self.domains[i]) for i in at]))
        else:
            first, to = group(np.zeros(len(self.records), np.int64))
        number = len(first)
        codes = np.array([self.codes[i][first] for i in at], dtype=np.int32).reshape(len(at), number)
        moments = {pair: found.merge(to, number) for pair, found in self.moments.items()}
        domains = tuple(self.domains[i] for i in at)
        return Tally(domains, codes, add_up(to, self.records, number), moments, self.missing)

    def classes_in(self, table: KeyTable) -> Int64:
        """For each row its class in a table by the same values of its keys; -1 where the table has no such class."""
        columns, spans = [], []
        for i, domain in enumerate(table.domains):
            j = self.names.index(domain.name)
            both = Recode.from_values(domain.name, [*domain.values, *self.domains[j].values])
            mine, theirs = both.codes[: len(domain)], both.codes[len(domain) :]
            columns.append(np.concatenate([mine[table.codes[i]], theirs[self.codes[j]]]))
            spans.append(len(both.domain))
        if not columns:
            return np.zeros(len(self.records), np.int64)
        first, to = group(pack(columns, spans))
        number = np.full(len(first), -1, np.int64)
        classes = len(table.records)
        number[to[:classes]] = np.arange(classes)
        found: Int64 = number[to[classes:]]
        return found


def tally_records(columns: Mapping[str, Sequence[str | None]], numbers: Sequence[str] = ()) -> Tally:
    """Count a small table that is already in memory: one row a record, its numbers also as moments.

    >>> tally = tally_records({"sex": ["f", "m", "f"], "pay": ["1", "2", "4"]}, ["pay"])
    >>> by_sex = tally.by(["sex"])
    >>> by_sex.values("sex"), by_sex.moments["pay", "pay"].mean_x.tolist()
    (['f', 'm'], [2.5, 2.0])
    """
    coded = [Recode.from_values(name, list(values)) for name, values in columns.items()]
    rows = len(next(iter(columns.values())))
    moments = {}
    for i, x in enumerate(numbers):
        for y in numbers[i:]:
            a, b = number_values(columns[x]), number_values(columns[y])
            both = ~(np.isnan(a) | np.isnan(b))
            a, b, zero = np.where(both, a, 0.0), np.where(both, b, 0.0), np.zeros(rows)
            moments[x, y] = Moments(both.astype(np.int64), a, b, zero, zero, zero)
    codes = np.array([c.codes for c in coded], dtype=np.int32).reshape(len(coded), rows)
    return Tally(tuple(c.domain for c in coded), codes, np.ones(rows, np.int64), moments)


def number_values(values: Sequence[str | None]) -> Float64:
    """Texts as numbers; what is none is not a number."""
    found = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        try:
            found[i] = np.nan if value is None else float(value)
        except ValueError:
            continue
    return np.where(np.isfinite(found), found, np.nan)
