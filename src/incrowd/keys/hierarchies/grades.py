"""Do words carry an order? '0 to 15', '16 to 24' do, and 'very good', 'good', 'bad'."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

#: Nobody grades in more words.
MOST = 200
_NUMBER = re.compile(r"(?<![A-Za-z0-9])\d[\d,]*(?:\.\d+)?")
#: What makes a number a bound and not a mark: '16 to 24', '65 and over', '<5', '3 or more people'.
_BOUND = re.compile(
    r"\d\s*(?:-|\u2013|to)\s*[^\w\s]?\d|\d\s*\+|[<>]\s*=?\s*\d"
    r"|\b(?:under|over|below|above|less|fewer|more|least|most|up to|before|after|older|younger)\b"
)
_RANGE = r"(?:[a-z<>=\u00a3$\u20ac]++\s*+){0,3}\d[^a-z]*(?:(?:to|and|or|under|over)\b.*|[a-z%]*)"
_NOTHING = re.compile(r"(?:no|none|never|zero|nil|not)\b.*")
#: Words in their order, the first rank first; a rank may be worded in several ways.
_GRADES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("excellent",), ("very good",), ("good",), ("fair", "average", "moderate"), ("bad", "poor"),
     ("very bad", "very poor")),
    (("strongly agree", "agree strongly"), ("agree",), ("neither agree nor disagree", "neither", "neutral"),
     ("disagree",), ("strongly disagree", "disagree strongly")),
    (("very satisfied",), ("satisfied", "fairly satisfied"), ("neither satisfied nor dissatisfied", "neither"),
     ("dissatisfied", "fairly dissatisfied"), ("very dissatisfied",)),
    (("always",), ("often", "frequently", "usually"), ("sometimes", "occasionally"),
     ("rarely", "seldom", "hardly ever"), ("never",)),
    (("none", "not at all", "no"), ("very low", "very small"), ("low", "small", "mild", "a little"),
     ("medium", "moderate", "middle"), ("high", "large", "severe", "a lot"), ("very high", "very large")),
    (("no qualifications", "no education", "none"), ("primary",), ("lower secondary",),
     ("secondary", "upper secondary"), ("tertiary", "higher", "degree")),
)  # fmt: skip


def order_in_words(words: Mapping[str, str], *, coded: bool) -> list[str] | None:
    """The values in the order that their words tell, or None where they tell none. `words` has the values in the order
    of their codes; where they are `coded` it is that order which rising numbers in the words confirm.

    Two values have no order that matters. A number that only repeats the code says nothing ('1 married').

    >>> order_in_words({"1": "0 to 15", "2": "16 to 24", "3": "25 and over"}, coded=True)
    ['1', '2', '3']
    >>> order_in_words({"1": "1. married", "2": "2. single", "3": "3. widowed"}, coded=True) is None
    True
    """
    if not 3 <= len(words) <= MOST:
        return None
    plain = {value: " ".join(text.casefold().split()) for value, text in words.items()}
    if coded:
        return list(plain) if _rising(plain) else _graded(plain)
    return _by_bounds(plain) or _graded(plain)


def _rising(words: Mapping[str, str]) -> bool:
    """Whether the numbers in the words rise, or fall, all along; 'none' may stand at an end."""
    if all(re.match(rf"{re.escape(value)}(?!\d)", text) for value, text in words.items()) and not any(
        _BOUND.search(text) for text in words.values()
    ):
        return False
    texts = list(words.values())
    while texts and not _NUMBER.search(texts[0]) and _NOTHING.fullmatch(texts[0]):
        texts = texts[1:]
    while texts and not _NUMBER.search(texts[-1]) and _NOTHING.fullmatch(texts[-1]):
        texts = texts[:-1]
    ends = [_ends(text) for text in texts]
    known = [end for end in ends if end is not None]
    if len(known) < max(2, len(ends)) or len(words) - len(texts) > 1:
        return False
    up = all(a[0] <= b[0] and a[1] < b[1] for a, b in pairwise(known))
    down = all(a[0] >= b[0] and a[1] > b[1] for a, b in pairwise(known))
    return up or down


def _by_bounds(words: Mapping[str, str]) -> list[str] | None:
    """Texts that are ranges themselves, by their bounds; one that is a plain number may stand among them."""
    ends = {value: _ends(text) for value, text in words.items()}
    if not all(_is_range(text) for text in words.values()) or not any(map(_BOUND.search, words.values())):
        return None
    order = sorted(words, key=lambda value: ends[value] or (Decimal(0), Decimal(0)))
    return order if len({*ends.values()}) == len(order) and None not in ends.values() else None


def _is_range(text: str) -> bool:
    """Whether a text holds nothing but bounds, and perhaps a unit."""
    return re.fullmatch(_RANGE, text) is not None


def _graded(words: Mapping[str, str]) -> list[str] | None:
    """The order of words that are all of one kind, such as 'good' and 'bad', each rank once."""
    for grades in _GRADES:
        ranks = {value: _rank(text, grades) for value, text in words.items()}
        if None not in ranks.values() and len(set(ranks.values())) == len(ranks):
            return sorted(words, key=lambda value: ranks[value] or 0)
    return None


def _rank(text: str, grades: Sequence[Sequence[str]]) -> int | None:
    """The rank with the longest wording in a text: 'very good health' is 'very good', and not 'good'."""
    found = [
        (len(phrase), rank)
        for rank, phrases in enumerate(grades)
        for phrase in phrases
        if re.search(rf"\b{re.escape(phrase)}\b", text)
    ]
    return max(found)[1] if found else None


def _ends(text: str) -> tuple[Decimal, Decimal] | None:
    """The first and the last number in a text."""
    numbers = [Decimal(one.replace(",", "")) for one in _NUMBER.findall(text)]
    return (numbers[0], numbers[-1]) if numbers else None
