"""What a release and tables tell of people together: of whom one record is left, or one value; of whom nobody knows.

Three views of each target: what the release alone leaves (`before`), what is left for certain (`sure`: what is proven
possible), and what may be left (`left`: all but what is proven impossible). One value in `left` is certain. More than
one in `left`, but not in `sure`, is not known: the target was not tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.matching.meeting import Meeting, meet
from incrowd.attack.situation import Int64, Situation
from incrowd.attack.solving.certain import Certain
from incrowd.attack.solving.published import Published
from incrowd.attack.solving.unknown import LEFT_OUT, Groups, Unknown
from incrowd.keys.packing import group, pack

_BLOCK = 1_000  # so many different targets at a time
NONE, SEVERAL = -1, -2


@dataclass(frozen=True)
class Solved:
    """The unknowns of a release and its tables, worked out."""

    published: Published
    groups: Groups
    unknown: Unknown
    certain: Certain


@dataclass(frozen=True)
class Told:
    """For each target: the one value of each view, NONE or SEVERAL; and whether the target is in the release."""

    people: Int64  # numbers of records in `known`
    before: Int64
    sure: Int64
    left: Int64

    def learnt(self, true: Int64) -> tuple[Bools, Bools, Bools]:
        """Who is told rightly by both, who by the release alone, and who could not be tried."""
        right = (self.left == true) & (true >= 0)
        return right, (self.before == true) & (true >= 0), (self.left == SEVERAL) & (self.sure != SEVERAL)


class Targets:
    """Everybody in the original, as an intruder knows them: by the keys, in the release's and in the tables' labels.

    A key that the release does not tell is known all the same, and a table may tell it.
    """

    def __init__(self, situation: Situation, solved: Solved) -> None:
        self.situation, self.solved = situation, solved
        self.met: Meeting = meet(situation)
        keys = situation.whole_scenario.keys
        known = [i for i, one in enumerate(solved.published.categories) if one.column in keys]
        people, groups, unknown = self.met.people, solved.groups, solved.unknown
        self.fixed = np.flatnonzero(groups.fixed)
        own = [groups.allowed[i][self.fixed].argmax(axis=1) for i in known]
        parts = [
            np.concatenate([solved.published.categories[i].home[people], mine, unknown.labels[i]])
            for i, mine in zip(known, own, strict=True)
        ]
        number = len(people) + len(self.fixed) + len(unknown.group)
        if parts:
            begin, place = group(pack(parts, [int(part.max(initial=0)) + 1 for part in parts]))
            self.number = len(begin)
        else:
            place, self.number = np.zeros(number, np.int64), 1
        self.mine, self.of_fixed, self.of_unknown = np.split(place, [len(people), len(people) + len(self.fixed)])

    def by_records(self, values: Int64, span: int) -> Told:
        """Of which one value of the released records is left; -1 is missing, and tells nothing."""
        records, groups = self.solved.groups.of, len(self.solved.groups.size)
        kinds, kind = group(records * (span + 1) + values + 1)
        into = _marks(records[kinds], np.arange(len(kinds)), groups, len(kinds))
        inside = _marks(self.met.class_of, kind, self.met.classes, len(kinds))
        views = [csr_array(self._groups(sure) @ into) for sure in (True, False)]
        # Whoever may have been left out has a value that nobody knows: it is one more.
        wide = _marks(np.arange(len(kinds)), np.where(values[kinds] < 0, span, values[kinds]), len(kinds), span + 2)
        outside = [_marks(self._left_out(sure), np.full(len(self._left_out(sure)), span + 1), self.number, span + 2)
                   for sure in (True, False)]  # fmt: skip
        return self._told(inside, views, wide, outside, span)

    def by_labels(self, axis: int) -> Told:
        """Of which one label of a table's column is left."""
        allowed, unknown = self.solved.groups.allowed[axis], self.solved.unknown
        span = allowed.shape[1]
        whose, label = np.nonzero(allowed)
        into = _marks(whose, np.arange(len(whose)), len(allowed), len(whose))
        inside = csr_array(_marks(self.met.class_of, self.solved.groups.of, self.met.classes, len(allowed)) @ into)
        wanted, own = whose * span + label, allowed[self.fixed].argmax(axis=1)
        views, outside = [], []
        for sure in (True, False):
            there = np.flatnonzero(self._there(sure))
            rows = np.concatenate([self.of_fixed, self.of_unknown[there]])
            cells = np.concatenate([self.fixed * span + own, unknown.group[there] * span + unknown.labels[axis][there]])
            views.append(_marks(rows, np.searchsorted(wanted, cells), self.number, len(wanted)))
            out = there[unknown.group[there] == LEFT_OUT]
            outside.append(_marks(self.of_unknown[out], unknown.labels[axis][out], self.number, span + 2))
        wide = _marks(np.arange(len(whose)), label, len(whose), span + 2)
        return self._told(inside, views, wide, outside, span)

    def outside(self, axis: int) -> Int64:
        """The one label of a column that people who are in no release can have, for each target."""
        out = np.flatnonzero(self._there(False) & (self.solved.unknown.group == LEFT_OUT))
        span = self.solved.groups.allowed[axis].shape[1]
        labels = _marks(self.of_unknown[out], self.solved.unknown.labels[axis][out], self.number, span)
        found: Int64 = _only(labels, span)[self.mine]
        return found

    def alone(self) -> tuple[Told, Int64]:
        """Of which one record is left, by its number; and each target's own, or -1."""
        number = len(self.solved.groups.of)
        own = np.full(self.situation.known.num_rows, -1, np.int64)
        own[self.situation.lines] = np.arange(number)
        return self.by_records(np.arange(number), number), own[self.met.people]

    def _there(self, sure: bool) -> Bools:
        certain = self.solved.certain
        found: Bools = certain.can if sure else ~certain.cannot
        return found

    def _left_out(self, sure: bool) -> Int64:
        """What is known of people who may have been left out."""
        found: Int64 = self.of_unknown[self._there(sure) & (self.solved.unknown.group == LEFT_OUT)]
        return found

    def _groups(self, sure: bool) -> csr_array:
        """For all that can be known of a target, the groups of records that can be theirs."""
        there = self._there(sure)
        rows = np.concatenate([self.of_fixed, self.of_unknown[there]])
        columns = np.concatenate([self.fixed, self.solved.unknown.group[there]])
        return _marks(rows, columns, self.number, len(self.solved.groups.size))

    def _told(
        self, inside: csr_array, views: Sequence[csr_array], wide: csr_array, outside: Sequence[csr_array], span: int
    ) -> Told:
        met, people = self.met, self.met.people
        here = self.situation.inside[people]
        starts, to = group(met.combination * self.number + self.mine)
        combination, mine = met.combination[starts], self.mine[starts]
        found = np.zeros((5, len(starts)), np.int64)
        for at in range(0, len(starts), _BLOCK):
            block = slice(at, at + _BLOCK)
            before = csr_array(met.meets[combination[block]] @ inside)
            found[0, block] = _only(csr_array(before @ wide), span)
            for i, (view, out) in enumerate(zip(views, outside, strict=True)):
                seen = csr_array(before.multiply(view[mine[block]])) @ wide
                more = csr_array(out[mine[block]])
                if not self.situation.scenario.knows_who_is_in:
                    seen = more = csr_array(seen + more)
                found[1 + i, block], found[3 + i, block] = _only(csr_array(seen), span), _only(more, span)
        before, sure, left, out_sure, out_left = found[:, to]
        before = np.where(here, before, NONE)  # who is not in the release is not told of by it
        return Told(people, before, np.where(here, sure, out_sure), np.where(here, left, out_left))


def _marks(rows: Int64, columns: Int64, height: int, width: int) -> csr_array:
    """A matrix with a one at these places, however often they are named."""
    found = csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, width))
    found.sum_duplicates()
    found.data[:] = 1.0
    return found


def _only(counts: csr_array, span: int) -> Int64:
    """The one value of each row; NONE where there is nothing, or nothing that tells; SEVERAL otherwise."""
    value, largest, total = largest_of(counts)
    one = np.where(value < span, value, SEVERAL)
    return np.where(total == 0, NONE, np.where(largest == total, one, SEVERAL))
