"""Builders: a hierarchy from a rule somebody states. Every builder nests by construction and ends in one top.

The leaves are the values given, so give all that may occur (say every age from 0 to 120), not only those of one
extract: a cell's loss counts leaves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import pairwise

from incrowd.errors import InputError
from incrowd.keys.dates import DatePart
from incrowd.keys.hierarchies.nesting import DATE_PARTS, numbers_fall, parts_nest, widths_nest
from incrowd.keys.hierarchies.stack import leaves_of, numbered_leaves, stack
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import Labels, Values, bands, date_part, mapping, prefix

Number = int | float | str | Decimal


def cut_bands(values: Values, name: str, levels: Sequence[Sequence[Number]]) -> Hierarchy:
    """Bands from given cut points, the finest level first; a cut starts a new band.

    Each level's cuts must be among those of the level below, or a band would lie across two.

    >>> cut_bands(["15", "17", "45", "61"], "age", [[16, 30, 45, 60], [16, 45]]).rows[1]
    ('17', '16-29', '16-44', '*')
    """
    cuts = [sorted({_decimal(cut) for cut in level}) for level in levels]
    if not all(cuts):
        raise InputError("D056", f"a level of bands of {name!r} has no cut points.", "Leave it out.")
    for number, (fine, coarse) in enumerate(pairwise(cuts), start=1):
        if not set(coarse) <= set(fine):
            raise InputError(
                "D052",
                f"level {number + 1} of the bands of {name!r} has cut points that level {number} does not have.",
                "A coarser level may only leave cut points out.",
            )
    leaves, _ = numbered_leaves(values, name)
    return stack(leaves, [bands(leaves, level, name) for level in cuts], name)


def equal_bands(
    values: Values,
    name: str,
    widths: Sequence[Number],
    *,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
) -> Hierarchy:
    """Bands of equal width, a level for each width; each width a multiple of the one before.

    Bands start at `origin` plus multiples of the width. Everything below `bottom` is one band, and everything from
    `top` up is one.

    >>> equal_bands(["3", "17", "64"], "age", [5, 20], top=60).rows
    (('3', '0-4', '0-19', '*'), ('17', '15-19', '0-19', '*'), ('64', '60+', '60+', '*'))
    """
    steps = [_decimal(width) for width in widths]
    if not widths_nest(steps):
        raise InputError(
            "D052",
            f"the widths of the bands of {name!r} do not nest.",
            "Each must be above 0 and a multiple of the one before, such as 5, 10, 20.",
        )
    leaves, numbers = numbered_leaves(values, name)
    start = _decimal(origin)
    low = min(numbers) if bottom is None else _decimal(bottom)
    # Without a top the last cut lies above all numbers, so that the last band has an end too.
    high = max(numbers) + 1 if top is None else _decimal(top)
    levels = []
    for step in steps:
        cuts = set(spaced_cuts(low, high, step, start))
        if top is not None:
            cuts = {cut for cut in cuts if cut < high} | {high}
        if bottom is not None:
            cuts = {cut for cut in cuts if cut > low} | {low}
        levels.append(bands(leaves, sorted(cuts), name))
    return stack(leaves, levels, name)


def spaced_cuts(low: Decimal, high: Decimal, width: Decimal, origin: Decimal = Decimal(0)) -> list[Decimal]:
    """Cuts of one width, from the last one that is not above `low` to one that is above `high`.

    >>> [int(cut) for cut in spaced_cuts(Decimal(17), Decimal(30), Decimal(10))]
    [10, 20, 30, 40]
    """
    first = origin + ((low - origin) / width).to_integral_value(ROUND_FLOOR) * width
    count = max(int(((high - first) / width).to_integral_value(ROUND_FLOOR)), 0) + 2
    return [first + i * width for i in range(count)]


def quantile_bands(values: Values, counts: Sequence[int], name: str, numbers: Sequence[int]) -> Hierarchy:
    """Bands with about equally many people, a level for each number of bands, the largest number first.

    A coarser level keeps those cuts of the level below that lie nearest to its own quantiles, so it nests. The first
    and the last band are open ('<22', '61+'): the smallest and the largest value are nobody's business.
    Misleads where many people share one value: a band cannot be smaller than that.

    >>> quantile_bands(["1", "2", "3", "4", "5", "6", "7", "8"], [5] * 8, "score", [4, 2]).rows[2]
    ('3', '3-4', '<5', '*')
    """
    if not numbers_fall(numbers, 2):
        raise InputError(
            "D052", f"the numbers of bands of {name!r} do not nest.", "They must fall, and end at 2 or more."
        )
    people = dict(zip(values, counts, strict=True))
    leaves, order = numbered_leaves(values, name)
    below: dict[Decimal, int] = {}  # people below each value: what a cut there would put on the left
    total = 0
    for leaf, place in zip(leaves, order, strict=True):
        below.setdefault(place, total)
        total += people[leaf]
    cuts, levels = [cut for cut in below if cut > order[0]], []
    for number in numbers:
        cuts = nearest_cuts(cuts, below, total, number)
        if cuts:
            levels.append(bands(leaves, cuts, name))
    return stack(leaves, levels, name, thin=True)


def nearest_cuts(cuts: Sequence[Decimal], below: Mapping[Decimal, int], total: int, number: int) -> list[Decimal]:
    """Of some rising cuts those nearest to the quantiles of this many bands."""
    if number >= total:  # a band for each person, and more: every cut is near to one
        return list(cuts)
    lefts = [below[cut] for cut in cuts]
    chosen = set()
    for i in range(1, number):
        at = bisect_left(lefts, Decimal(total) * i / number)
        near = range(max(at - 1, 0), min(at + 1, len(cuts)))
        chosen |= {min(near, key=lambda j: abs(lefts[j] * number - total * i))} if near else set()
    return [cuts[j] for j in sorted(chosen)]


def ordered_groups(order: Sequence[str], name: str, fanouts: Sequence[int]) -> Hierarchy:
    """Neighbours in a declared order put together: so many values a group, then so many groups a group.

    >>> ordered_groups(["none", "school", "college", "degree"], "education", [2]).rows[3]
    ('degree', 'college to degree', '*')
    """
    if not all(fanout >= 2 for fanout in fanouts):
        raise InputError("D056", f"the groups of {name!r} are too small.", "Every fanout must be 2 or more.")
    leaves = leaves_of(order, name)
    levels: list[Labels] = []
    size = 1
    for fanout in fanouts:
        size *= fanout
        groups = [leaves[i // size * size : (i // size + 1) * size] for i in range(len(leaves))]
        levels.append([group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups])
    return stack(leaves, levels, name, thin=True)


def date_parts(
    values: Values,
    name: str,
    parts: Sequence[DatePart] = ("month", "year", "decade"),
    pattern: str = "%Y-%m-%d",
) -> Hierarchy:
    """Dates by ever longer parts of the calendar.

    >>> date_parts(["1984-07-05"], "birth").rows
    (('1984-07-05', '1984-07', '1984', '1980s', '*'),)
    """
    if not parts_nest(parts):
        raise InputError("D052", f"the date parts of {name!r} do not nest.", f"Their order is {', '.join(DATE_PARTS)}.")
    leaves = sorted(leaves_of(values, name))
    return stack(leaves, [date_part(leaves, part, name, pattern) for part in parts], name)


def prefixes(values: Values, name: str, lengths: Sequence[int] | None = None) -> Hierarchy:
    """Codes by ever shorter beginnings: the lengths given, or every length at which some codes become one.

    A postcode's components are not of one length: for those use the geography room.

    >>> prefixes(["E01001", "E01002", "W01001"], "area").rows[0]
    ('E01001', 'E', '*')
    """
    leaves = sorted(leaves_of(values, name))
    if lengths is not None:
        if not numbers_fall(lengths, 1):
            raise InputError("D052", f"the prefixes of {name!r} do not nest.", "Their lengths must fall.")
        return stack(leaves, [prefix(leaves, length) for length in lengths], name)
    levels = [prefix(leaves, length) for length in range(max(map(len, leaves)) - 1, 0, -1)]
    # Where 'E010', 'E01' and 'E0' stand for the same codes, the shortest says it.
    parts = [len(set(level)) for level in levels]
    kept = [level for i, level in enumerate(levels) if i + 1 == len(levels) or parts[i + 1] < parts[i]]
    return stack(leaves, kept, name, thin=True)


def mapped(values: Values, name: str, maps: Sequence[Mapping[str, str]], others: str | None = None) -> Hierarchy:
    """Names for names: the first mapping speaks of the values, the next of the first one's names, and so on.

    A value that a mapping does not mention keeps its name, or gets the name `others`, or is a fault ('fault').

    >>> mapped(["England", "Peru"], "country", [{"England": "Europe", "Peru": "America"}]).rows
    (('England', 'Europe', '*'), ('Peru', 'America', '*'))
    """
    leaves = leaves_of(values, name)
    levels: list[Labels] = []
    current: Values = leaves
    for names in maps:
        levels.append(mapping(current, names, name, others))
        current = levels[-1]
    return stack(leaves, levels, name, own_top=True)


def _decimal(number: Number) -> Decimal:
    return Decimal(str(number))
