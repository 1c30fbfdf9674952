"""A first hierarchy from the data alone: what kind of values are these, and how are people spread over them?

It knows nothing of what values mean. A hierarchy somebody thought about is better; this one is a start, and it never
puts two values together at one level and apart at the next.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate

from incrowd.errors import InputError
from incrowd.keys.hierarchies.builders import date_parts, nearest_cuts, prefixes
from incrowd.keys.hierarchies.stack import leaves_of, numbered_leaves, stack
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import Labels, Values, as_numbers, bands

#: Numbers with fewer different values than this are treated as names: bands of two or three values hide nobody.
FEW_NUMBERS = 8
#: The finest level has at most so many bands, and each further level half as many.
MOST_BANDS = 32
#: A cut may move to a rounder number if it moves past at most this part of a band's people.
ROUNDING = Decimal("0.1")
#: Names held by less than this share of the people go into one, level by level.
RARE = (Decimal("0.01"), Decimal("0.05"), Decimal("0.2"))


def automatic(values: Values, counts: Sequence[int], name: str) -> tuple[Hierarchy, str]:
    """Which hierarchy suits the values, and why? The hierarchy and a sentence that says how it was made.

    Dates by month, year, decade. Numbers in nested bands with about equally many people, cut at round numbers.
    Codes (equally long, with digits) by their beginnings. Other texts: the rare ones put together, since rare values
    are what makes people stand out. Misleads where neighbours in number or text are far apart in meaning.

    >>> built, how = automatic(["Welsh", "Manx", "English"], [30, 1, 969], "nationality")
    >>> built.rows[1], how
    (('Welsh', 'other', '*'), 'names: the rare ones put together, below 5% of the people')
    """
    people: dict[str, int] = {}
    for value, count in zip(values, counts, strict=True):
        if value is not None:
            people[value] = people.get(value, 0) + count
    leaves = leaves_of(people, name)
    if all(_is_date(leaf) for leaf in leaves):
        return date_parts(leaves, name), "dates: month, year, decade"
    if len(leaves) >= FEW_NUMBERS and _are_numbers(leaves):
        return _numeric(people, name)
    if len(leaves) >= FEW_NUMBERS and _are_codes(leaves):
        return prefixes(leaves, name), "codes: ever shorter beginnings"
    return _by_rarity(people, name)


def _numeric(people: dict[str, int], name: str) -> tuple[Hierarchy, str]:
    leaves, order = numbered_leaves(people, name)
    left = [0, *accumulate(people[leaf] for leaf in leaves)]
    most = MOST_BANDS
    while most > 2 and most * 3 > len(set(order)):  # a band of one or two values is no step worth a level
        most //= 2
    cuts = _round_cuts(order, left, most)
    below = {cut: left[bisect_left(order, cut)] for cut in cuts}
    levels: list[Labels] = []
    sizes = []
    while most >= 2 and cuts:
        levels.append(bands(leaves, cuts, name))
        sizes.append(len(set(levels[-1])))
        most //= 2
        cuts = nearest_cuts(cuts, below, left[-1], most)
    built = stack(leaves, levels, name, thin=True)
    return built, f"numbers: {', '.join(map(str, sizes))} bands with about equally many people"


def _round_cuts(order: Sequence[Decimal], left: Sequence[int], number: int) -> list[Decimal]:
    """Cuts near the quantiles, each at the roundest number that moves few people to another band."""
    total = left[-1]
    slack = ROUNDING * total / number
    cuts = set()
    for i in range(1, number):
        want = Decimal(total) * i / number
        at = bisect_left(left, want, 1, len(order) - 1)
        if abs(left[at - 1] - want) < abs(left[at] - want) and at > 1:
            at -= 1
        cuts.add(_roundest(order, left, order[at], slack))
    return sorted(cut for cut in cuts if order[0] < cut <= order[-1])


def _roundest(order: Sequence[Decimal], left: Sequence[int], cut: Decimal, slack: Decimal) -> Decimal:
    exact = left[bisect_left(order, cut)]
    magnitude = max(abs(order[0]), abs(order[-1])).adjusted()
    for exponent in range(magnitude, magnitude - 12, -1):
        for lead in (5, 2, 1):
            step = Decimal(lead).scaleb(exponent)
            rounder = (cut / step).to_integral_value() * step
            if abs(left[bisect_left(order, rounder)] - exact) <= slack and order[0] < rounder <= order[-1]:
                return rounder
    return cut


def _by_rarity(people: dict[str, int], name: str) -> tuple[Hierarchy, str]:
    leaves = sorted(people, key=lambda leaf: (-people[leaf], leaf))
    total = sum(people.values())
    other = "other" if "other" not in people else "all others"
    levels: list[Labels] = []
    shares = []
    for share in RARE:
        level: Labels = [other if people[leaf] < share * total else leaf for leaf in leaves]
        if 1 < len(set(level)) < len(set(levels[-1] if levels else leaves)):
            levels.append(level)
            shares.append(f"{share:.0%}")
    how = f"the rare ones put together, below {', '.join(shares)} of the people" if shares else "only the top"
    return stack(leaves, levels, name), f"names: {how}"


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and dt.date.fromisoformat(text) is not None
    except ValueError:
        return False


def _are_numbers(leaves: Sequence[str]) -> bool:
    try:
        as_numbers(leaves, "")
    except InputError:
        return False
    return True


def _are_codes(leaves: Sequence[str]) -> bool:
    """Whether all are equally long, of letters and digits (with separators), and hold a digit."""
    alike = len({len(leaf) for leaf in leaves}) == 1 and len(leaves[0]) > 1
    return alike and all(re.fullmatch(r"[A-Za-z0-9 ./_-]*[0-9][A-Za-z0-9 ./_-]*", leaf) for leaf in leaves)
