"""A first hierarchy from the data: what kind of values are these, and how are people spread over them?

It knows of their meaning what a codebook says. A hierarchy somebody thought about is better; this one is a start, it
never puts two values together at one level and apart at the next, and never a value with one that says 'none'.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.apart import with_apart
from incrowd.keys.hierarchies.builders import date_parts, nearest_cuts, prefixes
from incrowd.keys.hierarchies.naming import distinct, pot_name, run_name
from incrowd.keys.hierarchies.neighbours import merge_neighbours
from incrowd.keys.hierarchies.reading import read_values
from incrowd.keys.hierarchies.stack import leaves_of, numbered_leaves, stack
from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.keys.labels import Labels, Values, bands
from incrowd.keys.natural import natural

#: The finest level has at most so many bands, and each further level half as many.
MOST_BANDS = 32
#: A cut may move to a rounder number if it moves past at most this part of a band's people.
ROUNDING = Decimal("0.1")
#: Names, and names in an order, have at most so many levels between themselves and the top.
STEPS = 4


def automatic(values: Values, counts: Sequence[int], name: str, book: Codebook | None = None) -> tuple[Hierarchy, str]:
    """Which hierarchy suits the values, and why? The hierarchy and a sentence that says how it was made.

    Dates by month, year, decade. Numbers in nested bands with about equally many people, cut at round numbers. Codes
    (equally long, with letters and digits) by their beginnings. Names in an order: neighbours put together, where the
    fewest people are first. Other names: the rarest put together, since rare values are what makes people stand out.
    What they are is said by a codebook, or guessed (`reading.py`). Values that say why there is none stay themselves
    up to the top. A single value has a hierarchy without levels: there is nothing to recode.

    >>> built, how = automatic(["Welsh", "Manx", "English"], [30, 1, 969], "nationality")
    >>> built.rows[1], how
    (('Manx', 'Manx|Welsh', '*'), 'names (texts without an order): the rarest put together, 2 groups')
    """
    people: dict[str, int] = {}
    for value, count in zip(values, counts, strict=True):
        if value is not None:
            people[value] = people.get(value, 0) + count
    leaves = leaves_of(people, name)
    if len(leaves) == 1 and None not in values:
        return Hierarchy(name, ((leaves[0],),)), "one value only: nothing to recode"
    reading = read_values(leaves, name, book or Codebook())
    substantive = {value: people[value] for value in reading.values}
    match reading.kind:
        case "dates":
            made, how = date_parts(reading.values, name), "month, year, decade"
        case "numbers":
            made, how = _numeric(substantive, name)
        case "codes":
            made, how = prefixes(reading.values, name), "ever shorter beginnings"
        case "ordered":
            made, how = _ordered(substantive, name)
        case "names":
            made, how = _by_rarity(substantive, name)
    made = distinct(with_apart(made, reading.apart))
    kept = f"; kept apart: {', '.join(reading.apart)}" if reading.apart else ""
    kind = {"ordered": "names in an order"}.get(reading.kind, reading.kind)
    return made, f"{kind}{f' ({reading.why})' if reading.why else ''}: {how}{kept}"


def _numeric(people: dict[str, int], name: str) -> tuple[Hierarchy, str]:
    leaves, order = numbered_leaves(people, name)
    left = [0, *accumulate(people[leaf] for leaf in leaves)]
    most = MOST_BANDS
    while most > 2 and most * 3 > len(set(order)):  # a band of one or two values is no step worth a level
        most //= 2
    cuts = _round_cuts(order, left, most) if len(set(order)) > 1 else []
    below = {cut: left[bisect_left(order, cut)] for cut in cuts}
    levels: list[Labels] = []
    sizes = []
    while most >= 2 and cuts:
        levels.append(bands(leaves, cuts, name))
        sizes.append(len(set(levels[-1])))
        most //= 2
        cuts = nearest_cuts(cuts, below, left[-1], most)
    built = stack(leaves, levels, name, thin=True)
    return built, f"{', '.join(map(str, sizes)) or 'no'} bands with about equally many people"


def _round_cuts(order: Sequence[Decimal], left: Sequence[int], number: int) -> list[Decimal]:
    """Cuts near the quantiles, each at the roundest number that moves few people to another band."""
    total = left[-1]
    slack = ROUNDING * total / number
    cuts = set()
    for i in range(1, number):
        cuts.add(round_cut(order, left, Decimal(total) * i / number, slack))
    return sorted(cut for cut in cuts if order[0] < cut <= order[-1])


def round_cut(order: Sequence[Decimal], left: Sequence[int], want: Decimal, slack: Decimal) -> Decimal:
    """A cut that puts about `want` people on its left, at the roundest number that moves at most `slack` of them.
    `left` counts those left of each number in order, and all of them at its end.

    >>> round_cut([Decimal(age) for age in range(16, 99)], list(range(84)), Decimal(33), Decimal(2))
    Decimal('5E+1')
    """
    at = bisect_left(left, want, 1, len(order) - 1)
    if abs(left[at - 1] - want) < abs(left[at] - want) and at > 1:
        at -= 1
    return _roundest(order, left, order[at], slack)


def _roundest(order: Sequence[Decimal], left: Sequence[int], cut: Decimal, slack: Decimal) -> Decimal:
    exact = left[bisect_left(order, cut)]
    magnitude = max(abs(order[0]), abs(order[-1])).adjusted()
    for exponent in range(magnitude, magnitude - 12, -1):
        for lead in (5, 2, 1):
            step = Decimal(lead).scaleb(exponent)
            rounder = (cut / step).to_integral_value() * step
            if abs(left[bisect_left(order, rounder)] - exact) <= slack and order[0] < rounder <= order[-1]:
                return rounder or Decimal(0)  # what is rounded up to nothing is -0
    return cut or Decimal(0)


def _ordered(people: Mapping[str, int], name: str) -> tuple[Hierarchy, str]:
    """Neighbours put together: those with the fewest people first, so that little is lost."""
    leaves, sizes = list(people), _sizes(len(people))
    levels: list[Labels] = []
    for groups in merge_neighbours([people[leaf] for leaf in leaves], sizes):
        runs = [leaves[start:end] for start, end in groups]
        levels.append([label for run in runs for label in [run_name(run)] * len(run)])
    return stack(leaves, levels, name), f"neighbours put together, {_told(sizes)}"


def _by_rarity(people: Mapping[str, int], name: str) -> tuple[Hierarchy, str]:
    """The rarest put together, ever more of them. Leaves are listed as a person lists them, not by their number."""
    leaves, sizes = sorted(people, key=lambda leaf: (-people[leaf], leaf)), _sizes(len(people))
    levels: list[Labels] = []
    for size in sizes:
        kept, rare = leaves[: size - 1], leaves[size - 1 :]
        levels.append([*kept, *[pot_name(rare)] * len(rare)])
    made = stack(leaves, levels, name)
    rows = tuple(sorted(made.rows, key=lambda row: natural(row[0])))
    return replace(made, rows=rows), f"the rarest put together, {_told(sizes)}"


def _sizes(number: int) -> list[int]:
    """How many groups each level has: in even steps from all values down to two.

    >>> _sizes(3), _sizes(6), _sizes(40)
    ([2], [5, 3, 2], [19, 9, 4, 2])
    """
    sizes = {round(number * (2 / number) ** (i / STEPS)) for i in range(1, STEPS + 1)}
    return sorted((size for size in sizes if 2 <= size < number), reverse=True)


def _told(sizes: Sequence[int]) -> str:
    return f"{', '.join(map(str, sizes))} groups" if sizes else f"all in one ({TOP})"
