"""Rounds of improvement: neighbouring classes meet in pools, each round in another order, and change members.

Who is a neighbour? Refine the keys one level at a time, in a random order in which steps that save much loss tend to
come first; classes that agree on a long prefix of those steps can be merged cheaply. One sort by the prefix puts them
side by side, whatever the number of classes, so a round costs n log n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from incrowd.keys.local.labels import finest, label_all
from incrowd.keys.local.paths import Floats, Paths
from incrowd.keys.local.pool import improve_pool
from incrowd.keys.table import Int32, Int64, Mask

#: Pieces and classes that meet in one pool, and how often each pool goes round.
_PIECES, _CLASSES, _PASSES = 96, 12, 12
#: One class more than there are, so that one can be split.
_SPARE = 1


@dataclass(frozen=True, eq=False)
class Grouping:
    """Output classes as runs of pieces: class j holds `weights` records of `atoms` from start[j] to start[j + 1]."""

    start: Int64
    atoms: Int64
    weights: Int64

    @property
    def classes(self) -> int:
        """The number of output classes."""
        return len(self.start) - 1

    @staticmethod
    def by(to: Int64, atoms: Int64, weights: Int64) -> Grouping:
        """Sort pieces into runs by the class they go to; class numbers need not be dense."""
        order = np.lexsort((atoms, to))
        edges = np.flatnonzero(np.diff(to[order], prepend=to[order][:1] - 1))
        return Grouping(np.append(edges, len(order)).astype(np.int64), atoms[order], weights[order])

    @property
    def sizes(self) -> Int64:
        """The records of each class."""
        return np.add.reduceat(self.weights, self.start[:-1]) if self.classes else np.zeros(0, np.int64)


#: Which classes of a proposed grouping fail; None where classes of k records are all that is asked for.
Failing = Callable[[Grouping], Mask] | None


def improve(
    grouping: Grouping,
    paths: Paths,
    records: Int64,
    k: int,
    *,
    rounds: int,
    rng: np.random.Generator,
    failing: Failing = None,
    go_on: Callable[[float], bool] = lambda done: True,
) -> Grouping:
    """Let neighbours change members for some rounds; stops early when a round saves next to nothing.

    Pools keep k and know of no other requirement; where there are others (`failing`), each pool's outcome is a
    proposal, and a pool with a class that fails stays as it was.
    """
    steps = Steps(paths, records)
    total = float(records.sum())
    label = np.empty((grouping.classes, paths.keys), np.int32)
    loss = label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
    dear = float((loss * grouping.sizes).sum()) / max(total, 1.0)
    for done in range(rounds):
        order = steps.order(grouping, rng)
        start, atoms, weights, old_pool, new_pool, saved = _round(
            paths.codes, paths.losses, paths.at, k, grouping.start, grouping.atoms, grouping.weights, order, dear
        )  # fmt: skip
        proposed = Grouping(start, atoms, weights)
        if failing is not None:
            refused = np.unique(new_pool[failing(proposed)])
            proposed = _mixed(grouping, np.isin(old_pool, refused), proposed, ~np.isin(new_pool, refused))
        grouping = proposed
        if saved < 1e-7 * total or not go_on((done + 1) / rounds):
            break
    return grouping


def _mixed(one: Grouping, keep_one: Mask, two: Grouping, keep_two: Mask) -> Grouping:
    """Some classes of one grouping and the other classes of another."""
    parts = []
    for grouping, keep, shift in ((one, keep_one, 0), (two, keep_two, one.classes)):
        to = np.repeat(np.arange(grouping.classes), np.diff(grouping.start))
        stay = keep[to]
        parts.append((to[stay] + shift, grouping.atoms[stay], grouping.weights[stay]))
    to, atoms, weights = (np.concatenate(pair) for pair in zip(*parts, strict=True))
    return Grouping.by(to, atoms, weights)


class Steps:
    """The refinements of the keys, one level at a time, with what each saves and each code's place below it."""

    def __init__(self, paths: Paths, records: Int64) -> None:
        mean, _ = paths.means(records)
        self.paths = paths
        self.keys = np.repeat(np.arange(paths.keys), np.diff(paths.at) - 1)
        columns = [c for i in range(paths.keys) for c in range(paths.at[i], paths.at[i + 1] - 1)]
        self.saves = np.array([mean[c + 1] - mean[c] for c in columns])
        self.ranks = {c: _rank_below(paths.codes[:, c], paths.codes[:, c + 1]) for c in columns}

    def order(self, grouping: Grouping, rng: np.random.Generator) -> Int64:
        """Classes in the order of one random way of refining, each class by one random member."""
        spans = np.diff(grouping.start)
        member = grouping.atoms[grouping.start[:-1] + (rng.random(len(spans)) * spans).astype(np.int64)]
        column = self.paths.at[1:] - 1
        packed, reach = np.zeros(len(spans), np.int64), 1
        for step in np.argsort(rng.exponential(size=len(self.saves)) / (self.saves + 1e-12), kind="stable"):
            key = self.keys[step]
            column[key] -= 1
            rank, span = self.ranks[column[key]]
            if reach * span >= 2**62:
                break
            packed, reach = packed * span + rank[self.paths.codes[member, column[key]]], reach * span
        return np.argsort(packed, kind="stable")


