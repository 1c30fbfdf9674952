"""Carry an expression out on one record after the other: texts in, a text out. Numbers are exact fractions on the way.

Every engine hands the same texts to this code, so the result cannot depend on how an engine divides or writes numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from incrowd.keys.expressions.functions import FUNCTIONS, OPERATORS, DividedByZero, Unreadable, rounded
from incrowd.keys.expressions.tree import Column, Constant, Expression, Node

#: What a result begins with: whether it is one, and if not, why.
VALUE, MISSING, ZERO, UNREADABLE = "=", "-", "0", "!"
#: A number that does not end within so many decimals is cut to so many digits.
DECIMALS, DIGITS = 30, 15
#: From here on a number is no amount of anything, and would fill the memory as a text.
LARGEST = 10**100
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
_LONGEST = 60

Record = Sequence[str | None]
Work = Callable[[Record], Any]


@dataclass
class Evaluator:
    """An expression that is ready to work. `missing` are the codes of each column that say why there is no value."""

    expression: Expression
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __call__(self, record: Record) -> str:
        """What the expression makes of the cells of `expression.columns`: its text, behind a sign that says whether
        there is one.

        >>> from incrowd.keys.expressions.parse import parse
        >>> Evaluator(parse("a / b"))(["1", "4"]), Evaluator(parse("a / b"))(["1", "0"])
        ('=0.25', '0')
        """
        try:
            value = self._work(record)
            return MISSING if value is None else VALUE + written(value)
        except DividedByZero:
            return ZERO
        except Unreadable:
            return UNREADABLE

    def __post_init__(self) -> None:
        self._work: Work = self._made(self.expression.tree)

    def _made(self, node: Node) -> Work:
        if isinstance(node, Constant):
            return lambda record, value=node.value: value  # type: ignore[misc]
        if isinstance(node, Column):
            return self._column(node)
        given = [self._made(each) for each in node.given]
        match node.name:
            case "if":
                return _chosen(*given)
            case "and" | "or":
                return _joined(given, node.name == "or")
            case "not":
                return lambda record: None if (value := given[0](record)) is None else not value
            case "missing":
                return _is_missing(given[0])
            case "coalesce":
                return _first(given)
            case "read":
                return lambda record: _number(given[0](record))
            case "written":
                return lambda record: None if (value := given[0](record)) is None else written(value)
        return _plain(OPERATORS.get(node.name) or FUNCTIONS[node.name].work, given)

    def _column(self, column: Column) -> Work:
        at, none = self.expression.columns.index(column.name), frozenset(self.missing.get(column.name, ()))
        if column.read == "text":
            return lambda record: record[at] or None
        if column.read == "known":
            return lambda record: None if record[at] in none else record[at] or None
        return lambda record: None if record[at] in none else _number(record[at])


def _number(text: str | None) -> Fraction | None:
    stripped = (text or "").strip()
    if not stripped:
        return None
    if len(stripped) > _LONGEST or not _NUMBER.fullmatch(stripped):
        raise Unreadable
    return Fraction(Decimal(stripped))


def _plain(work: Callable[..., Any], given: Sequence[Work]) -> Work:
    def on(record: Record) -> Any:
        values = [each(record) for each in given]
        return None if None in values else work(*values)

    return on


def _chosen(test: Work, one: Work, other: Work) -> Work:
    """Only the side that is asked for is looked at; where the condition is missing, so is the result."""

    def on(record: Record) -> Any:
        truth = test(record)
        return None if truth is None else one(record) if truth else other(record)

    return on


def _joined(given: Sequence[Work], decisive: bool) -> Work:
    """and, or: one decisive value decides, also beside missing ones."""

    def on(record: Record) -> Any:
        unknown = False
        for each in given:
            try:
                truth = each(record)
            except DividedByZero:
                truth = None
            if truth is decisive:
                return decisive
            unknown = unknown or truth is None
        return None if unknown else not decisive

    return on


def _first(given: Sequence[Work]) -> Work:
    """The first that there is; what could not be divided is not."""

    def on(record: Record) -> Any:
        for each in given:
            try:
                value = each(record)
            except DividedByZero:
                continue
            if value is not None:
                return value
        return None

    return on


def _is_missing(given: Work) -> Work:
    def on(record: Record) -> bool:
        try:
            return given(record) is None
        except DividedByZero:
            return True

    return on


def written(value: Fraction | str | bool) -> str:
    """A result as text: whole numbers without a point, others with as many decimals as they have.

    >>> written(Fraction(1, 10) + Fraction(2, 10)), written(Fraction(6, 2)), written(Fraction(2, 3)), written(True)
    ('0.3', '3', '0.666666666666667', 'true')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if abs(value) >= LARGEST:
        raise Unreadable
    places = DECIMALS
    if (value * 10**DECIMALS).denominator != 1:
        before = len(str(abs(int(value)))) if abs(value) >= 1 else -_zeros(abs(value))
        places = min(max(DIGITS - before, 0), DECIMALS)
        value = rounded(value, Fraction(places))
    scaled = value * 10**places
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    whole, rest = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _zeros(value: Fraction) -> int:
    """How many zeros follow the point?"""
    zeros = 0
    while value < Fraction(1, 10) and zeros < DECIMALS:
        value, zeros = value * 10, zeros + 1
    return zeros
