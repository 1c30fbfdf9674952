"""Which names of columns may an error show? The names in a file are data until something proves that they are names.

The first line of a file may be somebody's record: the header was forgotten, cut off, or run together with what follows
it by a quotation mark. Whoever wrote a name into a plan or behind `--keys` has shown it already. All other names are
shown only where the line that holds them is proven to be a header.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from incrowd.errors import did_you_mean

#: Longer than any name that an error could make use of.
LONGEST = 80
#: So many names are listed.
LISTED = 40
#: Records that are looked at, and the share of them that may have a word in a column of numbers.
SAMPLE, ODD = 1000, 0.02
#: So many columns must speak for a header where nobody wrote a name that is in it.
SPEAKERS = 2

_NUMBER = r"[-+£$€]?\d+(?:[.,\u00a0 ]\d+)*\s?%?|[-+]?\d*\.?\d+[eE][-+]?\d+"
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2}.*)?"
_CODE = r"\S+@\S+\.\S+|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2} ?(?:\d{2} ?){3}[A-D]|\+?\(?\d[\d ()-]{5,}"
_TYPED = re.compile(rf"{_NUMBER}|{_DATE}|{_CODE}")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Names:
    """The columns of a file, and those of them whose names may be shown."""

    columns: tuple[str, ...]
    shown: frozenset[str]

    def say(self, name: str) -> str:
        """A column in an error: by its name where that is proven, else by its place."""
        if name in self.shown and _short(name):
            return f"the column {name!r}"
        return f"column {self._places[name]} of {len(self.columns)}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.columns, 1)}

    def hint(self, written: str) -> str:
        """What to do about a name that is no column: the nearest one, all of them, or neither."""
        near = self.did_you_mean(written)
        if near is not None:
            return near
        if all(name in self.shown and _short(name) for name in self.columns):
            more = f" and {len(self.columns) - LISTED} more" if len(self.columns) > LISTED else ""
            return f"Its columns are: {', '.join(self.columns[:LISTED])}{more}."
        return (
            f"It has {len(self.columns)} columns, whose names are not shown, since line 1 may be a record: it must "
            "name the columns, as they are written here."
        )

    def did_you_mean(self, written: str) -> str | None:
        """The proven name that is nearest to what somebody wrote, as a hint."""
        return did_you_mean(written, (name for name in self.columns if name in self.shown and _short(name)))


def prove(columns: Sequence[str], written: Collection[str], speaking: Collection[str] = ()) -> Names:
    """Which names are proven? Those that somebody wrote, and all of them where the line is a header for certain.

    It is one where it has most of the names that were `written`, or where two columns speak for it (see `speaks_for`);
    never where a name looks like a value, or holds a line end or a quotation mark.
    """
    known = set(columns) & set(written)
    certain = 2 * len(known) > len(set(written)) or len(set(speaking)) >= SPEAKERS
    if any(map(like_a_value, columns)):
        shown = known
    else:
        shown = set(columns) if certain else known | set(speaking)
    return Names(tuple(columns), frozenset(shown))


def like_a_value(name: str) -> bool:
    """Is this no name of a column: a number that is no year, a date, an address, several lines, or quoted text?

    >>> [like_a_value(text) for text in ("age", "2021", "34", "2021-05-01", "a@b.org", "AL1 1AA")]
    [False, False, True, True, True, True]
    """
    text = name.strip()
    return not text.isprintable() or '"' in text or (_typed(text) and _YEAR.fullmatch(text) is None)


def speaks_for(name: str, values: Sequence[str | None]) -> int:
    """Does a column speak for its header (1), against it (-1), or neither (0)?

    For it, where the values are numbers, dates or codes and the name is none; against it, where the name is a value.
    Misleads where a first record has words in columns of numbers, as any header has: so one column proves nothing, and
    a file of words alone proves nothing either, since a rare record looks like a header there.

    >>> speaks_for("age", ["34", "35"]), speaks_for("34", ["35"]), speaks_for("York", ["Leeds", "York"])
    (1, 0, -1)
    """
    filled = Counter(value for value in values if value)
    if name in filled:
        return -1
    if not filled or _typed(name.strip()):
        return 0
    misfits = sum(count for value, count in filled.items() if not _typed(value.strip()))
    return int(misfits <= int(ODD * sum(filled.values())))


def _typed(text: str) -> bool:
    return _TYPED.fullmatch(text) is not None


def _short(name: str) -> bool:
    return len(name) <= LONGEST and name.isprintable()