def _rank_below(fine: Int32, coarse: Int32) -> tuple[Int64, int]:
    """For each code its place among the codes under the same coarser one, and the most there are."""
    parent = np.zeros(int(fine.max(initial=0)) + 1, np.int64)
    parent[fine] = coarse
    order = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[order], parent[order])
    rank = np.empty(len(parent), np.int64)
    rank[order] = np.arange(len(parent)) - first
    return rank, int(rank.max(initial=0)) + 1


@njit(cache=True)
def _round(
    codes: Int32,
    losses: Floats,
    at: Int64,
    k: int,
    start: Int64,
    atoms: Int64,
    weights: Int64,
    order: Int64,
    dear: float,
) -> tuple[Int64, Int64, Int64, Int64, Int64, float]:
    """Fill pools with classes in this order and improve each.

    Gives the new grouping, the pool of each old and of each new class, and the loss saved.
    """
    classes, number, keys = len(start) - 1, len(atoms), len(at) - 1
    new_start, new_atoms = np.empty(number + 1, np.int64), np.empty(number, np.int64)
    new_weights = np.empty(number, np.int64)
    pool_atoms, pool_weights = np.empty(_PIECES, np.int64), np.empty(_PIECES, np.int64)
    home, label = np.empty(_PIECES, np.int64), np.empty(keys, np.int32)
    old_pool, new_pool = np.empty(classes, np.int64), np.empty(number, np.int64)
    made, at_piece, saved, x, pool = 0, 0, 0.0, 0, 0
    new_start[0] = 0
    while x < classes:
        m, c, cost = 0, 0, 0.0
        while x < classes and c < _CLASSES:
            j = order[x]
            pieces = start[j + 1] - start[j]
            if pieces > _PIECES and c == 0:
                # Too large for a pool: it stays as it is.
                for q in range(start[j], start[j + 1]):
                    new_atoms[at_piece], new_weights[at_piece] = atoms[q], weights[q]
                    at_piece += 1
                old_pool[j], new_pool[made] = pool, pool
                made += 1
                pool += 1
                new_start[made] = at_piece
                x += 1
                continue
            if m + pieces > _PIECES:
                break
            cost += finest(codes, losses, at, atoms[start[j] : start[j + 1]], pieces, -1, label)
            for q in range(start[j], start[j + 1]):
                pool_atoms[m], pool_weights[m], home[m] = atoms[q], weights[q], c
                m += 1
            old_pool[j] = pool
            c += 1
            x += 1
        if cost > 0:
            saved += improve_pool(
                codes, losses, at, k, pool_atoms[:m], pool_weights[:m], home[:m], c + _SPARE, dear, _PASSES
            )  # fmt: skip
        for j in range(c + _SPARE):
            before = at_piece
            for a in range(m):
                if home[a] == j:
                    new_atoms[at_piece], new_weights[at_piece] = pool_atoms[a], pool_weights[a]
                    at_piece += 1
            if at_piece > before:
                new_pool[made] = pool
                made += 1
                new_start[made] = at_piece
        pool += 1
    return new_start[: made + 1].copy(), new_atoms, new_weights, old_pool, new_pool[:made].copy(), saved
