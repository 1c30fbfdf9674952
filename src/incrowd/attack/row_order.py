"""row_order: does a record's place in the release tell its place in the source?"""

from __future__ import annotations

import numpy as np

from incrowd.attack.knowledge import WORST, Bools, knows, untried
from incrowd.attack.situation import Beside, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

ACTS = "takes two records that stand next to each other in the release for neighbours in the source"


def row_order(situation: Situation, beside: Beside) -> list[Attacked]:
    """Is the order of the release that of the source, where neighbours may be a household, a street or a day?

    Success: pairs of records next to each other in the release that are next to each other in the source, either way
    round, when the records that were not released are left out. Baseline: 2/n, which chance gives. Control: the same
    records in an order of keyed chance. The sentence has the rank correlation of the places in the two files, which
    also shows an order that is kept only roughly. Misleads where the release is sorted by its own columns and the
    source was, too: then the order tells nothing that the columns do not.
    """
    number = len(situation.lines)
    if number < 3:
        return [untried(situation, "row_order", ACTS, "the release holds fewer than three records.")]
    places = np.empty(number, np.int64)
    places[np.argsort(situation.lines, kind="stable")] = np.arange(number)
    near = _adjacent(places)
    shuffled = places[np.argsort(situation.draws("row_order")(number), kind="stable")]
    success = Rate(int(near.sum()), number - 1)
    control = Rate(int(_adjacent(shuffled).sum()), number - 1)
    correlation = float(np.corrcoef(np.arange(number), places)[0, 1])
    hit = np.flatnonzero(near)
    sentence = (
        f"{percent(success.value)} of the records that stand next to each other in the release stand next to each "
        f"other in the source; chance alone gives {percent(min(2 / number, 1.0))}. The rank correlation of the two "
        f"orders is {correlation:+.3f}, where 0 tells nothing."
    )
    by_chance = 3 / np.sqrt(number - 1)
    why = (
        ""
        if abs(correlation) < by_chance
        else "The order of the source shows through: the correlation is more than \
three standard errors from none."
    )
    lines = tuple(int(line) + 1 for line in situation.lines[hit[:WORST]])
    found = Attacked(
        "row_order", situation.scenario.name, knows(situation, "; the order of the source"), ACTS, success, 2 / number,
        control, sentence, None, lines, why,
    )  # fmt: skip
    return [found]


def _adjacent(places: Int64) -> Bools:
    return np.asarray(np.abs(np.diff(places)) == 1)
