"""The ladder of numbers: nested bands, cut at round numbers, with about equally many people."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from functools import partial
from itertools import accumulate, pairwise

from incrowd.errors import InputError
from incrowd.keys.hierarchies.automatic import round_cut
from incrowd.keys.hierarchies.neighbours import merge_neighbours
from incrowd.keys.hierarchies.stack import numbered_leaves
from incrowd.keys.labels import as_numbers, bands
from incrowd.plan.strict import DIGITS
from incrowd.proposals.ladder_rungs import Key, Level, by_rule
from incrowd.proposals.ladder_words import in_bands

#: The finest level of bands has at most so many; each further one half of them.
MOST = 16
#: A cut may move to a rounder number if it moves past at most this part of a new band's people.
ROUNDING = Decimal("0.2")
#: Of fewer different numbers, neighbours go together: there are no quantiles to speak of.
FEW = 24
#: A first band with a lower end is at most so many times as wide as the next: an outlier's number is nobody's business.
WIDEST = 3


def sizes_of(number: int, least: int = 2) -> list[int]:
    """How many groups the levels of a ladder have, for so many values: about 3/4, 1/2 and 1/4 of them, and the least.

    >>> sizes_of(3), sizes_of(10), sizes_of(60)
    ([2], [8, 5, 2], [45, 30, 15, 2])
    """
    sizes = {(3 * number + 2) // 4, number // 2, number // 4, least}
    return sorted((size for size in sizes if least <= size < number), reverse=True)


def number_levels(key: Key) -> list[Level]:
    """Bands, ever wider. Numbers that stand apart are bands of their own where a step can say so."""
    people = {value: key.people.get(value, 0) for value in key.told}
    ordered, numbers = numbered_leaves(key.told, key.name)
    cuts = (_few_cuts if len(set(numbers)) < FEW else _round_cuts)(people, ordered, numbers)
    own = _own_bands(key.loose)
    key = replace(key, told=tuple(ordered))
    levels = []
    start = first_cut(numbers[0], cuts[0]) if cuts else None
    for level in cuts:
        chosen = sorted({*level, *own, *([] if start is None else [start])})
        bare = bands(key.told, chosen, key.name)
        label = partial(bands, cuts=chosen, name=key.name)
        made = by_rule(key, label, band_way(chosen), str(len(set(bare))), in_bands(bare))
        levels += [] if made is None else [made]
    return levels


def band_way(cuts: Sequence[Decimal]) -> dict[str, list[int | float | str]] | None:
    """Cuts as a plan writes them, or None where they have more digits than a plan takes.

    >>> band_way([Decimal("16"), Decimal("2E+1"), Decimal("30.5")])
    {'bands': [16, 20, 30.5]}
    """
    tidy = [cut.normalize() for cut in cuts]
    if any(cut.adjusted() >= DIGITS or int(cut.as_tuple().exponent) < -DIGITS for cut in tidy):
        return None
    return {"bands": [_plain(cut) for cut in tidy]}


def first_cut(lowest: Decimal, cuts: Sequence[Decimal]) -> Decimal | None:
    """Where the first band starts: at a round number just below the lowest value. None where that would tell of an
    outlier, or no round number is near: then the band is open below.

    >>> ages = [Decimal(25), Decimal(35)]
    >>> [first_cut(Decimal(low), ages) for low in (0, 16, 19, -400)]
    [Decimal('0'), Decimal('15'), Decimal('18'), None]
    """
    width = cuts[0] - lowest
    found = None
    for exponent in range(cuts[0].adjusted() + 1, width.adjusted() - 2, -1):
        for lead in (5, 2, 1):
            step = Decimal(lead).scaleb(exponent)
            at = (lowest / step).to_integral_value(ROUND_FLOOR) * step
            if found is None and at <= lowest and 2 * (lowest - at) <= width:
                found = at + 0  # no -0
    if found is None or (len(cuts) > 1 and found != 0 and cuts[0] - found > WIDEST * (cuts[1] - cuts[0])):
        return None
    return found


def _plain(cut: Decimal) -> int | float | str:
    if cut == cut.to_integral_value():
        return int(cut)
    near = float(cut)
    return near if Decimal(str(near)) == cut else format(cut, "f")


def _round_cuts(people: dict[str, int], ordered: Sequence[str], numbers: Sequence[Decimal]) -> list[list[Decimal]]:
    """Cuts at round numbers: one that halves the people, one that halves each half, and so on, so they nest."""
    left = [0, *accumulate(people[leaf] for leaf in ordered)]
    cuts: list[Decimal] = []
    levels: list[list[Decimal]] = []
    number = 2
    while number <= MOST and 3 * number <= len(set(numbers)):  # a band of one or two values is no step worth a level
        ends = [0, *(left[bisect_left(numbers, cut)] for cut in cuts), left[-1]]
        found = []
        for low, high in pairwise(ends):
            cut = round_cut(numbers, left, Decimal(low + high) / 2, ROUNDING * (high - low) / 2)
            found += [cut] if low < left[bisect_left(numbers, cut)] < high else []
        cuts = sorted([*cuts, *found])
        levels.insert(0, cuts)
        number *= 2
    return [level for level in levels if level]


def _few_cuts(people: dict[str, int], ordered: Sequence[str], numbers: Sequence[Decimal]) -> list[list[Decimal]]:
    """Cuts where groups of neighbours begin: those with the fewest people go together first."""
    held: dict[Decimal, int] = {}
    for leaf, number in zip(ordered, numbers, strict=True):
        held[number] = held.get(number, 0) + people[leaf]
    places = list(held)
    levels = merge_neighbours(list(held.values()), sizes_of(len(places)))
    return [[places[start] for start, _ in groups[1:]] for groups in levels]


def _own_bands(loose: Sequence[str]) -> set[Decimal]:
    """Cuts that leave whole numbers alone: 99 and 100 make a band of 99, which is called 99."""
    cuts: set[Decimal] = set()
    for value in loose:
        try:
            number = as_numbers([value], "")[0]
        except InputError:
            continue
        if number is not None and number == number.to_integral_value():
            cuts |= {number, number + 1}
    return cuts
