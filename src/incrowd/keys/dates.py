"""Dates and times as texts: how they are read, and what may be said of them more coarsely."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Literal

#: What can be told of a date, in the order of time.
DatePart = Literal["decade", "year", "quarter", "month"]
#: All that can be told of a moment: the others come round again, so they are no levels of a hierarchy of dates.
MomentPart = Literal["decade", "year", "quarter", "month", "week", "month_of_year", "weekday", "hour"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
#: How dates are written unless somebody says otherwise; a time of day may follow.
ISO = "%Y-%m-%d"
_TIME = re.compile(r"[T ]([01][0-9]|2[0-3]):([0-5][0-9])(:([0-5][0-9])(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?")

_SAY: dict[str, Callable[[dt.datetime], str]] = {
    "decade": lambda day: f"{day.year // 10 * 10}s",
    "year": lambda day: f"{day.year:04d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "week": lambda day: f"{day.isocalendar().year:04d}-W{day.isocalendar().week:02d}",
    "month_of_year": lambda day: MONTHS[day.month - 1],
    "weekday": lambda day: WEEKDAYS[day.weekday()],
    "hour": lambda day: f"{day.hour:02d}",
}


def read_moment(text: str, pattern: str | None = None, *, timed: bool = False) -> dt.datetime:
    """A date by a pattern; without one, as ISO 8601 writes it, with or without a time of day. Raises ValueError.

    The time is taken as it is written, whatever zone it names. `timed` refuses a date without one: midnight is an
    hour that nobody wrote.
    """
    if pattern is not None:
        return dt.datetime.strptime(text, pattern)
    found = _TIME.search(text)
    if found is None or found.end() != len(text):
        if timed:
            raise ValueError
        return dt.datetime.strptime(text, ISO)
    day = dt.datetime.strptime(text[: found.start()], ISO)
    return day.replace(hour=int(found[1]), minute=int(found[2]), second=int(found[4] or 0))


def say_part(moment: dt.datetime, part: MomentPart) -> str:
    """One part of it, as a value that stands for all that share it.

    >>> say_part(dt.datetime(2024, 12, 30, 9), "week"), say_part(dt.datetime(2024, 12, 30, 9), "weekday")
    ('2025-W01', 'Monday')
    """
    return _SAY[part](moment)


def tells(pattern: str, part: MomentPart) -> bool:
    """Can this be told of a date that is read by a pattern? What the pattern leaves out would be made up.

    >>> tells("%d/%m/%Y", "weekday"), tells("%d/%m/%Y", "hour"), tells("%H:%M", "hour"), tells("%m/%Y", "week")
    (True, False, True, False)
    """
    moment = dt.datetime(2003, 11, 28, 17, 46, 39)  # no part of it can be taken for another
    try:
        read = dt.datetime.strptime(moment.strftime(pattern), pattern)
    except (ValueError, re.error):  # a part that is named twice is an error of another kind
        return False
    needed = {
        "decade": ("year",), "year": ("year",), "quarter": ("year", "month"), "month": ("year", "month"),
        "month_of_year": ("month",), "hour": ("hour",),
    }.get(part, ("year", "month", "day"))  # fmt: skip
    return all(getattr(read, name) == getattr(moment, name) for name in needed)
