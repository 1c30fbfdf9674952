"""Which texts would a spreadsheet run? A cell that begins like a formula is one, whoever wrote it.

Who opens a CSV file in a spreadsheet program runs `=1+1`, and `=HYPERLINK(...)` with it. A number with its sign, such
as -5 or +3.2, is a number. Reference: OWASP, CSV Injection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Regular expressions that Python and all engines read alike: what begins like a formula, and what has a sign.
FORMULA = "^[=@\t\r\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH COMMERCIAL AT}]"
SIGNED = "^[-+\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}]"
#: A number with a sign, or the sign alone, which stands for nothing in many files.
PLAIN = r"^[-+](([0-9][0-9,]*(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?%?)?$"
#: What is put before a formula, and may stand before one already.
MARK = "'"

_FORMULA, _SIGNED, _PLAIN = re.compile(FORMULA), re.compile(SIGNED), re.compile(PLAIN.removesuffix("$") + r"\Z")


def is_formula(text: str) -> bool:
    """Would a spreadsheet take a text for a formula?

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "+44 20", "-5", "+3.2", "-", "a=1", "'=1")]
    [True, True, True, False, False, False, False, False]
    """
    return bool(_FORMULA.match(text) or (_SIGNED.match(text) and not _PLAIN.match(text)))


def neutral(text: str) -> str:
    """A text that no spreadsheet runs: a formula gets an apostrophe, and so does what looks like the result.

    Two texts that differ still differ: with every apostrophe before a formula comes one more, so taking one away gives
    the text back.

    >>> neutral("=1+1"), neutral("'=1+1"), neutral("-5"), neutral("'tis")
    ("'=1+1", "''=1+1", '-5', "'tis")
    """
    return MARK + text if is_formula(text.lstrip(MARK)) else text


def harmless(cell: object) -> object:
    """A cell of a file for people to open: text that would be run gets an apostrophe, all else stays."""
    return MARK + cell if isinstance(cell, str) and is_formula(cell) else cell


def formulas_in(cells: Iterable[object]) -> int:
    """How many of some cells would be run."""
    return sum(isinstance(cell, str) and is_formula(cell) for cell in cells)
