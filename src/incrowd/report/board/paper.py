"""The decision paper: two pages that a person reads and signs. One value, which every form of it is made from.

HTML, PDF and Word show the same sentences because they are made from the same ones.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from incrowd.errors import InputError, visible

#: How something stands; a renderer has a colour and a mark for each.
Stand = Literal["good", "fair", "bad", "plain"]
MARKS: dict[Stand, str] = {"good": "\N{CHECK MARK}", "fair": "!", "bad": "\N{BALLOT X}", "plain": ""}
#: What stands where something is cut, and where the whole of it is.
CUT = "\N{HORIZONTAL ELLIPSIS}"
#: The words around the sentences, the same in every form.
KIND, STAMP, SIGNATURES = "Decision paper", "Internal: stays in the audit.", "Signatures"
SIGNED = ("Role", "Name", "Decision and tier", "Signature", "Date")
FILLED_IN = "What the plan says already is filled in; the rest is signed by hand"


@dataclass(frozen=True)
class Figure:
    """A figure to be seen first, and what it means."""

    label: str
    value: str
    note: str
    stands: Stand = "plain"


@dataclass(frozen=True)
class Point:
    """A sentence, and how it stands."""

    text: str
    stands: Stand = "plain"


@dataclass(frozen=True)
class Part:
    """A heading, the sentence that says it all, the points, and what was left to the report."""

    name: str
    title: str
    lead: str
    points: tuple[Point, ...] = ()
    more: str = ""
    numbered: bool = False


@dataclass(frozen=True)
class Line:
    """A line to sign: what the plan says already, and the rest by hand."""

    role: str = ""
    decision: str = ""
    date: str = ""


@dataclass(frozen=True)
class Paper:
    """The whole paper, in the order in which it is read."""

    title: str
    about: str  # which file it speaks of, by its hash
    figures: tuple[Figure, ...]
    limits: str  # from where on a loss has which colour
    decision: Part
    worth: Part
    risk: Part
    done: Part
    remains: Part
    answers: Part
    signing: str
    lines: tuple[Line, ...]

    def json(self) -> str:
        """As it is kept in the audit."""
        return json.dumps(asdict(self), indent=1)

    @staticmethod
    def read(text: str) -> Paper:
        """As it was kept."""
        try:
            kept: dict[str, Any] = json.loads(text)
            parts = {name: _part(kept[name]) for name in ("decision", "worth", "risk", "done", "remains", "answers")}
            figures = tuple(Figure(**one) for one in kept["figures"])
            lines = tuple(Line(**one) for one in kept["lines"])
            return Paper(**{**kept, **parts, "figures": figures, "lines": lines})
        except (ValueError, KeyError, TypeError):
            message = "decision.json is not as this version of incrowd writes it."
            raise InputError("D391", message, "Run the plan again, or open decision.html and print it.") from None


def _part(kept: dict[str, Any]) -> Part:
    return Part(**{**kept, "points": tuple(Point(**one) for one in kept["points"])})


def short(text: str, most: int) -> str:
    """A text in one line of at most so many characters, cut at a word; what a reader would not see is written out.

    >>> short("Two universities and a charity were asked.", 24)
    'Two universities and a\u2026'
    """
    line = visible(" ".join(text.split()))
    if len(line) <= most:
        return line
    cut = line[: most - len(CUT)]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut).rstrip(" ,;:.") + CUT


def more(left: int, what: str = "") -> str:
    """What was left to the report, if anything was.

    >>> more(9), more(2, "step"), more(1, "step"), more(0)
    ('and 9 more, in the report', 'and 2 more steps, in the report', 'and 1 more step, in the report', '')
    """
    named = f" {what}{'' if left == 1 else 's'}" if what else ""
    return f"and {left:,} more{named}, in the report" if left > 0 else ""
