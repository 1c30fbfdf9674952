"""Values that say why there is none: 'not applicable', 'refused', -9. They stand apart from all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import as_numbers

#: How such values are worded. At the beginning or at the end of a label: 'religion not stated', 'refused (phone)'.
_PHRASES = (
    "not applicable", "does not apply", "inapplicable", "no code required", "not required", "not eligible",
    "refused", "refusal", "refuses", "prefer not to say", "prefers not to say", "don't know", "dont know",
    "do not know", "does not know", "not known", "unknown", "not stated", "not answered", "no answer", "no response",
    "not asked", "not available", "not recorded", "not collected", "not provided", "missing", "n/a",
)  # fmt: skip
#: Short marks that say it only where all other values are numbers: NA is a country, X a category.
_MARKS = frozenset({"na", "nan", "null", "x", "z", ".", "..", "?", "-", ""})
#: Numbers that say it by custom: below zero where nothing else is, or nines far above all others.
_BELOW = frozenset(map(Decimal, (*range(-9, 0), -77, -88, *range(-99, -95), -777, -888, *range(-999, -995), -9999)))
_NINES = re.compile(r"9+[789]|7{2,}|8{2,}")
#: Nines, sevens and eights are a code when they are at least so many times the largest other number.
_FAR = 2


def says_none(words: str) -> bool:
    """Whether words say that there is no value.

    >>> says_none("Not applicable (aged under 16)"), says_none("No religion"), says_none("Religion not stated")
    (True, False, True)
    """
    text = words.strip().casefold().replace("\u2019", "'")
    if not text.startswith(_PHRASES) and not text.endswith(_PHRASES):  # quick, for files of many values
        return False
    begins = (text[len(phrase) :] for phrase in _PHRASES if text.startswith(phrase))
    ends = (text[: -len(phrase)] for phrase in _PHRASES if text.endswith(phrase))
    return any(not rest[:1].isalnum() for rest in begins) or any(not rest[-1:].isalnum() for rest in ends)


def stand_apart(leaves: Sequence[str], name: str, book: Codebook, *, guess: bool) -> tuple[str, ...]:
    """Which values say why there is none: those that the codebook names, and those whose words say so. With `guess`
    also the customary codes, where no codebook names any: -9 where nothing else is below zero, 99 far above the others.

    A file of such values alone has none: there is nothing they could stand apart from.

    >>> stand_apart(["1", "2", "-9"], "job", Codebook(), guess=True)
    ('-9',)
    """
    named = set(book.missing.get(name, ()))
    found = {leaf for leaf in leaves if leaf in named or says_none(book.word(name, leaf))}
    if guess and name not in book.missing:
        labelled = book.codes.get(name, {})
        found |= _customary([leaf for leaf in leaves if leaf not in found and leaf not in labelled], leaves)
    return tuple(leaf for leaf in leaves if leaf in found) if len(found) < len(leaves) else ()


def _customary(unexplained: Sequence[str], leaves: Sequence[str]) -> set[str]:
    """Of the values that nothing explains, those that are such codes by custom."""
    numbers = {leaf: number for leaf in leaves if (number := _number(leaf)) is not None}
    marks = {leaf for leaf in unexplained if leaf not in numbers and leaf.strip().casefold() in _MARKS}
    if not numbers or any(leaf not in numbers and leaf not in marks for leaf in unexplained):
        return set()
    below = {leaf for leaf in numbers if numbers[leaf] < 0}
    others = [number for leaf, number in numbers.items() if leaf not in below]
    codes = below <= set(unexplained) and all(numbers[leaf] in _BELOW for leaf in below)
    # -2, -1, 0, 1 are temperatures or balances; -9, or -1 alone, is a code.
    near = len(below) > 1 and bool(others) and min(others) - max(numbers[leaf] for leaf in below) < _FAR
    if not codes or near or not others:
        below = set()
    far = {leaf for leaf in unexplained if _NINES.fullmatch(leaf)}
    rest = [abs(number) for leaf, number in numbers.items() if leaf not in far and leaf not in below]
    far = {leaf for leaf in far if rest and numbers[leaf] >= _FAR * max(rest)}
    return marks | below | far


def with_apart(hierarchy: Hierarchy, apart: Sequence[str]) -> Hierarchy:
    """The hierarchy with values that stay themselves at every level but the top.

    >>> with_apart(Hierarchy("age", (("31", "30-39", "*"),)), ["-9"]).rows[1]
    ('-9', '-9', '*')
    """
    height, top = hierarchy.height, hierarchy.rows[0][-1]
    return Hierarchy(hierarchy.name, (*hierarchy.rows, *((leaf, *[leaf] * (height - 1), top) for leaf in apart)))


def _number(text: str) -> Decimal | None:
    try:
        return as_numbers([text], "")[0]
    except InputError:
        return None
