"""Cells that were blanked, told from cells that were missing all along: in a file the two look alike."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Int32, Int64, KeyTable, Mask, Recode


def blanked_cells(before: KeyTable, after: KeyTable) -> Mapping[str, int]:
    """For each key of `after`, how many of its missing cells were not missing before?

    Where no record is dropped, as many as are missing more. Else class by class: as many records of a class as it had
    before are those; the others came by blanking from classes that have fewer now, those first from which fewest blanks
    lead there. So where dropping and blanking could both explain a class, few blanks are counted, and whose they are
    among keys that would do as well is open. Where neither explains it (keys were swapped, too), numbers decide again.

    >>> from incrowd.keys.table import from_records
    >>> one = from_records({"age": ["30", "40", None], "sex": ["f", "m", "m"]})
    >>> other = from_records({"age": ["30", None, None], "sex": ["f", "m", "m"]})
    >>> dict(blanked_cells(one, other))
    {'age': 1, 'sex': 0}
    """
    if not after.names:
        return {}
    codes, missing, was, now = _side_by_side(before.project(after.names)[0], after)
    found = np.zeros(len(after.names), np.int64)
    if was.sum() != now.sum():
        same = np.minimum(was, now)
        was, now = was - same, now - same
        for old, new in _blankings(missing, was > 0, now > 0):
            moved = _moved(codes, missing, was, now, old, new)
            was, now = was - moved[0], now - moved[1]
            found[new & ~old] += moved[0].sum()
    found += np.array([max(int(now[row].sum()) - int(was[row].sum()), 0) for row in missing], np.int64)
    return dict(zip(after.names, found.tolist(), strict=True))


def comparable(before: KeyTable, after: KeyTable) -> bool:
    """Whether two tables speak of the same keys in the same categories, blanks aside."""
    if set(after.names) - set(before.names):
        return False
    for domain, codes in zip(after.domains, after.codes, strict=True):
        known = {*before.domains[before.names.index(domain.name)].values, None}
        if {domain.values[code] for code in np.unique(codes[after.records > 0]).tolist()} - known:
            return False
    return True


def _side_by_side(before: KeyTable, after: KeyTable) -> tuple[Int32, Mask, Int64, Int64]:
    """The classes of both tables in one numbering: their codes, which are missing, and the records of either."""
    columns, blanks, spans = [], [], []
    for one, other, mine, theirs in zip(before.domains, after.domains, before.codes, after.codes, strict=True):
        both = Recode.from_values(one.name, [*one.values, *other.values])
        columns.append(np.concatenate([both.codes[: len(one)][mine], both.codes[len(one) :][theirs]]))
        blanks.append(np.array([value is None for value in both.domain.values], bool)[columns[-1]])
        spans.append(len(both.domain))
    size = len(before.records)
    first, to = group(pack(columns, spans))
    was, now = add_up(to[:size], before.records, len(first)), add_up(to[size:], after.records, len(first))
    return np.array(columns, np.int32)[:, first], np.array(blanks, bool)[:, first], was, now


def _blankings(missing: Mask, was: Mask, now: Mask) -> list[tuple[Mask, Mask]]:
    """The keys that were missing and those that are: every pair that blanking leads through, fewest blanks first."""
    olds, news = (np.unique(missing[:, there], axis=1).T for there in (was, now))
    pairs = [(old, new) for new in news for old in olds if (new & ~old).any() and not (old & ~new).any()]
    return sorted(pairs, key=lambda pair: int(pair[1].sum()) - int(pair[0].sum()))


def _moved(codes: Int32, missing: Mask, was: Int64, now: Int64, old: Mask, new: Mask) -> tuple[Int64, Int64]:
    """The records that go from classes where the old keys are missing to those where the new ones are and all that is
    shown agrees: for each class how many leave it, and how many come.
    """
    sides = [
        np.flatnonzero((missing == pattern[:, None]).all(axis=0) & (records > 0))
        for pattern, records in ((old, was), (new, now))
    ]
    both = np.concatenate(sides)
    shown = [codes[i][both] for i in np.flatnonzero(~new)]
    to = group(pack(shown, [int(code.max(initial=0)) + 1 for code in shown]))[1] if shown else np.zeros_like(both)
    number, places = int(to.max(initial=-1)) + 1, (to[: len(sides[0])], to[len(sides[0]) :])
    amounts = [records[side] for records, side in zip((was, now), sides, strict=True)]
    most = np.minimum(*(add_up(place, amount, number) for place, amount in zip(places, amounts, strict=True)))
    found = []
    for side, place, amount in zip(sides, places, amounts, strict=True):
        taken = np.zeros_like(was)
        taken[side] = _taken(place, amount, most)
        found.append(taken)
    return found[0], found[1]


def _taken(groups: Int64, amounts: Int64, most: Int64) -> Int64:
    """What is taken of each amount when its group gives so much, one after the other."""
    order = np.argsort(groups, kind="stable")
    upto = np.cumsum(amounts[order]) - amounts[order]
    starts = np.r_[True, np.diff(groups[order]) > 0][: len(order)]
    earlier = upto - np.maximum.accumulate(np.where(starts, upto, 0)) if len(order) else upto
    taken = np.empty_like(amounts)
    taken[order] = np.clip(most[groups[order]] - earlier, 0, amounts[order])
    return taken
