"""Figures as texts, in one way: a figure and its interval have the same digits, and nothing is minus zero."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

#: Decimals of a percentage, and of a figure, at most: what is smaller is said to be smaller.
MOST_OF_PERCENT, MOST = 4, 6
#: So many runs are named, the latest ones.
RUNS = 3


def fixed(number: float, digits: int = 3, sign: bool = False) -> str:
    """A number with so many decimals. What rounds to nothing has no sign.

    >>> fixed(-0.00001), fixed(-0.25), fixed(0.25, 2, sign=True)
    ('0.000', '-0.250', '+0.25')
    """
    text = f"{number:{'+' if sign else ''},.{digits}f}"
    return text if float(text.replace(",", "")) else f"{0:.{digits}f}"


def percent(share: float) -> str:
    """A share so that a small one is not told as none, nor a large one as all.

    >>> percent(0.1234), percent(0.00001), percent(0), percent(1e-9), percent(1), percent(0.9999)
    ('12.3%', '0.0010%', '0%', 'under 0.0001%', '100%', 'more than 99.9%')
    """
    if share in (0, 1):
        return f"{int(share):.0%}"
    if 0.999 < share < 1:
        return "more than 99.9%"
    if abs(share) < 0.000001:
        return "under 0.0001%"
    return f"{share:.1%}" if share >= 0.001 else f"{100 * share:.2g}%" if share >= 0.0001 else f"{100 * share:.4f}%"


def percents(*shares: float) -> tuple[str, ...]:
    """Shares that stand together, such as one and the ends of its interval: with the same decimals, and enough.

    >>> percents(0.00104, 0.00081, 0.00133), percents(0, 0, 0.0019), percents(0.9, 0.85, 1)
    (('0.104%', '0.081%', '0.133%'), ('0%', '0%', '0.2%'), ('90.0%', '85.0%', '100%'))
    """
    smallest = [100 * min(share, 1 - share) for share in shares if 0 < share < 1]
    digits = max((_decimals(size, 2) for size in smallest if size < 0.1), default=1)
    return tuple(_percent(share, min(digits, MOST_OF_PERCENT)) for share in shares)


def figures(*numbers: float) -> tuple[str, ...]:
    """Figures that stand together: with the same decimals, three digits of the smallest of them at least.

    >>> figures(0.25, 0.2, 0.31), figures(1.2916, 0, 3.7114), figures(12345.6, 11000.1, 13000.2)
    (('0.250', '0.200', '0.310'), ('1.29', '0', '3.71'), ('12,346', '11,000', '13,000'))
    """
    digits = max((_decimals(abs(number), 3) for number in numbers if number), default=0)
    return tuple(_figure(number, min(digits, MOST)) for number in numbers)


def sentence(text: str) -> str:
    """A text as a sentence: a capital at its beginning, one mark at its end.

    >>> sentence("no record is left"), sentence("It holds."), sentence("is it so?"), sentence("")
    ('No record is left.', 'It holds.', 'Is it so?', '')
    """
    bare = text.strip()
    if not bare:
        return ""
    bare = bare[0].upper() + bare[1:]
    return bare if bare[-1] in ".!?" else bare.rstrip(",;:") + "."


def _decimals(size: float, digits: int) -> int:
    return max(digits - 1 - floor(log10(size)), 0)


def _percent(share: float, digits: int) -> str:
    if share in (0, 1):
        return f"{int(share):.0%}"
    least = 10.0**-digits / 2
    if 0 < 100 * share < least:
        return f"under {10.0**-digits:.{digits}f}%"
    if 0 < 100 * (1 - share) < least:
        return f"more than {100 - 10.0**-digits:.{digits}f}%"
    return f"{100 * share:.{digits}f}%"


def _figure(number: float, digits: int) -> str:
    if not number:
        return "0"
    if abs(number) < 10.0**-digits / 2:
        return f"{'under' if number > 0 else 'over'} {'-' if number < 0 else ''}{10.0**-digits:.{digits}f}"
    return fixed(number, digits)


def latest_runs(runs: Sequence[str]) -> str:
    """The latest runs by name, and how many more there are."""
    more = f" and {len(runs) - RUNS} more" if len(runs) > RUNS else ""
    return f"run{'s' if len(runs) > 1 else ''} {', '.join(runs[:RUNS])}{more}"
