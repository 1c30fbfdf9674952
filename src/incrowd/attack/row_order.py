"""row_order: does a record's place in the release tell its place in the source?"""

from __future__ import annotations

import numpy as np

from incrowd.attack.knowledge import WORST, Bools, knows, untried
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.keys.packing import group, pack
from incrowd.keys.saying import fixed

ACTS = "takes two records that stand next to each other in the release for neighbours in the source"


@attack("row_order", ACTS, measures="Order of the rows and pseudonyms", once=True, place=130)
def row_order(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Is the order of the release that of the source, where neighbours may be a household, a street or a day?

    Success: pairs of records next to each other in the release that are next to each other in the source, either way
    round, when the records that were not released are left out. Baseline: what chance gives, 2/n. Control: the same
    records in an order of keyed chance. The sentence has the rank correlation of the places in the two files, which
    also shows an order that is kept only roughly.

    Where all equal records lie together, the order is one of their values, and neighbours in the source with equal
    values are together by these alone. Nobody can tell equal records apart, so which is which is drawn; baseline and
    control are of a chance order of the values. Misleads where the release is sorted by its own columns and the source
    was, too: then the order tells nothing that the columns do not.
    """
    number = len(situation.lines)
    if number < 3:
        return [untried(situation, "row_order", ACTS, "the release holds fewer than three records.")]
    places = np.empty(number, np.int64)
    places[np.argsort(situation.lines, kind="stable")] = np.arange(number)
    block = _blocks(situation)
    draws = situation.draws("row_order")
    places = places[np.lexsort((draws(number), block))]
    order = draws(int(block[-1]) + 1)
    shuffled = places[np.lexsort((draws(number), order[block]))]
    chance = _by_chance(places, block)
    near = _adjacent(places)
    success = Rate(int(near.sum()), number - 1)
    control = Rate(int(_adjacent(shuffled).sum()), number - 1)
    correlation = float(np.corrcoef(np.arange(number), places)[0, 1])
    hit = np.flatnonzero(near)
    together = ", since equal records lie together," if int(block[-1]) + 1 < number else ""
    sentence = (
        f"{percent(success.value)} of the records that stand next to each other in the release stand next to each "
        f"other in the source; chance alone{together} gives {percent(chance)}. The rank correlation of the two "
        f"orders is {fixed(correlation, sign=True)}, where 0 tells nothing."
    )
    free = int(block[-1]) + 1  # what an order can choose among
    why = (
        ""
        if abs(correlation) < 3 / np.sqrt(max(free - 1, 1))
        else "The order of the source shows through: the correlation is more than \
three standard errors from none."
    )
    lines = tuple(int(line) + 1 for line in np.sort(situation.lines)[places[hit[:WORST]]])
    found = Attacked(
        "row_order", situation.scenario.name, knows(situation, "; the order of the source"), ACTS, success, chance,
        control, sentence, None, lines, why,
    )  # fmt: skip
    return [found]


def _blocks(situation: Situation) -> Int64:
    """For each record the number of its block: equal records where all equal ones lie together, else itself."""
    columns = situation.released.column_names
    number = len(situation.lines)
    if not columns:
        return np.zeros(number, np.int64)
    codes = codes_of([situation.released], columns)[0]
    first, to = group(pack(codes, [int(column.max(initial=0)) + 1 for column in codes]))
    block: Int64 = np.cumsum(np.r_[False, to[1:] != to[:-1]]).astype(np.int64)
    return block if int(block[-1]) + 1 == len(first) else np.arange(number)


def _by_chance(places: Int64, block: Int64) -> float:
    """The share of neighbours that are neighbours in the source, expected when blocks and the records in them are in
    an order of chance. Two of m records in a block are neighbours with chance 2/m; two of different blocks of B where
    these touch (2/B) with just these two at the ends.
    """
    at = np.empty(len(places), np.int64)
    at[places] = block
    sizes = np.bincount(block)
    one, other = at[:-1], at[1:]
    apart = 2 / len(sizes) / (sizes[one] * sizes[other])
    return min(float(np.where(one == other, 2 / sizes[one], apart).sum()) / (len(places) - 1), 1.0)


def _adjacent(places: Int64) -> Bools:
    return np.asarray(np.abs(np.diff(places)) == 1)
