"""The numbers, dates and times of statistical files as texts: no two stored numbers get one text.

Such a file stores a date as a number, of days or seconds since a day of its own, and beside it the format in which a
program shows it. A format may show less than is stored (the month of a day): here all of it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext

import numpy as np

#: Whole numbers below this are written with all their digits.
WHOLE = 2.0**63
#: Between these, numbers are written without an exponent.
SMALL, LARGE = 1e-15, 1e21
_DAY = 86_400
#: The day from which each program counts.
_SPSS, _OTHERS = date(1582, 10, 14), date(1960, 1, 1)

_SPSS_FORMATS = {
    "date": "DATE ADATE EDATE SDATE JDATE QYR MOYR WKYR",
    "moment": "DATETIME YMDHMS",
    "time": "TIME DTIME MTIME",
}
_SAS_FORMATS = {
    "date": "DATE DDMMYY DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP DDMMYYS MMDDYY MMDDYYB MMDDYYC MMDDYYD MMDDYYN "
    "MMDDYYP MMDDYYS YYMMDD YYMMDDB YYMMDDC YYMMDDD YYMMDDN YYMMDDP YYMMDDS E8601DA B8601DA IS8601DA MONYY YYMM YYMMC "
    "YYMMD YYMMN YYMMP YYMMS YYMON YYQ JULIAN WEEKDATE WEEKDATX WORDDATE WORDDATX MONNAME DOWNAME NLDATE",
    "moment": "DATETIME DATEAMPM E8601DT B8601DT IS8601DT MDYAMPM DTDATE DTMONYY NLDATM",
    "time": "TIME TIMEAMPM TOD HHMM HOUR MMSS E8601TM B8601TM IS8601TM NLTIME",
}
#: Stata's letter for the parts of a year, and how many there are in one.
_PARTS = {"w": 52, "m": 12, "q": 4, "h": 2}


def number(value: float) -> str:
    """A number as it would be typed: whole ones without a decimal point, others with the digits that tell them apart.

    >>> number(1.0), number(0.1), number(2.0**60), number(1e-05)
    ('1', '0.1', '1152921504606846976', '0.00001')
    """
    if value.is_integer() and abs(value) < WHOLE:
        return "-0" if value == 0 and np.signbit(value) else str(int(value))
    return f"{Decimal(repr(value)):f}" if SMALL <= abs(value) < LARGE else repr(value)


def single(value: float) -> str:
    """A number that is stored in four bytes, where 0.1 is not the 0.1 of eight.

    >>> single(0.10000000149011612)
    '0.1'
    """
    return number(float(str(np.float32(value))))


def writer(program: str, form: str | None, stored: str) -> Callable[[float], str]:
    """How the values of a column are written, by the program's name for its format and for how it is stored."""
    plain = single if stored == "float" else number
    kind, scale, start = _meaning(program, form or "")
    if kind in _PARTS:
        return lambda value: _part(value, kind) if value.is_integer() else plain(value)
    if kind is None:
        return plain

    def write(value: float) -> str:
        try:
            with localcontext(Context(prec=60, traps=[Inexact, InvalidOperation])):
                return _moment(Decimal(plain(value)) * scale, start, kind)
        except (ArithmeticError, ValueError):  # outside the calendar, or finer than sixty digits can tell
            return plain(value)

    return write


def _meaning(program: str, form: str) -> tuple[str | None, Decimal, date]:
    """What a format says that a number is, of how many seconds it counts, and from which day."""
    one = Decimal(1)
    if program == "stata":
        found = re.match(r"%-?(?:t([dcwmqh])|(d))", form)  # %tC counts leap seconds, and stays a number
        letter = None if found is None else found[1] or found[2]
        if letter == "c":
            only_time = re.fullmatch(r"%-?tcHH:MM(:SS)?", form) is not None
            return "clock" if only_time else "moment", Decimal("0.001"), _OTHERS
        return ("date", Decimal(_DAY), _OTHERS) if letter == "d" else (letter, one, _OTHERS)
    known = _SPSS_FORMATS if program == "spss" else _SAS_FORMATS
    name = re.sub(r"[0-9.]+$", "", form).upper()
    kind = next((kind for kind, names in known.items() if name in names.split()), None)
    if program == "spss":
        return kind, one, _SPSS
    return kind, Decimal(_DAY) if kind == "date" else one, _OTHERS


def _moment(seconds: Decimal, start: date, kind: str) -> str:
    days, rest = divmod(seconds, _DAY)
    if rest < 0:  # decimals divide towards zero
        days, rest = days - 1, rest + _DAY
    if kind == "time" or (kind == "clock" and not days):
        return clock(seconds)
    day = (start + timedelta(days=int(days))).isoformat()
    return day if kind == "date" and not rest else f"{day}T{clock(rest)}"


def clock(seconds: Decimal) -> str:
    """Hours, minutes and seconds; a time that lasts may have more than 24 hours, or be negative.

    >>> clock(Decimal("97445.5"))
    '27:04:05.5'
    """
    minutes, rest = divmod(abs(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f"{rest % 1:f}".rstrip("0").rstrip(".")[1:]
    sign = "-" if seconds < 0 else ""
    return f"{sign}{int(hours):02}:{int(minutes):02}:{int(rest):02}{fraction}"


def _part(value: float, letter: str) -> str:
    """A week, month, quarter or half-year, counted from the first of 1960: as Stata writes it, months as ISO."""
    year, part = divmod(int(value), _PARTS[letter])
    year += 1960
    return f"{year}-{part + 1:02}" if letter == "m" else f"{year}{letter}{part + 1}"
