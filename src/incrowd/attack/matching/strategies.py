"""Which predicates does an intruder go by where values were changed? A small one is right of more values, and a large
one of more people: neither is always the better, so that several fixed strategies are judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.attack.matching.crowds import Crowd, Int64, grouped, number_of
from incrowd.attack.matching.predicates import Attributes
from incrowd.attack.situation import Situation
from incrowd.attack.value import FEWEST, Rate
from incrowd.attack.words import list_keys
from incrowd.keys.packing import group, pack

Predicates = tuple[tuple[int, ...], ...]

NAMED = 8  # so many columns are named
CHOSEN = "an attacker may choose it, and a choice made on these very people overstates rather than understates"


@dataclass(frozen=True)
class Surest:
    """A strategy by its claims alone: of the people who look alone by it, for how many one person is isolated in truth.

    Somebody who needs one person only, and not everybody, takes the strategy that is right most often when it speaks.
    """

    said: str
    claims: Rate


@dataclass(frozen=True)
class Strategy:
    """For each record the first of these predicates (of these columns) that it alone has; and of how many the best."""

    columns: Attributes
    predicates: Predicates
    said: str = "the smallest combination"
    among: int = 1
    surest: Surest | None = None  # where values were changed: else all claims are true


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
    singles, claims = [], []
    for one in every:
        number, groups = grouped([distinct[i] for i in one], [columns.spans[i] for i in one])
        alone = (released.count(groups, number) == 1)[groups]
        whom = np.where(truth.count(groups, number) == 1, truth.last(groups, number), -1)[groups]
        singles.append(_score(np.where(alone, whom, -1)[mine], owners))
        claims.append(number_of(owners[alone[mine]]))
        for size in sizes:
            if len(one) >= size:
                taken = open_[size] & alone
                met[size][taken] = whom[taken]
                open_[size] &= ~alone
    # The first of equals: the smallest predicates where they do as well.
    scores = [_score(met[size][mine], owners) for size in sizes] + singles
    best, among = int(max(range(len(scores)), key=scores.__getitem__)), len(scores)
    claims = [number_of(owners[~open_[size][mine]]) for size in sizes] + claims
    surest = _surest(columns, sizes, every, [Rate(score[0], n) for score, n in zip(scores, claims, strict=True)])
    if best < len(sizes):
        kept = tuple(one for one in every if len(one) >= sizes[best])
        return Strategy(columns, kept, _said(columns, sizes, every, best), among, surest)
    some = every[best - len(sizes)]
    narrow = Attributes(
        tuple(columns.names[i] for i in some), tuple(columns.codes[i] for i in some),
        tuple(columns.spans[i] for i in some), columns.how,
    )  # fmt: skip
    return Strategy(narrow, (tuple(range(len(some))),), _said(columns, sizes, every, best), among, surest)


def _said(columns: Attributes, sizes: Sequence[int], every: Predicates, number: int) -> str:
    """A strategy by its number in words: first those by size, then the predicates by themselves."""
    if number >= len(sizes):
        names = [columns.names[i] for i in every[number - len(sizes)]]
        return f"{list_keys(names) if len(names) <= NAMED else f'the same {len(names)} columns'} for everybody"
    if sizes[number] == len(columns.names) > 1:
        return f"all {sizes[number]} columns together"
    return f"the smallest combination of {sizes[number]} columns or more" if number else Strategy.said


def _surest(columns: Attributes, sizes: Sequence[int], every: Predicates, claims: Sequence[Rate]) -> Surest | None:
    """By the lower end of the interval, so that a few lucky claims do not win; None where all make too few."""
    enough = [number for number, one in enumerate(claims) if one.tries >= FEWEST]
    if not enough:
        return None
    best = max(enough, key=lambda number: (claims[number].low, claims[number].tries))
    return Surest(_said(columns, sizes, every, best), claims[best])


def _score(met: Int64, owners: Int64) -> tuple[int, int]:
    """People whose records isolate anybody, and people whose records isolate themselves."""
    return number_of(owners[met >= 0]), number_of(owners[met == owners])
