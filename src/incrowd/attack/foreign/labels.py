"""How a release made elsewhere says a value: which values of the original can stand behind each of its labels?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.auxiliary import plain
from incrowd.attack.foreign.sayings import sayings_of
from incrowd.attack.matching.spans import SCALE, Span, span
from incrowd.attack.situation import Int64

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Texts = Sequence[str | None]

#: How tools write a cell that they blanked, besides leaving it empty. A row of stars counts too.
BLANKS = frozenset({"", "na", "n/a", "nan", "<na>", "null", "none", "?", "suppressed", "missing"})
AS_IT_STANDS, NULL_IS_BLANK = "as it stands", "an empty cell may be anything"
#: Up to so many pairs of a label and a value, whether they fit is laid out in a table.
MOST_TABLE = 50_000_000
_SET = re.compile(r"\s*(?:,|;|\||/|~| or )\s*")
_NUMBER = r"[-+]?[\d,]*\.?\d+"
_OPEN = re.compile(rf"([\[\](])\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*([\[\])])")
_MASKED = re.compile(r"([^*]+)(\*+)")


@dataclass(frozen=True)
class Reading:
    """One way to read a column: which value (by its code) fits which label, and which labels fit anything."""

    label: Int64  # pairs that fit
    value: Int64
    blank: Bools  # for each label, whether it fits everything
    unread: Bools  # for each label, whether nothing tells what it stands for
    how: str

    @cached_property
    def single(self) -> bool:
        """Whether every value has at most one label, blanks aside."""
        return len(np.unique(self.value)) == len(self.value)

    def strict(self, released: Int64) -> bool:
        """Whether every value has at most one label, and none of the released ones fits anything."""
        return self.single and not self.blank[released].any()

    def label_of(self, values: int) -> Int64:
        """For each value its label, where it is one; -1 without."""
        found = np.full(values, -1, np.int64)
        found[self.value] = self.label
        return found

    def lacking(self, released: Int64, original: Int64) -> int:
        """Released records that no record of the original is left for, label by label: values were changed."""
        labels = np.bincount(released, minlength=len(self.blank))
        counts = np.bincount(original, minlength=int(self.value.max(initial=-1)) + 1)
        there = np.bincount(self.label, counts[self.value], len(self.blank))
        return int(np.where(self.blank, 0, np.maximum(labels - there, 0)).sum())


@dataclass(frozen=True)
class Column:
    """A column that both files have, in codes, and how it is read."""

    name: str
    labels: tuple[str | None, ...]
    values: tuple[str | None, ...]
    released: Int64  # the code of the label of each released record
    original: Int64  # the code of the value of each record of the original
    readings: tuple[Reading, ...]  # the one that is taken first

    @property
    def reading(self) -> Reading:
        """How it is read."""
        return self.readings[0]

    @property
    def strict(self) -> bool:
        """Whether the value tells the label."""
        return self.reading.strict(self.released)

    @property
    def unread(self) -> bool:
        """Whether a released label says nothing to us."""
        return bool(self.reading.unread[self.released].any())

    @property
    def silent(self) -> bool:
        """Whether every released cell is blank."""
        return bool(self.reading.blank[self.released].all())

    @cached_property
    def numbers(self) -> tuple[Floats, Floats] | None:
        """The numbers behind the labels and behind the values; None where one is not a number."""
        both = [[span(text) for text in texts if text is not None] for texts in (self.labels, self.values)]
        if any(not side or any(one is None or one[0] != one[1] for one in side) for side in both):
            return None
        return _points(self.labels), _points(self.values)

    @cached_property
    def _table(self) -> Bools | None:
        """For every label and value whether they fit; None where that is too large."""
        if len(self.labels) * len(self.values) > MOST_TABLE:
            return None
        table = np.zeros((len(self.labels), len(self.values)), bool)
        table[self.reading.label, self.reading.value] = True
        table[self.reading.blank] = True
        return table

    @cached_property
    def _sorted(self) -> Int64:
        return np.sort(self.reading.label * len(self.values) + self.reading.value)

    def agrees(self, label: Int64, value: Int64) -> Bools:
        """Whether labels fit the values beside them, all as codes."""
        if self._table is not None:
            return np.asarray(self._table[label, value])
        asked = label * len(self.values) + value
        at = np.minimum(np.searchsorted(self._sorted, asked), max(len(self._sorted) - 1, 0))
        same = self._sorted[at] == asked if len(self._sorted) else np.zeros(len(asked), bool)
        return np.asarray(self.reading.blank[label] | same)

    def taking(self, reading: Reading) -> Column:
        """The same, read in another way."""
        return replace(self, readings=(reading, *(one for one in self.readings if one is not reading)))


def read_column(
    name: str, released: tuple[Int64, Texts], original: tuple[Int64, Texts], sayings: Mapping[str, Sequence[str]]
) -> Column:
    """A column of both files, each as codes and texts, read in the first way by which nobody is lacking; else in the
    one that lacks the fewest. `sayings` are labels that a hierarchy has, with the values under each.
    """
    (mine, labels), (theirs, values) = released, original
    base = _by_text(labels, values, sayings)
    ways = [base]
    if None in labels and None in values:
        nothing = labels.index(None)
        ways.append(replace(base, blank=base.blank | (np.arange(len(labels)) == nothing), how=NULL_IS_BLANK))
    found = Column(name, tuple(labels), tuple(values), mine, theirs, tuple(ways))
    if found.numbers is not None:
        ways += _cut(found, base)
    lacking = [way.lacking(mine, theirs) for way in ways]
    return replace(found, readings=tuple(ways)).taking(ways[lacking.index(min(lacking))])


def blank_mark(label: str | None) -> bool:
    """Whether tools write this for a cell that says nothing."""
    return label is None or not label.strip("* ") or label.strip().lower() in BLANKS


def _by_text(labels: Texts, values: Texts, sayings: Mapping[str, Sequence[str]]) -> Reading:
    """What each label says by itself: the value, a name in a hierarchy, a range, a part of a date or of a postcode."""
    place: dict[str | None, list[int]] = {}
    for code, value in enumerate(values):
        place.setdefault(_plain(value), []).append(code)
    rules: list[Callable[[str], Sequence[int] | None]] = []
    pairs: list[tuple[int, int]] = []
    blank, unread = np.zeros(len(labels), bool), np.zeros(len(labels), bool)
    for code, label in enumerate(labels):
        equal = place.get(_plain(label), [])
        below = [at for leaf in sayings.get(label or "", ()) for at in place.get(_plain(leaf), [])]
        fits: Sequence[int] | None = [*equal, *below]
        if not fits:
            if blank_mark(label):
                blank[code] = True
                continue
            assert label is not None
            rules = rules or _rules(labels, values, place)
            fits = next((under for rule in rules if (under := rule(label)) is not None), None)
            unread[code] = fits is None
        pairs += [(code, at) for at in dict.fromkeys(fits or ())]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return Reading(found[:, 0], found[:, 1], blank, unread, AS_IT_STANDS)


def _plain(text: str | None) -> str | None:
    short = plain(None if text is None else text.strip())
    return None if short is None else short.casefold()


def _rules(
    labels: Texts, values: Texts, place: Mapping[str | None, Sequence[int]]
) -> list[Callable[[str], Sequence[int] | None]]:
    """What a label that is no value can be, in the order in which it is tried: each gives the values, or None."""
    there = [(code, value) for code, value in enumerate(values) if value is not None]
    spans = [span(value) for _, value in there]
    numeric = bool(there) and all(one is not None and one[0] == one[1] for one in spans)
    numbers = np.array([one[0] for one in spans if one is not None]) if numeric else np.zeros(0)
    codes = np.array([code for code, _ in there], np.int64)
    said = sayings_of([label for label in labels if label is not None and not blank_mark(label)], values)

    def in_range(label: str) -> Sequence[int] | None:
        ends = read_span(label)
        if ends is None or not numeric:
            return None
        inside: list[int] = codes[(numbers >= ends[0]) & (numbers <= ends[1])].tolist()
        return inside or None

    def moved(label: str) -> Sequence[int] | None:
        return [] if numeric and read_span(label) is not None else None

    def by_saying(label: str) -> Sequence[int] | None:
        return said.get(label.strip().casefold())

    def masked(label: str) -> Sequence[int] | None:
        cut = _MASKED.fullmatch(label.strip())
        if cut is None:
            return None
        begun = [(code, value) for code, value in there if value.startswith(cut[1])]
        length = len(cut[1]) + len(cut[2])
        return [code for code, value in begun if len(value) == length] or [code for code, _ in begun] or None

    def listed(label: str) -> Sequence[int] | None:
        parts = [part for part in _SET.split(label.strip().strip("{}[]()")) if part]
        found = [place.get(_plain(part.strip("'\""))) for part in parts]
        known = [one for one in found if one is not None]
        return [code for one in known for code in one] if len(parts) > 1 and len(known) == len(found) else None

    return [in_range, by_saying, masked, listed, moved]


def read_span(label: str) -> Span | None:
    """The numbers behind a label, also as ARX writes ranges ([20, 30[) and with open ends on both sides.

    >>> read_span("[20, 30["), read_span("20-29 years"), read_span(">=80")
    ((20.0, 29.999999999999996), (20.0, 29.0), (80.0, inf))
    """
    text = re.sub(r"\s*(years?( old)?|yrs?)$", "", label.strip().lower()).replace("..", "-").replace("between ", "")
    text = text.replace(" and ", " to ")
    if found := _OPEN.fullmatch(text):
        low, high = float(found[2].replace(",", "")), float(found[3].replace(",", ""))
        low = low if found[1] == "[" else nextafter(low, inf)
        high = high if found[4] == "]" else nextafter(high, -inf)
        return (low, high) if low <= high else None
    return span(text)


def _points(texts: Texts) -> Floats:
    ends = [span(text) for text in texts]
    return np.array([np.nan if one is None else one[0] for one in ends])


def _cut(column: Column, base: Reading) -> list[Reading]:
    """Numbers that were rounded to a step, or that end at a lowest and a highest one: ways in which the value tells
    the label.
    """
    assert column.numbers is not None
    labels, values = column.numbers
    told = labels[np.isfinite(labels)]
    whole = np.round(told * SCALE)
    if len(told) < 2 or not (np.abs(whole) < 2**53).all():
        return []
    step = float(np.gcd.reduce(whole.astype(np.int64))) / SCALE
    rules: dict[str, Callable[[Floats], Floats]] = {"cut at its lowest and highest number": lambda x: x}
    if step:
        rules |= {
            f"rounded to {step:g}": lambda x: np.floor(x / step + 0.5 + 1e-9) * step,
            f"rounded to {step:g}, halves to the even": lambda x: np.round(x / step) * step,
            f"rounded down to {step:g}": lambda x: np.floor(x / step + 1e-9) * step,
            f"rounded up to {step:g}": lambda x: np.ceil(x / step - 1e-9) * step,
        }
    place = {int(number): code for code, number in enumerate(np.round(labels * SCALE).tolist()) if np.isfinite(number)}
    found = []
    for how, rule in rules.items():
        become = np.clip(rule(values), told.min(), told.max())
        to = [place.get(int(x), -1) if np.isfinite(x) else -1 for x in np.round(become * SCALE).tolist()]
        at = np.array(to, np.int64)
        value = np.flatnonzero(at >= 0)
        same = base.value[np.isin(base.value, np.flatnonzero(np.isnan(values)))]  # missing stays missing
        label = base.label[np.isin(base.value, same)]
        pairs = np.concatenate([at[value], label]), np.concatenate([value, same])
        found.append(Reading(*pairs, base.blank, np.zeros(len(labels), bool), how))
    return found
