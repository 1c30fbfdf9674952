"""How the board's pages name a column, and a value of it: by their words where these are short enough to read on."""

from __future__ import annotations

from incrowd.audit.log import RunLog
from incrowd.report.board.paper import short

#: The longest title that stands in a row of several, and the longest name.
TITLE, NAME = 40, 60


def column(log: RunLog, name: str) -> str:
    """A column in a row of several: its title where that is a few words, or else its name."""
    title = log.book.title(name)
    return short(title if len(title) <= TITLE and "," not in title else name, NAME)


def value_of(log: RunLog, name: str, value: str | None, most: int = NAME) -> str:
    """A value with its column, both in words: where the title ends and the value begins can be seen."""
    return f"{column(log, name)}: {short(log.word(name, value), most)}"
