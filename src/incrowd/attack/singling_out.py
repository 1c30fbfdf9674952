"""singling_out: which records does a combination of a few attributes isolate?

A predicate ("a widowed farmer in the north") isolates when exactly one released record meets it. A predicate of weight
w isolates one of n random records with chance n w (1 - w)^(n - 1), whoever they are: at most 37%, so that isolation
alone proves nothing. Reference: Cohen and Nissim (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from incrowd.attack.linkage import WORST, not_tried
from incrowd.attack.situation import Beside, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import list_keys, percent
from incrowd.keys.packing import add_up, group, pack

Int64 = NDArray[np.int64]

MOST = 100  # combinations that are tried
LARGEST = 4  # attributes in one, beside all of the scenario's keys together


def singling_out(situation: Situation, beside: Beside) -> list[Attacked]:
    """By the keys that the scenario's intruder knows: all of them, and up to four at a time."""
    return [_attack(situation, "singling_out", situation.scenario.keys, whole=True)]


def singling_out_any(situation: Situation, beside: Beside) -> list[Attacked]:
    """By any released columns, also those that no intruder is taken to know: exact amounts isolate nearly everybody."""
    return [_attack(situation, "singling_out_any", situation.released.column_names, whole=False)]


def _attack(situation: Situation, attack: str, columns: Sequence[str], whole: bool) -> Attacked:
    acts = "looks for combinations of attributes that one released record alone has"
    columns = [name for name in columns if name in situation.known.column_names]
    if not columns or not situation.released.num_rows:
        return not_tried(situation, attack, acts, "no attribute can be compared, or no record is released")
    tried = predicates_of(len(columns), whole)
    largest = max(len(one) for one in tried if len(one) < len(columns) or not whole) if len(tried) > 1 else 1
    smallest, weight, outside = rarest(situation, columns, tried)
    alone = smallest == 1
    records = len(smallest)
    success = Rate(int(alone.sum()), records)
    chance = float(np.mean(records * weight * np.exp((records - 1) * np.log1p(-np.minimum(weight, 1 - 1e-12)))))
    strangers = situation.known.num_rows - records
    control = Rate(int((outside == 1).sum()), records) if strangers else None
    among = f"up to {largest} of {list_keys(columns)}" + (
        ", or all of them," if whole and len(columns) > largest else ""
    )
    sentence = (
        f"{percent(success.value)} of the released records are the only ones with their values of {among}; "
        f"predicates of the same weight would isolate {percent(chance)} of random records."
    )
    why = "baseline: chance of a random file of this size; "
    if control is None:
        why += "no control: every record was released"
    else:
        why += f"control: the same predicates on the {strangers:,} records that were not released"
    worst = np.sort(situation.lines[alone])[:WORST] + 1
    return Attacked(
        attack, situation.scenario.name, f"knows {list_keys(columns)}", acts, success, chance, control, sentence,
        worst=tuple(worst.tolist()), why=why,
    )  # fmt: skip


def predicates_of(columns: int, whole: bool) -> list[tuple[int, ...]]:
    """The combinations to try, small ones first: as large as a hundred of them allow; all together where asked."""
    size = 1
    while size < min(LARGEST, columns) and sum(comb(columns, s) for s in range(1, size + 2)) <= MOST:
        size += 1
    found = [c for s in range(1, size + 1) for c in combinations(range(columns), s)]
    return [*found, tuple(range(columns))] if whole and size < columns else found


def rarest(
    situation: Situation, columns: Sequence[str], tried: Sequence[tuple[int, ...]]
) -> tuple[Int64, NDArray[np.float64], Int64]:
    """For each released record its rarest predicate: the records that meet it, its share among all people of the
    original, and how many of those who were not released meet it.
    """
    released, known = codes_of([situation.released.select(columns), situation.known.select(columns)], columns)
    records, everybody = len(released[0]), len(known[0])
    both = [np.concatenate(pair) for pair in zip(released, known, strict=True)]
    spans = [int(column.max(initial=0)) + 1 for column in both]
    first, place = group(pack(both, spans))
    distinct = [column[first] for column in both]
    counts = [
        np.bincount(part, minlength=len(first)).astype(np.int64)
        for part in (place[:records], place[records:], place[records:][~situation.inside])
    ]
    least = np.full(len(first), np.iinfo(np.int64).max)
    share, strangers = np.zeros(len(first)), np.zeros(len(first), np.int64)
    loose = bool(situation.loose & set(columns))
    for one in tried:
        groups_first, groups = group(pack([distinct[i] for i in one], [spans[i] for i in one]))
        mine, all_, gone = (add_up(groups, count, len(groups_first))[groups] for count in counts)
        rarer = (mine < least) & (mine > 0)
        least[rarer], strangers[rarer] = mine[rarer], gone[rarer]
        # Where labels differ from what is known, or values were changed, the file itself is the best guess.
        share[rarer] = np.where(loose | (all_ == 0), mine / records, all_ / everybody)[rarer]
    at = place[:records]
    return least[at], share[at], strangers[at]
