"""The order in which a person expects values: 1, 2, 10; <5, 5-9, 10-14, 100+; texts after numbers; missing last."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import TypeVar

from incrowd.keys.hierarchy import TOP

Value = TypeVar("Value", str, str | None)

#: A number at the beginning of a value: -9, 5-9, 1,000+, 2.5 to under 5.
_NUMBER = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_DIGITS = re.compile(r"([0-9]+)")
_BELOW, _NUMBERS, _TEXTS, _APART, _NONE = range(5)

Place = tuple[int, Decimal, tuple[tuple[int, str], ...], str]


def natural(value: str | None) -> Place:
    """The place of a value among others, to sort by. What stands for no value, or for any, comes last.

    >>> sorted(["10-14", "b", None, "*", "100+", "<5", "-9", "5-9", "a10", "a9"], key=natural)
    ['<5', '-9', '5-9', '10-14', '100+', 'a9', 'a10', 'b', '*', None]
    """
    if not value:
        return _NONE, Decimal(value is None), (), ""
    if value == TOP or value.startswith("("):  # any value; (missing), (rare values)
        return _APART, Decimal(value != TOP), _parts(value), value
    text = value.strip()
    below = text.startswith("<")
    start = text.lstrip("<>=~ ")
    if (found := _NUMBER.match(start)) is not None:
        rest = start[found.end() :] + (">" if text.startswith(">") else "")
        kind = _BELOW if below else _NUMBERS
        return kind, Decimal(found[0].replace(",", "")), _parts(rest), value
    return _TEXTS, Decimal(0), _parts(text), value


def in_order(values: Iterable[Value]) -> list[Value]:
    """Values as a person lists them."""
    return sorted(values, key=natural)


def _parts(text: str) -> tuple[tuple[int, str], ...]:
    """Letters and numbers by turns; of two numbers the one with fewer digits is smaller."""
    return tuple(
        (len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (0, part)
        for i, part in enumerate(_DIGITS.split(text.casefold()))
    )
