"""Labelings: one coarser name for each value of a variable. What the recode step and the hierarchies are made of.

Each labeling takes the distinct values and gives their new names in the same order. Missing stays missing. A value
that a labeling cannot name is a fault that says how many there are, never which.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import TypeVar

from incrowd.errors import InputError
from incrowd.keys.dates import ISO, MomentPart, read_moment, say_part

Values = Sequence[str | None]
Labels = list[str | None]
T = TypeVar("T")
#: The digits of the longest numbers that are taken for some: 1e999999999 would fill the memory as a text.
LONGEST = 100


def bands(values: Values, cuts: Sequence[Decimal], name: str, labels: Sequence[str] | None = None) -> Labels:
    """Which band is a number in? A cut starts a new band: [16, 30, 45] gives 16-29, 30-44, 45+ and, below, <16.

    `labels` names the bands from the first cut up (as many as there are cuts); numbers below the first cut are then
    a fault. Where numbers with decimals occur the labels read '16 to under 30'.

    >>> bands(["17", "45", None], [Decimal(16), Decimal(30), Decimal(45)], "age")
    ['16-29', '45+', None]
    """
    numbers = as_numbers(values, name)
    whole = all(n is None or n == n.to_integral_value() for n in [*numbers, *cuts])
    names = list(labels) if labels is not None else _band_names(cuts, whole)
    below = sum(n is not None and n < cuts[0] for n in numbers)
    if labels is not None and below:
        raise InputError(
            "D022",
            f"{below} values of {name!r} are below its first band.",
            "Start the bands lower, or leave out the labels to get a band for them.",
        )
    under = f"<{_text(cuts[0])}"

    def label(number: Decimal | None) -> str | None:
        if number is None:
            return None
        at = bisect_right(cuts, number)
        return names[at - 1] if at else under

    return [label(number) for number in numbers]


def mapping(values: Values, names: Mapping[str, str], name: str, others: str | None = None) -> Labels:
    """What is a value called in the release? Values that are not mentioned keep their name.

    `others='fault'` makes an unmentioned value a fault; any other text is the name they all get.

    >>> mapping(["widowed", "married"], {"widowed": "previously married"}, "marital_status")
    ['previously married', 'married']
    """
    missing = sum(value is not None and value not in names for value in values)
    if others == "fault" and missing:
        raise InputError(
            "D023",
            f"{missing} of the {len(values)} values of {name!r} are not in its mapping or lookup.",
            "Add them, or say what all other values become (others: ...).",
        )
    return [None if value is None else names.get(value, others or value) for value in values]


def prefix(values: Values, length: int) -> Labels:
    """What do the first characters say? Keeps `length` characters of each value."""
    return [None if value is None else value[:length] for value in values]


def date_part(values: Values, part: MomentPart, name: str, pattern: str | None = None) -> Labels:
    """When, said more coarsely? The decade, year, quarter, month or week of a date; or what comes round again: the
    month of the year, the weekday, the hour.

    >>> date_part(["1984-07-05"], "quarter", "dob"), date_part(["1984-07-05 13:45:00"], "hour", "seen")
    (['1984-Q3'], ['13'])
    """
    kind = f"a date like {pattern or ISO}" if part != "hour" or pattern else "a date with a time like 2024-05-31 17:45"
    days = _each(values, lambda text: read_moment(text, pattern, timed=part == "hour"), name, kind)
    return [None if day is None else say_part(day, part) for day in days]


def as_numbers(values: Values, name: str) -> list[Decimal | None]:
    """The values as exact numbers."""
    return _each(values, _number, name, "a number")


def _each(values: Values, read: Callable[[str], T], name: str, kind: str) -> list[T | None]:
    """Read every value that is there, and count those that cannot be read."""
    result: list[T | None] = []
    bad = 0
    for value in values:
        try:
            result.append(None if value is None else read(value))
        except (ValueError, InvalidOperation):
            bad += 1
    if bad:
        raise InputError(
            "D021",
            f"{bad} of the {len(values)} different values of {name!r} are not {kind}.",
            "Recode them first with a mapping, or mend the file.",
        )
    return result


def _number(text: str) -> Decimal:
    number = Decimal(text.strip())
    if not number.is_finite() or abs(number.adjusted()) > LONGEST:
        raise ValueError
    return number


def _band_names(cuts: Sequence[Decimal], whole: bool) -> list[str]:
    names = []
    for low, high in pairwise(cuts):
        if not whole:
            names.append(f"{_text(low)} to under {_text(high)}")
        elif high - low == 1:
            names.append(_text(low))
        else:
            names.append(f"{_text(low)}{' to ' if low < 0 else '-'}{_text(high - 1)}")
    return [*names, f"{_text(cuts[-1])}+"]


def _text(number: Decimal) -> str:
    return format(number.normalize(), "f")
