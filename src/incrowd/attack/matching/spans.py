"""Labels that are ranges of numbers: 30-39, 40+, <16, [20, 40). Which numbers can stand behind a label?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf, isfinite, nextafter

import numpy as np
from numpy.typing import NDArray

#: The lowest and the highest number that a label stands for.
Span = tuple[float, float]

#: Numbers are compared to so many parts of one.
SCALE = 1_000_000

_N = r"([-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?)"
_PATTERNS: list[tuple[re.Pattern[str], Callable[..., Span]]] = [
    (re.compile(rf"{_N}"), lambda a: (a, a)),
    (re.compile(rf"{_N}\s*(?:-|\u2013|to)\s*{_N}"), lambda a, b: (a, b)),
    (re.compile(rf"{_N}\s*to under\s*{_N}"), lambda a, b: (a, nextafter(b, -inf))),
    (re.compile(rf"\[{_N}\s*[,;]\s*{_N}\)"), lambda a, b: (a, nextafter(b, -inf))),
    (re.compile(rf"\({_N}\s*[,;]\s*{_N}\]"), lambda a, b: (nextafter(a, inf), b)),
    (re.compile(rf"\[{_N}\s*[,;]\s*{_N}\]"), lambda a, b: (a, b)),
    (re.compile(rf"(?:>=|≥)\s*{_N}|{_N}\s*(?:\+|or (?:more|over|older|above))"), lambda a: (a, inf)),
    (re.compile(rf"(?:>|over)\s*{_N}"), lambda a: (nextafter(a, inf), inf)),
    (re.compile(rf"(?:<=|≤|up to)\s*{_N}|{_N}\s*or (?:less|fewer|under|younger|below)"), lambda a: (-inf, a)),
    (re.compile(rf"(?:<|under)\s*{_N}"), lambda a: (-inf, nextafter(a, -inf))),
]


@lru_cache(maxsize=100_000)
def span(label: str | None) -> Span | None:
    """The numbers that a label stands for; None when it is no range.

    >>> span("30-39"), span("40+"), span("37"), span("north")
    ((30.0, 39.0), (40.0, inf), (37.0, 37.0), None)
    """
    if label is None:
        return None
    text = label.strip().lower().replace("£", "").replace("€", "").replace("$", "")
    for pattern, make in _PATTERNS:
        found = pattern.fullmatch(text)
        if found:
            low, high = make(*(float(part.replace(",", "")) for part in found.groups() if part is not None))
            return (low, high) if low <= high else None
    return None


def middle(label: str | None) -> float:
    """One number for a label: the middle of its range, or the end that there is; NaN when it is no range."""
    found = span(label)
    if found is None:
        return float("nan")
    low, high = found
    if isfinite(low) and isfinite(high):
        return (low + high) / 2
    return low if isfinite(low) else high


def are_numbers(labels: Sequence[str | None]) -> bool:
    """Whether every label that is there is a number or a range of numbers, and there is one."""
    there = [label for label in labels if label is not None]
    return bool(there) and all(span(label) is not None for label in there)


def rounded(ones: Sequence[str | None], others: Sequence[str | None]) -> NDArray[np.bool_] | None:
    """For every pair of numbers of two files, whether one exact number can have been rounded to both.

    What each file was rounded to is read off its numbers: the largest step that all of them keep. None where not all
    are numbers, or where a file has fewer than two.

    >>> rounded(["0", "500", "1000"], ["0", "1500"]).tolist()
    [[True, False], [True, False], [False, True]]
    """
    sides = []
    for labels in (ones, others):
        spans = [span(label) for label in labels]
        if any(one is None or one[0] != one[1] for one in spans):
            return None
        numbers = np.array([one[0] for one in spans if one is not None])
        whole = np.round(numbers * SCALE)
        if len(numbers) < 2 or not (np.abs(whole) < 2**53).all():
            return None
        steps = np.diff(np.unique(whole)).astype(np.int64)
        sides.append((numbers, float(np.gcd.reduce(steps)) / SCALE if len(steps) else 0.0))
    (one, width), (other, breadth) = sides
    # Halves fall to one side only, so two steps that touch have nothing in common.
    near = np.abs(one[:, None] - other[None, :]) < (width + breadth) / 2 - 1 / (2 * SCALE)
    return np.asarray(near | (one[:, None] == other[None, :]))


def overlaps(ones: Sequence[str | None], others: Sequence[str | None]) -> NDArray[np.bool_]:
    """For every pair of labels, whether some number can stand behind both. False where one is no range."""
    nothing = (inf, -inf)
    one = np.array([span(label) or nothing for label in ones], float).reshape(-1, 2)
    other = np.array([span(label) or nothing for label in others], float).reshape(-1, 2)
    low = np.maximum(one[:, None, 0], other[None, :, 0])
    high = np.minimum(one[:, None, 1], other[None, :, 1])
    return np.asarray(low <= high)
