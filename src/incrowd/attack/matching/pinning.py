"""Several releases laid beside each other: what do they leave of the records that can be somebody's?

A record stays a candidate while some candidate of every other release agrees with it in all that both tell. What goes
in one release can take others with it, so it is asked again until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.compatible import profiles
from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.situation import Int64
from incrowd.keys.packing import group, pack

#: So many combinations are worked out at a time.
_BLOCK = 1_000


@dataclass(frozen=True)
class Side:
    """Targets against one of the releases: which records of it can be theirs."""

    table: pa.Table  # the release
    combination: Int64  # for each target
    class_of: Int64  # for each record
    meets: csr_array  # combinations x classes


@dataclass(frozen=True)
class Pinned:
    """What the releases leave of the records of the first that can be a target's.

    The values (of whatever was asked for) are numbers from 0 on; -1 where more than one is left, or none.
    """

    alone: Int64  # the one value in the first release alone
    together: Int64  # the one value left by all
    left: Int64  # records of the first that all leave
    before: Int64  # records of the first that it leaves alone
    own: Bools  # whether the target's own record is among those that all leave
    own_before: Bools  # and among those that the first leaves alone


@dataclass(frozen=True)
class _Kinds:
    """Records of a release that are alike in all that others tell, and as which of the others' profiles."""

    of: Int64  # for each record
    inside: csr_array  # classes x kinds: how many records
    into: list[csr_array]  # for each of the releases, kinds x profiles of the pair


def shared(one: pa.Table, other: pa.Table, keys: Sequence[str]) -> list[str]:
    """The columns of both by which records are compared: in the keys all candidates of a target are alike."""
    return [name for name in one.column_names if name in other.column_names and name not in keys]


def pinned(sides: Sequence[Side], keys: Sequence[str], values: Int64, own: Int64, strict: bool = True) -> Pinned:
    """What is left of each target's records in the first release when the others are laid beside it.

    `keys` are by what targets are looked for, `values` what is asked for, a number for each record of the first (-1:
    missing), and `own` each target's record in the first, or -1.
    """
    kinds = _kinds(sides, keys, values, strict)
    starts, to = group(pack([each.combination for each in sides], [each.meets.shape[0] for each in sides]))
    value_of = np.zeros(kinds[0].inside.shape[1], np.int64)
    value_of[kinds[0].of] = values + 1
    wide = counted(np.arange(len(value_of)), value_of, len(value_of), int(values.max(initial=0)) + 2)
    mine_is = np.where(own >= 0, kinds[0].of[np.maximum(own, 0)], -1) if len(values) else np.full(len(own), -1)
    alone, together, left_over, before_it, mine_left, mine_before = (np.zeros(len(to), np.int64) for _ in range(6))
    for start in range(0, len(starts), _BLOCK):
        rows = starts[start : start + _BLOCK]
        here = np.flatnonzero((to >= start) & (to < start + _BLOCK))
        row = to[here] - start
        there = [csr_array(side.meets[side.combination[rows]] @ kind.inside)
                 for side, kind in zip(sides, kinds, strict=True)]  # fmt: skip
        before, left = there[0], _left(there, kinds)
        alone[here], together[here] = only(before @ wide)[row], only(left @ wide)[row]
        wanted = np.where(mine_is[here] >= 0, row * len(value_of) + mine_is[here], -1)
        for part, sums, mine_there in ((left, left_over, mine_left), (before, before_it, mine_before)):
            sums[here] = np.asarray(part.sum(axis=1)).ravel()[row]
            mine_there[here] = np.isin(wanted, _places(part))
    return Pinned(alone, together, left_over, before_it, mine_left > 0, mine_before > 0)


def _left(there: Sequence[csr_array], kinds: Sequence[_Kinds]) -> csr_array:
    """Of the first release what all leave. Two releases are laid beside each other once: nothing more can go."""
    left = list(there)
    while True:
        before = [part.nnz for part in left]
        for i in range(len(left)) if len(left) > 2 else (0,):
            for j in range(len(left)):
                if i != j:
                    seen = csr_array(left[j] @ kinds[j].into[i] @ kinds[i].into[j].T)
                    seen.data[:] = 1.0
                    left[i] = csr_array(left[i].multiply(seen))
                    left[i].eliminate_zeros()
        if len(left) == 2 or before == [part.nnz for part in left]:
            return left[0]


def _kinds(sides: Sequence[Side], keys: Sequence[str], values: Int64, strict: bool) -> list[_Kinds]:
    number = len(sides)
    profile: list[list[Int64]] = [[np.zeros(0, np.int64)] * number for _ in sides]
    width = np.ones((number, number), np.int64)
    for i, one in enumerate(sides):
        for j in range(i + 1, number):
            columns = shared(one.table, sides[j].table, keys)
            profile[i][j], profile[j][i], width[i, j] = profiles(one.table, sides[j].table, columns, strict)
            width[j, i] = width[i, j]
    found = []
    for i, one in enumerate(sides):
        asked = [values + 1] if i == 0 else []
        others = [j for j in range(number) if j != i]
        spans = [int(width[i, j]) for j in others] + [int(column.max(initial=0)) + 1 for column in asked]
        begin, of = group(pack([*(profile[i][j] for j in others), *asked], spans))
        into = [csr_array((0, 0))] * number
        for j in others:
            into[j] = counted(np.arange(len(begin)), profile[i][j][begin], len(begin), int(width[i, j]))
        found.append(_Kinds(of, counted(one.class_of, of, one.meets.shape[1], len(begin)), into))
    return found


def _places(counts: csr_array) -> Int64:
    """The cells that hold something, row by row, as one number each."""
    rows = np.repeat(np.arange(counts.shape[0], dtype=np.int64), np.diff(counts.indptr))
    return np.asarray(rows * counts.shape[1] + counts.indices)


def only(counts: csr_array) -> Int64:
    """The one value of each row, or -1. Column 0 stands for missing ones, which tell nothing."""
    value, largest, total = largest_of(csr_array(counts))
    return np.where((total > 0) & (largest == total), value - 1, -1)


def counted(rows: Int64, columns: Int64, height: int, width: int) -> csr_array:
    """How often each pair occurs."""
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, width))
