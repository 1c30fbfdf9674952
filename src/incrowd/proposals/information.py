"""How much of what a variable said is still said? The share of its information, between 0 and 1.

kept = n'/n * I(before; after) / H(before): the mutual information of what was given and what is released, over the
entropy of what was given; a record that is not released says nothing. Of a recoding that is H(after)/H(before), as in
`keys/loss.py`; noise and shuffling are seen through, since what is no longer true tells nothing of what was. Numbers
with many values are put into 32 bands of equal share first: nobody needs the last penny, and a sample could not tell
its information from chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.attack.matching.spans import are_numbers, middle

Int64 = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Numbers with more values than this are put into so many bands.
BANDS = 32


@dataclass(frozen=True, eq=False)
class Given:
    """A variable as the custodian gives it: the code of each record, from 0 on, in the order of the source."""

    name: str
    codes: Int64
    values: tuple[str | None, ...]  # the text of each code
    numbers: Floats | None  # of each code, where all of them are numbers (missing: nan)
    cuts: Floats | None  # between the bands, where there are too many numbers
    apart: frozenset[str] = frozenset()  # the codes among the values that say why there is none: no numbers

    @staticmethod
    def of(name: str, column: pa.Array, missing: Collection[str] = ()) -> Given:
        """A column of texts, of which `missing` say why there is no value."""
        coded = column.dictionary_encode(null_encoding="encode")
        values = tuple(coded.dictionary.to_pylist())
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        apart = frozenset(missing) & {*values}
        there = [value for value in values if value is not None and value not in apart]
        numbers = cuts = None
        if there and are_numbers(there):
            numbers = _numbers(values, apart)
            if len(values) > BANDS:
                cuts = _cuts(numbers, np.bincount(codes, minlength=len(values)))
        return Given(name, codes, values, numbers, cuts, apart)

    @property
    def counts(self) -> Int64:
        """How many records have each value."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    @property
    def bands(self) -> Int64:
        """For each code the band that it counts in, or the code itself."""
        if self.cuts is None or self.numbers is None:
            return np.arange(len(self.values))
        return self.placed(self.values, self.numbers)

    def placed(self, texts: Sequence[str | None], numbers: Floats) -> Int64:
        """The bands of texts with these numbers: each code for no value has one of its own."""
        assert self.cuts is not None
        own: dict[str | None, int] = {text: len(self.cuts) + 2 + i for i, text in enumerate(sorted(self.apart))}
        found = self.band_of(numbers)
        return np.array([own.get(t, b) for t, b in zip(texts, found.tolist(), strict=True)], np.int64) if own else found

    def band_of(self, numbers: Floats) -> Int64:
        """The bands of other numbers."""
        assert self.cuts is not None
        return np.where(np.isnan(numbers), 0, 1 + np.searchsorted(self.cuts, numbers, side="right")).astype(np.int64)


def kept_of(given: Given, lines: Int64, released: pa.Array) -> float:
    """The share that is kept where the records of these lines are released with these texts."""
    before = given.bands[given.codes]
    bits = entropy(np.bincount(before))
    if not bits:
        return 1.0  # it said nothing, and nothing is lost
    after = _after(given, released)
    share = len(lines) / max(len(before), 1)
    return share * mutual(before[lines], after) / bits


def bits_kept(given: Given, lines: Int64, released: pa.Array) -> float:
    """What the released records still tell of a variable, in bits over all of them; a blank tells little, although it
    is one more value.
    """
    coded = released.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    return len(lines) * mutual(given.codes[lines], coded.astype(np.int64))


def _after(given: Given, released: pa.Array) -> Int64:
    coded = released.dictionary_encode(null_encoding="encode")
    texts, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    there = [text for text in texts if text is not None and text not in given.apart]
    if given.cuts is None or len(texts) <= BANDS or not are_numbers(there):
        return np.asarray(codes)
    return np.asarray(given.placed(texts, _numbers(texts, given.apart))[codes])


def _numbers(values: Iterable[str | None], apart: Collection[str]) -> Floats:
    return np.array([np.nan if value is None or value in apart else middle(value) for value in values])


def weighted(kept: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The mean over variables, each with its weight (1 when left out); 1 where there is none."""
    total = sum(weights.get(name, 1.0) for name in kept)
    return sum(share * weights.get(name, 1.0) for name, share in kept.items()) / total if total else 1.0


def entropy(counts: Sequence[float] | Int64 | Floats) -> float:
    """In bits.

    >>> entropy([1, 1, 2])
    1.5
    """
    number = np.asarray(counts, float)
    number = number[number > 0]
    if not len(number):
        return 0.0
    p = number / number.sum()
    return float(-(p * np.log2(p)).sum())


def mutual(one: Int64, other: Int64, weights: Floats | None = None) -> float:
    """The mutual information of two columns of codes, in bits: H(one) + H(other) - H(both).

    >>> mutual(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7]))
    1.0
    """
    if not len(one):
        return 0.0
    pair = one.astype(np.int64) * (int(other.max()) + 1) + other
    parts = []
    for codes in (one, other, pair):
        _, to = np.unique(codes, return_inverse=True)
        parts.append(entropy(np.bincount(to, weights=weights)))
    return max(parts[0] + parts[1] - parts[2], 0.0)


def _cuts(numbers: Floats, counts: Int64) -> Floats:
    there = ~np.isnan(numbers)
    order = np.argsort(numbers[there], kind="stable")
    values, below = numbers[there][order], np.cumsum(counts[there][order])
    at = np.searchsorted(below, below[-1] * np.arange(1, BANDS) / BANDS)
    ends = np.unique(at[at + 1 < len(values)])
    return np.asarray((values[ends] + values[ends + 1]) / 2)
