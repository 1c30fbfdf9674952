"""How cards speak: numbers and days as somebody would say them, who the intruder is, and how often a card is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction

from incrowd.risk.value import EVERYTHING

_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?")
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]00:00:00)?")


def in_words(value: str, amount: bool = False) -> str:
    """A number or a day as somebody says it; anything else as it is. Only amounts are divided by commas: 10025 may be
    the code of a place.

    >>> in_words("37.0"), in_words("52000.50", True), in_words("1980-03-07"), in_words("007"), in_words("N1 9GU")
    ('37', '52,000.5', '7 March 1980', '007', 'N1 9GU')
    """
    if (found := _NUMBER.fullmatch(value)) is not None:
        whole = f"{int(found[2]):,}" if amount else found[2]
        rest = (found[3] or "").rstrip("0")
        return f"{found[1]}{whole}" + (f".{rest}" if rest else "")
    if (found := _DAY.fullmatch(value)) is not None:
        try:
            day = date.fromisoformat(found[1])
        except ValueError:
            return value
        return f"{day.day} {day:%B} {day.year}"
    return value


def role(scenario: str) -> str:
    """Who the intruder of a scenario is, after "You are": the name with its article, where it is the name of somebody.

    >>> role("neighbour"), role("ex-partner"), role("colleagues"), role("all keys known")
    ('a neighbour', 'an ex-partner', 'one of the colleagues', 'somebody who knows all of this')
    >>> role("somebody at work"), role("Scenario 2")
    ('somebody at work', 'the intruder of the scenario \\u201cScenario 2\\u201d')
    """
    if scenario == EVERYTHING:
        return "somebody who knows all of this"
    words = scenario.split(" ")
    if words[0] in ("a", "an", "the", "somebody", "someone", "one"):
        return scenario
    if len(words) > 2 or not re.fullmatch(r"[a-z][a-z -]*", scenario):
        return f"the intruder of the scenario \N{LEFT DOUBLE QUOTATION MARK}{scenario}\N{RIGHT DOUBLE QUOTATION MARK}"
    if scenario.endswith("s") and not scenario.endswith("ss"):
        return f"one of the {scenario}"
    return f"{'an' if scenario[0] in 'aeiou' else 'a'} {scenario}"


def how_often(chance: float) -> str:
    """A chance as a share of people.

    >>> how_often(0.05), how_often(0.5), how_often(0.3), how_often(0.001), how_often(1.0)
    ('about 1 in 20', 'about 1 in 2', 'about 3 in 10', 'about 1 in 1,000', 'all of them')
    """
    if chance >= 1:
        return "all of them"
    share = Fraction(chance).limit_denominator(20) if chance >= 0.05 else Fraction(1, round(1 / chance))
    return f"about {share.numerator} in {share.denominator:,}"


def errors_in_words(error: Mapping[str, float], titles: Mapping[str, str], many: str) -> list[str]:
    """What cards may get wrong, in sentences. `many` is what those in the file are called."""
    return [
        f"What you know of {titles.get(name, name)} is wrong for {how_often(chance)} of the {many}."
        if chance < 1
        else f"What you know of {titles.get(name, name)} is wrong for all of them."
        for name, chance in error.items()
        if chance > 0
    ]
