"""The operators and functions of an expression, and what each makes of its values. A missing value makes a missing one,
except where a function says what to do with it (evaluate.py).
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from incrowd.keys.dates import read_moment, say_part
from incrowd.keys.expressions.tree import Kind

_DAY = dt.datetime(1970, 1, 1)


class Unreadable(Exception):
    """A cell is no number, or no date, where one is needed. Which, nobody is told."""


class DividedByZero(Exception):
    """A number was divided by 0."""


@dataclass(frozen=True)
class Function:
    """What a function takes, what it gives, and how. `least` to `most` values are given; the last kind holds for all
    further ones.
    """

    takes: tuple[Kind, ...]
    gives: Kind
    work: Callable[..., Any]
    least: int = 1
    most: int = 1


def _divided(a: Fraction, b: Fraction) -> Fraction:
    if not b:
        raise DividedByZero
    return a / b


def _whole(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(math.floor(_divided(a, b)))


def rounded(number: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """To so many decimals; a half goes away from 0, as at school."""
    unit = Fraction(10) ** int(places)
    away = math.floor(abs(number) * unit + Fraction(1, 2)) / unit
    return Fraction(-away if number < 0 else away)


def _date(part: Callable[[dt.datetime], Any], *, timed: bool = False) -> Function:
    def work(text: str, pattern: str | None = None) -> Any:
        try:
            found = part(read_moment(text, pattern, timed=timed))
        except ValueError:
            raise Unreadable from None
        return Fraction(found) if isinstance(found, int) else found

    return Function(("text", "text"), "number", work, 1, 2)


_WEEKDAY = _date(lambda day: say_part(day, "weekday"))

#: Functions by the name that people write.
FUNCTIONS: Mapping[str, Function] = {
    "abs": Function(("number",), "number", abs),
    "floor": Function(("number",), "number", lambda a: Fraction(math.floor(a))),
    "ceil": Function(("number",), "number", lambda a: Fraction(math.ceil(a))),
    "round": Function(("number", "number"), "number", rounded, 1, 2),
    "min": Function(("number",), "number", min, 2, 20),
    "max": Function(("number",), "number", max, 2, 20),
    "number": Function(("number",), "number", lambda a: a),
    "text": Function(("text",), "text", lambda a: a),
    "year": _date(lambda day: day.year),
    "quarter": _date(lambda day: (day.month + 2) // 3),
    "month": _date(lambda day: day.month),
    "day": _date(lambda day: day.day),
    "hour": _date(lambda day: day.hour, timed=True),
    "days": _date(lambda day: (day - _DAY).days),
    "weekday": Function(_WEEKDAY.takes, "text", _WEEKDAY.work, 1, 2),
}
#: Those that look at missing values; the parser and the evaluator know them.
SPECIAL = ("coalesce", "missing")

#: Operators, under names that nobody can write.
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "//": _whole,
    "%": lambda a, b: a - b * _whole(a, b),
    "negative": lambda a: -a,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, *others: a in others,
    "not in": lambda a, *others: a not in others,
}
