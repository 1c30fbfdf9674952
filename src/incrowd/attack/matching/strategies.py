"""Which predicates does an intruder go by where values were changed? A small one is right of more values, and a large
one of more people: neither is always the better, so that several fixed strategies are judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.attack.matching.crowds import Crowd, Int64, grouped
from incrowd.attack.matching.predicates import Attributes
from incrowd.attack.situation import Situation
from incrowd.attack.words import list_keys
from incrowd.keys.packing import group, pack

Predicates = tuple[tuple[int, ...], ...]

NAMED = 8  # so many columns are named
CHOSEN = "an attacker may choose it, and a choice made on these very people overstates rather than understates"


@dataclass(frozen=True)
class Strategy:
    """For each record the first of these predicates (of these columns) that it alone has; and of how many the best."""

    columns: Attributes
    predicates: Predicates
    said: str = "the smallest combination"
    among: int = 1


def strategy_of(situation: Situation, columns: Attributes, tried: Sequence[tuple[int, ...]]) -> Strategy:
    """The strategy that isolates most people in truth, then most of the records' own.

    Judged are: the smallest predicate of at least one, two, and so on columns, up to all columns together; and each
    predicate by itself, the same for everybody. Where no value was changed, or labels are taken as they stand, what is
    alone in the release is so in truth: then nothing isolates more than the smallest predicates.
    """
    records, every = situation.released.num_rows, tuple(tried)
    whole = Strategy(columns, every)
    first, place = group(pack(columns.codes, columns.spans))
    mine, true = place[:records], place[records:][situation.lines]
    if situation.loose & set(columns.names) or np.array_equal(mine, true):
        return whole
    owners = situation.people[situation.lines]
    released, truth = Crowd.of(mine, owners), Crowd.of(true, owners)
    distinct = [column[first] for column in columns.codes]
    sizes = sorted({len(one) for one in every})
    met = {size: np.full(len(first), -1) for size in sizes}  # whom each class isolates; -1: nobody in truth
    open_ = {size: np.ones(len(first), bool) for size in sizes}
    singles = []
    for one in every:
        number, groups = grouped([distinct[i] for i in one], [columns.spans[i] for i in one])
        alone = (released.count(groups, number) == 1)[groups]
        whom = np.where(truth.count(groups, number) == 1, truth.last(groups, number), -1)[groups]
        singles.append(_score(np.where(alone, whom, -1)[mine], owners))
        for size in sizes:
            if len(one) >= size:
                taken = open_[size] & alone
                met[size][taken] = whom[taken]
                open_[size] &= ~alone
    # The first of equals: the smallest predicates where they do as well.
    scores = [_score(met[size][mine], owners) for size in sizes] + singles
    best, among = int(max(range(len(scores)), key=scores.__getitem__)), len(scores)
    if best < len(sizes):
        size = sizes[best]
        said = whole.said if best == 0 else f"the smallest combination of {size} columns or more"
        if size == len(columns.names) > 1:
            said = f"all {size} columns together"
        return Strategy(columns, tuple(one for one in every if len(one) >= size), said, among)
    some = every[best - len(sizes)]
    narrow = Attributes(
        tuple(columns.names[i] for i in some), tuple(columns.codes[i] for i in some),
        tuple(columns.spans[i] for i in some), columns.how,
    )  # fmt: skip
    named = list_keys(narrow.names) if len(some) <= NAMED else f"the same {len(some)} columns"
    return Strategy(narrow, (tuple(range(len(some))),), f"{named} for everybody", among)


def _score(met: Int64, owners: Int64) -> tuple[int, int]:
    """People whose records isolate anybody, and people whose records isolate themselves."""
    return len(np.unique(owners[met >= 0])), len(np.unique(owners[met == owners]))
