"""What does a column's name say? Many spellings mean one thing: given_name, GivenName, 'Given name'."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from incrowd.profiling.kinds import KINDS, Kind
from incrowd.profiling.phrases import TURNING, WEAK, split

_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_WEAK, _TURNING = frozenset(split(WEAK)), frozenset(split(TURNING))
_NUMBERED = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}$")


@dataclass(frozen=True)
class Hint:
    """The kind a name speaks of; a weak hint needs values that agree."""

    kind: Kind
    weak: bool


def words_of(name: str) -> tuple[str, ...]:
    """The words in a column's name, in lower case and without accents.

    >>> words_of("NHSNumber"), words_of("date-of_Birth (UK)")
    (('nhs', 'number'), ('date', 'of', 'birth', 'uk'))
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return tuple(word.casefold() for word in _WORD.findall(_BORDER.sub(" ", plain)))


def hint_of(name: str) -> Hint | None:
    """Which kind does a column's name speak of?

    The longest phrase in it decides (country of birth is not a birth), and of equal ones the longer word. A
    name may also be a phrase without its spaces (dateofbirth). Words that turn the meaning (consent, type,
    flag) make the hint weak, unless they belong to the phrase.

    >>> hint_of("Country of Birth").kind.name, hint_of("email_consent").weak
    ('country', True)
    """
    words = words_of(name)
    # phone2, email1: the number at the end is tried without only where the word itself says nothing.
    return _find(words) or _find(tuple(_NUMBERED.sub("", word) for word in words))


def _find(words: tuple[str, ...]) -> Hint | None:
    best: tuple[int, int] = (0, 0)
    found: Hint | None = None
    joined = "".join(words)
    for kind, phrase, together in _phrases():
        place = _place(phrase, words) if "*" in phrase[0] or phrase[0] in words else None
        length = len(phrase)
        if place is None:
            if joined != together:
                continue
            place, length = 0, max(len(words), len(phrase))
        size = (length, sum(map(len, phrase)))
        if size > best:
            best = size
            rest = (*words[:place], *words[place + len(phrase) :])
            weak = " ".join(phrase) in _WEAK or (kind.role == "identifier" and not _TURNING.isdisjoint(rest))
            found = Hint(kind, weak)
    return found


@cache
def _phrases() -> tuple[tuple[Kind, tuple[str, ...], str], ...]:
    """Every phrase of every kind: its words, and the same without spaces."""
    return tuple(
        (kind, tuple(phrase.split()), phrase.replace(" ", "").rstrip("*")) for kind in KINDS for phrase in kind.phrases
    )


def _place(phrase: tuple[str, ...], words: tuple[str, ...]) -> int | None:
    """Where the phrase stands in the words; `*` matches the rest of a word."""
    for start in range(len(words) - len(phrase) + 1):
        if all(_same(part, word) for part, word in zip(phrase, words[start:], strict=False)):
            return start
    return None


def _same(part: str, word: str) -> bool:
    if "*" not in part:
        return part == word
    head, tail = part.split("*", 1)
    return word.startswith(head) and word.endswith(tail) and len(word) >= len(head) + len(tail)
