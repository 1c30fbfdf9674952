"""What are the values of a variable: amounts, names, names in an order, dates, codes? By what is declared, then by
their labels, then by how they are distributed; and why, in words.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.apart import stand_apart
from incrowd.keys.hierarchies.grades import order_in_words
from incrowd.keys.labels import as_numbers

Kind = Literal["dates", "numbers", "codes", "ordered", "names"]
#: Numbers with fewer different values than this are treated as names: bands of two or three values hide nobody.
FEW_NUMBERS = 8
#: Whole numbers from 1 to at most this, most of them there, may be codes: without labels nobody knows.
MOST_CODES = 30


@dataclass(frozen=True)
class Reading:
    """What the values are taken for and why, where that needs a word; the values, in their order where they have one;
    and those that stand apart.
    """

    kind: Kind
    why: str
    values: tuple[str, ...]
    apart: tuple[str, ...] = ()


def read_values(leaves: Sequence[str], name: str, book: Codebook) -> Reading:
    """What are these values? Nominal codes are not numbers: that 3 lies between 2 and 4 says nothing of their meaning.

    >>> read_values([str(n) for n in range(1, 13)], "industry", Codebook()).kind
    'names'
    >>> read_values([str(n) for n in range(12, 40)], "age", Codebook()).kind
    'numbers'
    """
    apart = stand_apart(leaves, name, book, guess=True)
    none = set(apart)
    values = tuple(leaf for leaf in leaves if leaf not in none)
    declared = book.scales.get(name)
    if declared == "numeric":
        _require_numbers(values, name)
        return Reading("numbers", "declared numeric", values, apart)
    if declared == "nominal":
        return Reading("codes" if _are_codes(values) else "names", "declared nominal", values, apart)
    if declared == "ordinal":
        order = known_order(values, name, book)
        if order is None:
            why = "declared ordinal, but nothing tells their order (list them in `codes`), so they are taken as names"
            return Reading("names", why, values, apart)
        return Reading("ordered", "declared ordinal", tuple(order), apart)
    if all(map(_is_date, values)):
        return Reading("dates", "", values, apart)
    kind, why, told = _by_labels(values, name, book) or _by_looks(values)
    return Reading(kind, why, tuple(told), apart)


def known_order(values: Sequence[str], name: str, book: Codebook) -> list[str] | None:
    """The order of an ordinal variable: as its codes are listed, by number, or as its words tell it."""
    listed = book.codes.get(name, {})
    if all(value in listed for value in values):
        places = {code: place for place, code in enumerate(listed)}
        return sorted(values, key=lambda value: places[value])
    if are_numbers(values):
        return _by_number(values)
    return order_in_words({value: book.word(name, value) for value in values}, coded=False)


def are_numbers(values: Sequence[str]) -> bool:
    """Whether all can be read as numbers."""
    try:
        as_numbers(values, "")
    except InputError:
        return False
    return True


def _by_labels(values: Sequence[str], name: str, book: Codebook) -> tuple[Kind, str, Sequence[str]] | None:
    """What labels tell, where at least half of the values have one; None where they have not. (Of an age, only '0' and
    '95' may be labelled: under 1, 95 or older.)
    """
    listed = book.codes.get(name, {})
    if 2 * sum(value in listed for value in values) < len(values):
        return None
    places = {code: place for place, code in enumerate(listed)}
    coded = _by_number(values) if are_numbers(values) else sorted(values, key=lambda v: places.get(v, len(places)))
    order = order_in_words({value: book.word(name, value) for value in coded}, coded=True)
    if order is not None:
        return "ordered", "their labels have an order", order
    if _are_codes(values):
        return "codes", "equally long codes with letters or leading zeros", values
    return "names", "they have labels without an order", values


def _by_looks(values: Sequence[str]) -> tuple[Kind, str, Sequence[str]]:
    """What the values themselves tell."""
    if are_numbers(values) and not any(map(_is_padded, values)):
        return _numbers(values)
    if _are_codes(values):
        return "codes", "equally long codes with letters or leading zeros", values
    order = order_in_words({value: value for value in values}, coded=False)
    if order is not None:
        return "ordered", "their words have an order", order
    return "names", "texts without an order", values


def _numbers(values: Sequence[str]) -> tuple[Kind, str, Sequence[str]]:
    numbers = [number for number in as_numbers(values, "") if number is not None]
    if len(set(numbers)) < FEW_NUMBERS:
        why = f"{len(values)} different numbers without labels may be codes; declare a `scale` if they are not"
        return "names", why, values
    whole = all(number == number.to_integral_value() for number in numbers)
    if whole and min(numbers) == 1 and max(numbers) <= MOST_CODES and 2 * len(values) >= max(numbers):
        why = f"whole numbers from 1 to {max(numbers):f} without labels may be codes; declare a `scale` if they are not"
        return "names", why, values
    return "numbers", "", values


def _by_number(values: Sequence[str]) -> list[str]:
    numbers = dict(zip(values, as_numbers(values, ""), strict=True))
    return sorted(values, key=lambda value: (numbers[value] or Decimal(0), value))


def _require_numbers(values: Sequence[str], name: str) -> None:
    bad = sum(not are_numbers([value]) for value in values)
    if bad:
        raise InputError(
            "D350",
            f"{bad} of the {len(values)} different values of {name!r} are no numbers, and it is declared numeric.",
            "Name those that say why there is none (missing_codes), or declare another scale.",
        )


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and dt.date.fromisoformat(text) is not None
    except ValueError:
        return False


def _is_padded(text: str) -> bool:
    """Whether a number is written like a code: 007."""
    return re.fullmatch(r"0\d+", text.strip()) is not None


def _are_codes(values: Sequence[str]) -> bool:
    """Whether all are equally long, of letters and digits (with separators), hold a digit, are no amounts, and have
    beginnings in common that leave some detail: of E12000001 to E12000009 all but the last digit says nothing.
    """
    alike = len({len(value) for value in values}) == 1 and len(values[0]) > 1
    shaped = alike and all(re.fullmatch(r"[A-Za-z0-9 ./_-]*[0-9][A-Za-z0-9 ./_-]*", value) for value in values)
    if not shaped or (are_numbers(values) and not any(map(_is_padded, values))):
        return False
    groups = (len({value[:length] for value in values}) for length in range(len(values[0]) - 1, 0, -1))
    return next((number for number in groups if number < len(values)), 0) > 2
