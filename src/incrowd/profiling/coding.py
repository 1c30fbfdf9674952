"""What do coded values stand for? Whether a column holds names, ordered names or amounts, and which of its values say
why there is none.

What the file or a codebook says goes first. The rest is guessed from markers that nobody's data invented (-9, 99, X,
'not applicable'): only such are ever named, since any other value may be a person's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from incrowd.keys.codebook import Codebook, Scale
from incrowd.profiling.kinds import AGE, DATE_OF_BIRTH, WEIGHT, YEAR_OF_BIRTH
from incrowd.profiling.phrases import split
from incrowd.profiling.recognise import Facts, Form, Suggestion
from incrowd.profiling.words import words_of

#: Words that stand for no value, whatever the column.
_WORDS = frozenset(
    split(
        """
        not applicable, n/a, na, #n/a, not answered, no answer, not stated, not known, unknown, refused, refusal,
        prefer not to say, don't know, dont know, not asked, missing, no code required, not available, not recorded, .
        """
    )
)
_NEGATIVE = frozenset(split("-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -97, -98, -99, -999"))
_NINES = frozenset(split("97, 98, 99, 997, 998, 999, 9997, 9998, 9999"))
_LETTER = "x"

#: What is looked for in every column, in lower case.
MARKERS = (*sorted(_WORDS | _NEGATIVE | _NINES), _LETTER)
#: Fewer records with a marker that could also be an amount may be somebody's.
_ENOUGH = 5

_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{0,18})?")
#: Kinds and words of names whose codes have an order; words of names whose few whole numbers are counted.
_ORDERED = {AGE.name, YEAR_OF_BIRTH.name, "education", "grade", "income", "wealth", "height or weight"}
_ORDERED_WORDS = frozenset(
    split("age, band, hours, level, rank, grade, year, size, quintile, decile, health, satisfaction, score")
)
_COUNTED_WORDS = frozenset(
    split(
        """
        n, num, no, number, count, children, child, kids, siblings, rooms, bedrooms, cars, vehicles, people, days,
        nights, weeks, visits, times
        """
    )
)
_AMOUNTS = {DATE_OF_BIRTH.name, WEIGHT.name}
#: More different whole numbers than this are amounts, unless a codebook names them.
_CODES = 20


def missing_codes_of(facts: Facts, book: Codebook, found: Mapping[str, int]) -> tuple[str, ...]:
    """Which values of a column say why there is none? `found` are the markers in it, with their records.

    >>> from incrowd.rows.summary import ColumnCounts
    >>> facts = Facts("status", 90, ColumnCounts(distinct=4), ("-9", "1", "2", "3"))
    >>> missing_codes_of(facts, Codebook(), {"-9": 30})
    ('-9',)
    """
    if facts.name in book.missing:
        return book.missing[facts.name]
    labels = book.codes.get(facts.name, {})
    if labels:
        return tuple(code for code, label in labels.items() if _says_missing(label))
    others = [value.strip() for value in facts.values if value not in found]
    return tuple(sorted(value for value, records in found.items() if _is_marker(value, records, others, found)))


def _says_missing(label: str) -> bool:
    """Whether the name of a code says that there is no value: 'Not applicable', or 'Not applicable (under 16)'."""
    said = label.strip().casefold()
    return said.rstrip(".") in _WORDS or said.startswith(tuple(word for word in _WORDS if " " in word))


def _is_marker(value: str, records: int, others: Sequence[str], found: Collection[str]) -> bool:
    """Whether a marker stands for no value among the others of its column."""
    word = value.strip().casefold()
    if not others:
        return False
    if word in _WORDS:
        return True
    numbers = [float(other) for other in others if _NUMBER.fullmatch(other)]
    if records < _ENOUGH or len(numbers) < len(others):
        return False
    if word == _LETTER:
        return True
    if word in _NEGATIVE:
        return min(numbers) >= 0
    return max(numbers) <= min(int(one) for one in found if one.strip() in _NINES) / 2


def scale_of(facts: Facts, form: Form, suggestion: Suggestion, book: Codebook, missing: Sequence[str]) -> Scale | None:
    """Are the values names, names in an order, or amounts? None where the question does not arise (dates, texts).

    Few small whole numbers are codes, unless the name says that something is counted.
    """
    if facts.name in book.scales:
        return book.scales[facts.name]
    if suggestion.role == "identifier" or form.type in ("date", "text", "empty"):
        return None
    words = set(words_of(facts.name))
    ordered = suggestion.kind in _ORDERED or not _ORDERED_WORDS.isdisjoint(words)
    labels = book.codes.get(facts.name, {})
    values = set(facts.values) - set(missing)
    if labels and values <= set(labels):  # every value has its name
        return "ordinal" if ordered else "nominal"
    if form.type == "number" or (form.type == "whole number" and facts.counts.distinct - len(missing) > _CODES):
        return "numeric"
    if form.type != "whole number":
        return "nominal"
    if suggestion.kind in _AMOUNTS or not _COUNTED_WORDS.isdisjoint(words):
        return "numeric"
    return "ordinal" if ordered else "nominal"
