"""The KeyTable: the distinct combinations of the key variables, each with its count. The narrow waist.

The one rule for missing values: *a difference that exposes counts, a difference that protects does not*.
In a key, a missing value is a category of its own and so is an empty text (whoever looks at the file can tell
them apart), so neither ever makes a class look larger. In a sensitive variable, missing and empty are one value,
so they never make a class look more diverse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import visible
from incrowd.keys.packing import Ints, add_up, group, pack

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that a variable takes, in the order of their codes; None stands for missing."""

    name: str
    values: tuple[str | None, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Recode:
    """A coarser way to say a variable: the new domain, and for each old code its new code."""

    domain: Domain
    codes: Int32

    @staticmethod
    def from_values(name: str, values: Sequence[str | None]) -> Recode:
        """Build a recode from the new value of each old code, in code order."""
        order = sorted(set(values), key=lambda value: (value is not None, value or ""))
        code = {value: number for number, value in enumerate(order)}
        return Recode(Domain(name, tuple(order)), np.array([code[value] for value in values], dtype=np.int32))


@dataclass(frozen=True, eq=False)
class Histogram:
    """How a sensitive variable is spread in each class: sparse rows (class, value, people).

    Where people have several records, `units` tells whose row it is, each row counts one person, and a person
    with two values is in two rows; `cells` adds them up.
    """

    domain: Domain
    classes: Int64
    values: Int32
    people: Int64
    units: Int64 | None = None

    def cells(self) -> tuple[Int64, Int32, Int64]:
        """(class, value, people), one row for each class and value, sorted by class and then value."""
        if self.units is None:
            return self.classes, self.values, self.people
        merged = _merge_histogram(replace(self, units=None), self.classes)
        return merged.classes, merged.values, merged.people


@dataclass(frozen=True, eq=False)
class Pairs:
    """Who is in which class, where people have several records: distinct (class, unit), and their records."""

    classes: Int64
    units: Int64
    records: Int64


@dataclass(frozen=True, eq=False, repr=False)
class KeyTable:
    """The distinct combinations of the keys (`codes`, one row a key, one column a class) with their counts.

    `records` counts rows of the file in each class, `sizes` counts people, and the two differ only where the plan
    names a unit. `population`, where a population is known, counts its people in each class; then a class may be
    in the table although nobody of the file is in it.
    """

    domains: tuple[Domain, ...]
    codes: Int32
    records: Int64
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    pairs: Pairs | None = None
    population: Int64 | None = None

    def __repr__(self) -> str:
        """How much is in it, and no value."""
        counted = f"{self.records.sum():,} records in {self.classes:,} classes"
        return visible(f"KeyTable: {counted} by {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the keys."""
        return tuple(domain.name for domain in self.domains)

    @property
    def sizes(self) -> Int64:
        """People in each class."""
        if self.pairs is None:
            return self.records
        return np.bincount(self.pairs.classes, minlength=len(self.records)).astype(np.int64)

    @property
    def people(self) -> int:
        """People in the file: records, or distinct units where the plan names one."""
        if self.pairs is None:
            return int(self.records.sum())
        return len(np.unique(self.pairs.units))

    @property
    def classes(self) -> int:
        """Classes with at least one person of the file in them."""
        return int(np.count_nonzero(self.records))

    @property
    def uniques(self) -> int:
        """Classes of exactly one person."""
        return int(np.count_nonzero(self.sizes == 1))

    @property
    def smallest(self) -> int:
        """The k of the file: the size of its smallest class; 0 for an empty file."""
        sizes = self.sizes
        return int(sizes[sizes > 0].min()) if self.classes else 0

    def size_histogram(self) -> dict[int, int]:
        """How many classes there are of each size."""
        sizes = self.sizes
        # Counting is quicker than sorting, as long as the largest class is not far larger than there are classes.
        if sizes.max(initial=0) <= 4 * len(sizes) + 1_000_000:
            numbers = np.bincount(sizes)
            numbers[:1] = 0
            found = np.flatnonzero(numbers)
            return dict(zip(found.tolist(), numbers[found].tolist(), strict=True))
        size, number = np.unique(sizes[sizes > 0], return_counts=True)
        return dict(zip(size.tolist(), number.tolist(), strict=True))

    def people_below(self, k: int) -> int:
        """People in classes smaller than k (a person with records in two such classes counts once)."""
        small = self.sizes < k
        if self.pairs is None:
            return int(self.records[small].sum())
        return len(np.unique(self.pairs.units[small[self.pairs.classes]]))

    def project(self, keys: Sequence[str]) -> tuple[KeyTable, Int64]:
        """Look at fewer keys: the smaller table, and for each class of this one its class in that one."""
        at = [self.names.index(key) for key in keys]
        return self._merge(tuple(self.domains[i] for i in at), [self.codes[i] for i in at])

    def recode(self, recodes: Mapping[str, Recode]) -> KeyTable:
        """Coarsen some keys. The counts of the new classes are sums: the rows are not touched again."""
        return self.recode_with_map(recodes)[0]

    def recode_with_map(self, recodes: Mapping[str, Recode]) -> tuple[KeyTable, Int64]:
        """Coarsen some keys; also gives, for each class of this table, its class in the new one."""
        domains, codes = list(self.domains), list(self.codes)
        for name, recode in recodes.items():
            i = self.names.index(name)
            domains[i], codes[i] = recode.domain, recode.codes[self.codes[i]]
        return self._merge(tuple(domains), codes)

    def recode_sensitive(self, name: str, recode: Recode) -> KeyTable:
        """Coarsen a sensitive variable."""
        old = self.histograms[name]
        new = replace(old, domain=recode.domain, values=recode.codes[old.values])
        return replace(self, histograms={**self.histograms, name: _merge_histogram(new, new.classes)})

    def suppress(self, failing: Mask) -> KeyTable:
        """Drop the classes that fail; where people have several records, all records of the people in them."""
        if self.pairs is None:
            return self._keep(~failing)
        gone = np.unique(self.pairs.units[failing[self.pairs.classes]])
        stay = ~np.isin(self.pairs.units, gone)
        pairs = Pairs(*(part[stay] for part in (self.pairs.classes, self.pairs.units, self.pairs.records)))
        records = add_up(pairs.classes, pairs.records, len(self.records))
        histograms = {name: _without(histogram, gone) for name, histogram in self.histograms.items()}
        return replace(self, records=records, pairs=pairs, histograms=histograms)._keep(records > 0)

    def _keep(self, stay: Mask) -> KeyTable:
        """Only these classes, renumbered."""
        number = np.cumsum(stay) - 1

        def kept(histogram: Histogram) -> Histogram:
            rows = stay[histogram.classes]
            units = None if histogram.units is None else histogram.units[rows]
            return Histogram(
                histogram.domain, number[histogram.classes[rows]], histogram.values[rows], histogram.people[rows], units
            )

        pairs = self.pairs
        if pairs is not None:
            rows = stay[pairs.classes]
            pairs = Pairs(number[pairs.classes[rows]], pairs.units[rows], pairs.records[rows])
        return KeyTable(
            self.domains,
            np.ascontiguousarray(self.codes[:, stay]),
            self.records[stay],
            {name: kept(histogram) for name, histogram in self.histograms.items()},
            pairs,
            None if self.population is None else self.population[stay],
        )

    def _merge(self, domains: tuple[Domain, ...], codes: Sequence[Int32]) -> tuple[KeyTable, Int64]:
        """Put classes with equal codes together."""
        if domains:
            first, to = group(pack(codes, [len(domain) for domain in domains]))
        else:
            first, to = group(np.zeros(len(self.records), np.int64))
        number = len(first)
        merged_codes = np.empty((len(domains), number), np.int32)
        for i, column in enumerate(codes):
            np.take(column, first, out=merged_codes[i])
        pairs = self.pairs
        if pairs is not None:
            where = to[pairs.classes]
            reach = int(pairs.units.max(initial=0)) + 1
            one, inverse = group(pack([where, pairs.units], [number, reach]))
            pairs = Pairs(where[one], pairs.units[one], add_up(inverse, pairs.records, len(one)))
        merged = KeyTable(
            domains,
            merged_codes,
            add_up(to, self.records, number),
            {name: _merge_histogram(old, to[old.classes]) for name, old in self.histograms.items()},
            pairs,
            None if self.population is None else add_up(to, self.population, number),
        )
        return merged, to


def _merge_histogram(old: Histogram, classes: Int64) -> Histogram:
    """The histogram with its rows moved to these classes, equal rows put together."""
    columns: list[Ints] = [classes, old.values]
    spans = [int(classes.max(initial=0)) + 1, len(old.domain)]
    if old.units is not None:
        columns, spans = [*columns, old.units], [*spans, int(old.units.max(initial=0)) + 1]
    first, to = group(pack(columns, spans))
    if old.units is None:
        return Histogram(old.domain, classes[first], old.values[first], add_up(to, old.people, len(first)))
    return Histogram(old.domain, classes[first], old.values[first], np.ones(len(first), np.int64), old.units[first])


def _without(histogram: Histogram, gone: Int64) -> Histogram:
    """The histogram without some people."""
    assert histogram.units is not None
    stay = ~np.isin(histogram.units, gone)
    return Histogram(
        histogram.domain,
        histogram.classes[stay],
        histogram.values[stay],
        histogram.people[stay],
        histogram.units[stay],
    )


def from_records(
    keys: Mapping[str, Sequence[str | None]],
    sensitive: Mapping[str, Sequence[str | None]] | None = None,
    unit: Sequence[str] | None = None,
) -> KeyTable:
    """Count a small table that is already in memory, a list of values for each column.

    >>> table = from_records({"age": ["30", "30", "40"], "sex": ["f", "f", "m"]})
    >>> table.classes, table.uniques, table.smallest
    (2, 1, 1)
    """
    rows = len(next(iter(keys.values())))
    coded = {name: Recode.from_values(name, list(values)) for name, values in keys.items()}
    packed = pack([c.codes for c in coded.values()], [len(c.domain) for c in coded.values()])
    first, to = group(packed)
    people = None if unit is None else Recode.from_values("unit", list(unit)).codes.astype(np.int64)
    ones = np.ones(rows, np.int64)
    histograms = {}
    for name, values in (sensitive or {}).items():
        code = Recode.from_values(name, [value or None for value in values])
        raw = Histogram(code.domain, to, code.codes, ones, people)
        histograms[name] = _merge_histogram(raw, to)
    pairs = None
    if people is not None:
        one, inverse = group(pack([to, people], [len(first), int(people.max(initial=0)) + 1]))
        pairs = Pairs(to[one], people[one], add_up(inverse, ones, len(one)))
    codes = np.array([c.codes[first] for c in coded.values()], dtype=np.int32).reshape(len(coded), len(first))
    return KeyTable(tuple(c.domain for c in coded.values()), codes, add_up(to, ones, len(first)), histograms, pairs)
