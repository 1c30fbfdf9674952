"""Columns that the plan renames and derives. The tables of a case have them already, worked out here by plain Python:
what comes out must be the same.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

from fuzz import tables

Cell = str | None
Columns = dict[str, list[Cell]]
STRICT = ("identifier", "key", "sensitive", "other")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d\d?)?", re.ASCII)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Unreadable(Exception):
    """A cell is no number or date where one is needed."""


def number(cell: Cell) -> Fraction | None:
    """A cell as a number; none where it is blank."""
    text = (cell or "").strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text) or len(text) > 60:
        raise Unreadable
    return Fraction(text)


def date(cell: Cell) -> dt.date | None:
    """A cell as a day; a time of day may follow."""
    if not cell:
        return None
    if not re.fullmatch(r"\d{4}-\d\d?-\d\d?([ T].*)?", cell, re.ASCII):
        raise Unreadable
    try:
        return dt.date(*(int(part) for part in re.split("[ T]", cell)[0].split("-")))
    except ValueError:
        raise Unreadable from None


def said(value: Fraction | str | bool | int | None) -> Cell:
    """A result as a text: exact decimals, no exponent."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    with localcontext(prec=200):
        exact = Fraction(value)
        text = format(Decimal(exact.numerator) / Decimal(exact.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_number(work: Callable[[Fraction], Any]) -> Callable[[Cell], Any]:
    return lambda cell: None if (found := number(cell)) is None else work(found)


def _of_date(work: Callable[[dt.date], Any]) -> Callable[[Cell], Any]:
    return lambda cell: None if (found := date(cell)) is None else work(found)


def _half_away(value: Fraction) -> Fraction:
    whole = math.floor(abs(value) * 100 + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 100)


#: An expression of one column, and what it is.
NUMBERS: list[tuple[str, Callable[[Cell], Any]]] = [
    ("{0} // 10", _of_number(lambda n: Fraction(math.floor(n / 10)))),
    ("{0} + 1", _of_number(lambda n: n + 1)),
    ("-{0} * 0.5", _of_number(lambda n: -n / 2)),
    ("{0} % 7", _of_number(lambda n: n - 7 * math.floor(n / 7))),
    ("round({0} / 7, 2)", _of_number(lambda n: _half_away(n / 7))),
    ("'low' if {0} < 30 else 'high'", _of_number(lambda n: "low" if n < 30 else "high")),
    ("16 <= {0} < 65", _of_number(lambda n: 16 <= n < 65)),
    ("coalesce({0}, 0) + 0", lambda cell: Fraction(0) if (found := number(cell)) is None else found),
    ("max(abs({0}), 5)", _of_number(lambda n: max(abs(n), Fraction(5)))),
]
DATES: list[tuple[str, Callable[[Cell], Any]]] = [
    ("year({0})", _of_date(lambda day: day.year)),
    ("quarter({0})", _of_date(lambda day: (day.month - 1) // 3 + 1)),
    ("month({0}) * 100 + day({0})", _of_date(lambda day: day.month * 100 + day.day)),
    ("weekday({0})", _of_date(lambda day: _DAYS[day.weekday()])),
    ("days({0}) - days('1950-01-01')", _of_date(lambda day: (day - dt.date(1950, 1, 1)).days)),
]
TEXTS: list[tuple[str, Callable[[Cell], Any]]] = [
    ("{0}", lambda cell: cell or None),
    ("missing({0})", lambda cell: not cell),
    ("coalesce({0}, 'none')", lambda cell: cell or "none"),
    ("'one' if {0} in ('a', 'north', 'x y') else 'two'",
     lambda cell: None if not cell else "one" if cell in ("a", "north", "x y") else "two"),
    ("{0} != '007'", lambda cell: None if not cell else cell != "007"),
]  # fmt: skip


def derive(
    rng: Random, case: dict[str, Any], columns: Columns, sorts: dict[str, str], roles: dict[str, str]
) -> list[dict[str, Any]]:
    """Some new columns, added to the table; gives the steps that make them."""
    steps = []
    case["derived"], case["unreadable"] = [], False
    for i in range(rng.choice([0, 0, 0, 1, 1, 2])):
        source = rng.choice([name for name in columns if sorts[name] not in ("trace", "weight")])
        ways = {"number": NUMBERS, "decimal": NUMBERS, "date": DATES, "moment": DATES}.get(sorts[source], TEXTS)
        if sorts[source] == "id":
            ways = [TEXTS[1], TEXTS[3], TEXTS[4]]
        text, work = rng.choice(ways if rng.random() < 0.8 or sorts[source] == "id" else TEXTS)
        cells, bad = _worked_out(work, columns[source])
        into = f"made{i}"
        step = {"step": "derive", "into": into, "expression": text.format(f"`{source}`")}
        if bad and rng.random() < 0.9:
            step["unreadable"] = "missing"
        case["unreadable"] = case["unreadable"] or (bad and "unreadable" not in step)
        role = roles[source]
        if role == "identifier":
            step["weaker_role"], role = "only a part of it", "key"
        roles[into] = rng.choice(STRICT[1 : STRICT.index(role) + 1]) if rng.random() < 0.95 else rng.choice(STRICT[1:])
        columns[into], sorts[into] = cells, "number" if ways is NUMBERS else "category"
        case["derived"].append(into)
        steps.append(step)
    return steps


def _worked_out(work: Callable[[Cell], Any], cells: Sequence[Cell]) -> tuple[list[Cell], bool]:
    found: list[Cell] = []
    bad = False
    for cell in cells:
        try:
            found.append(said(work(cell)))
        except Unreadable:
            found.append(None)
            bad = True
    return found, bad


def rename(rng: Random, case: dict[str, Any], columns: Columns, strict: bool) -> list[dict[str, Any]]:
    """Other names in the file; gives the step that mends them. `strict`: its format has few names for columns."""
    case["named"] = {}
    if not strict and rng.random() < 0.8:
        return []
    there = [name for name in columns if name not in case["derived"]]
    some = there if strict else rng.sample(there, rng.randint(1, len(there)))
    if not strict and len(some) > 1 and rng.random() < 0.4:
        case["named"] = {some[0]: some[1], some[1]: some[0]}
    else:
        free = [name for name in tables.NAMES if name.lower() not in [one.lower() for one in columns]]
        olds = [f"v{i}" for i in range(len(some))] if strict else rng.sample(free, len(some))
        case["named"] = dict(zip(some, olds, strict=True))
    return [{"step": "rename", "variables": {old: new for new, old in case["named"].items()}}]


def in_file(case: dict[str, Any]) -> Columns:
    """The columns that the file has, by the names that it has for them."""
    named, derived = case.get("named", {}), case.get("derived", [])
    return {named.get(name, name): cells for name, cells in case["columns"].items() if name not in derived}
