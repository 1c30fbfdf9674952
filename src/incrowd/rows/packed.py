"""Count a stream of records in packed 64-bit numbers, in memory that grows with the classes and not with the records.

Each column has a field of bits. A batch is coded, packed and put aside; when enough are waiting they are sorted,
counted and merged into what was counted before. Codes are given in the order in which values appear, a field is widened
when its values outgrow it, and at the end the fields are rewritten so that codes are in byte order.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from incrowd.keys.sorting import merge_counts, sort_with_order
from incrowd.keys.table import Domain, Histogram, Int64, KeyTable

#: So many records wait, at most, before they are counted.
WAITING = 1 << 23
#: A column with more values than this is not for packing: its dictionary would be larger than its codes.
MOST_VALUES = 1 << 18
_BITS = 63


class TooWide(Exception):
    """The columns do not fit into one number, or one of them has too many values."""


class TooMany(Exception):
    """There are more different rows than may be held."""


class PackedCounter:
    """Counts rows of texts, batch by batch."""

    def __init__(self, names: Sequence[str], limit: int | None = None) -> None:
        self.records = 0
        self._limit = limit
        self._columns = [_Column(name) for name in names]
        self._widths = [1] * len(names)
        self._waiting: list[Int64] = []
        self._numbers, self._counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._pool = ThreadPoolExecutor()

    def add(self, batch: pa.RecordBatch) -> None:
        """Count one more batch. Coding is Arrow's work and needs no interpreter lock, so columns go side by side."""
        coded = list(self._pool.map(_Column.code, self._columns, batch.columns))
        self._widen([column.width for column in self._columns])
        packed = np.zeros(batch.num_rows, np.int64)
        for codes, width in zip(coded, self._widths, strict=True):
            packed <<= width
            packed |= codes
        self._waiting.append(packed)
        self.records += len(packed)
        if sum(map(len, self._waiting)) >= WAITING:
            self._compact()

    def distinct(self) -> int:
        """How many different rows there were so far."""
        self._compact()
        return len(self._numbers)

    def table(self, keys: int, sensitive: str | None = None) -> KeyTable:
        """The KeyTable: the first `keys` columns are the keys, one more may be a sensitive variable."""
        self._compact()
        self._pool.shutdown()
        self._put_in_order()
        shifts = self._shifts()
        rest = shifts[keys - 1] if keys else sum(self._widths)
        new = np.ones(len(self._numbers), dtype=bool)
        if sensitive is not None:
            np.not_equal(self._numbers[1:] >> rest, self._numbers[:-1] >> rest, out=new[1:])
        starts = np.flatnonzero(new)
        histograms = {}
        if sensitive is not None:
            values = self._codes(keys, self._numbers)
            histograms[sensitive] = Histogram(self._columns[keys].domain(), np.cumsum(new) - 1, values, self._counts)
        codes = np.empty((keys, len(starts)), dtype=np.int32)
        first = self._numbers[starts] if sensitive is not None else self._numbers
        for i in range(keys):
            codes[i] = self._codes(i, first)
        records = np.add.reduceat(self._counts, starts) if sensitive is not None and len(starts) else self._counts
        return KeyTable(tuple(column.domain() for column in self._columns[:keys]), codes, records, histograms)

    def _shifts(self) -> list[int]:
        return [sum(self._widths[i + 1 :]) for i in range(len(self._widths))]

    def _codes(self, i: int, numbers: Int64) -> np.ndarray:
        """A column's codes, with missing counted only where it occurs."""
        codes = (numbers >> self._shifts()[i]) & ((1 << self._widths[i]) - 1)
        if not self._columns[i].missing:
            codes -= 1
        return codes.astype(np.int32)

    def _widen(self, widths: list[int]) -> None:
        """Move the fields of what was counted so far apart. The order of the numbers stays as it is."""
        if sum(widths) > _BITS:
            raise TooWide
        if widths == self._widths:
            return

        def moved(numbers: Int64) -> Int64:
            result, shift, to = np.zeros(len(numbers), np.int64), 0, 0
            for old, new in zip(reversed(self._widths), reversed(widths), strict=True):
                result |= ((numbers >> shift) & ((1 << old) - 1)) << to
                shift, to = shift + old, to + new
            return result

        self._waiting = [moved(numbers) for numbers in self._waiting]
        self._numbers = moved(self._numbers)
        self._widths = widths

    def _compact(self) -> None:
        """Count what is waiting and merge it into what was counted."""
        if not self._waiting:
            return
        numbers = np.concatenate(self._waiting)
        self._waiting = []
        numbers.sort()
        new = np.ones(len(numbers), dtype=bool)
        np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        counts, numbers = np.diff(starts, append=len(numbers)), numbers[starts]
        if len(self._numbers):
            numbers, counts = merge_counts(self._numbers, self._counts, numbers, counts)
        self._numbers, self._counts = numbers, counts
        if self._limit is not None and len(numbers) > self._limit:
            raise TooMany

    def _put_in_order(self) -> None:
        """Rewrite the fields so that codes are in byte order of the values, and sort by them."""
        ranks = [column.ranks() for column in self._columns]
        if all((rank[:-1] < rank[1:]).all() for rank in ranks):
            return
        result = np.zeros(len(self._numbers), np.int64)
        for shift, width, rank in zip(self._shifts(), self._widths, ranks, strict=True):
            result |= rank[(self._numbers >> shift) & ((1 << width) - 1)] << shift
        self._numbers, order = sort_with_order(result)
        self._counts = self._counts[order]


class _Column:
    """One column's values and their codes; 0 is missing."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.missing = False
        self._known: dict[str, int] = {}

    @property
    def width(self) -> int:
        return max(len(self._known).bit_length(), 1)

    def code(self, column: pa.Array) -> Int64:
        encoded = column.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        # In byte order, so that mostly nothing has to be put in order at the end: few values come late.
        for text in sorted((text for text in texts if text not in self._known), key=str.encode):
            self._known[text] = len(self._known) + 1
        if len(self._known) > MOST_VALUES:
            raise TooWide
        codes = np.array([*(self._known[text] for text in texts), 0], dtype=np.int64)
        indices = encoded.indices
        if indices.null_count:
            self.missing = True
            indices = indices.fill_null(len(texts))
        found: Int64 = codes[indices.to_numpy(zero_copy_only=False)]
        return found

    def ranks(self) -> Int64:
        """For each code its place in byte order, missing first."""
        ranks = np.zeros(len(self._known) + 1, np.int64)
        for place, text in enumerate(sorted(self._known, key=str.encode)):
            ranks[self._known[text]] = place + 1
        return ranks

    def domain(self) -> Domain:
        return Domain(self.name, (*([None] if self.missing else []), *sorted(self._known, key=str.encode)))
