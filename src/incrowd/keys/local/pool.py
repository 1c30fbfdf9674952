"""A pool: a handful of neighbouring classes whose members change places until no single change helps.

The changes: one record moves to another class; a class is dissolved into the others; a class is dissolved around one
of its records, which gathers a new class from the others and from donors; a class is split in two; a record leaves to
gather a class from donors alone; two records of two classes swap. Every class keeps at least k records all the time,
so a pool may stop anywhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from incrowd.keys.local.labels import Columns, finest
from incrowd.keys.local.moves import LEAST_GAIN, cheapest, dissolve, found, split, swap
from incrowd.keys.local.paths import Floats
from incrowd.keys.table import Int32, Int64


@njit(cache=True)
def improve_pool(
    codes: Int32,
    losses: Floats,
    at: Int64,
    k: int,
    atoms: Int64,
    weights: Int64,
    home: Int64,
    classes: int,
    dear: float,
    passes: int,
) -> float:
    """Improve `home`, the class (0 .. classes - 1, some may be empty) of each record piece; gives the loss saved.

    Only classes with a loss above `dear` are dissolved, the most costly of the changes to try.
    """
    m, keys = len(atoms), len(at) - 1
    member, count = np.empty((classes, m), np.int64), np.zeros(classes, np.int64)
    place = np.empty((classes, m), np.int64)
    size, loss = np.zeros(classes, np.int64), np.zeros(classes)
    label = np.zeros((classes, keys), np.int32)
    rest_loss, rest_label = np.empty((classes, m)), np.empty((classes, m, keys), np.int32)
    for j in range(classes):
        _gather(codes, losses, at, atoms, weights, home, j, member, place, count, size, loss, label)
    before = (size * loss).sum()
    # stale: the labels without one member are out of date; fresh: changed since the large changes were tried.
    stale, fresh = np.ones(classes, np.bool_), np.ones(classes, np.bool_)
    for _ in range(passes):
        moved = False
        for j in range(classes):
            if stale[j]:
                _rests(codes, losses, at, member, count, j, rest_loss, rest_label)
                stale[j] = False
            if count[j] < 2 or loss[j] == 0.0 or size[j] <= k:
                continue
            best, piece, target = LEAST_GAIN, -1, -1
            for q in range(count[j]):
                w = weights[place[j, q]]
                if size[j] - w < k:
                    continue
                saved = size[j] * loss[j] - (size[j] - w) * rest_loss[j, q]
                if saved <= best:
                    continue
                t, cost = cheapest(codes, losses, member, count, size, loss, label, member[j, q], w, j, saved)
                if t >= 0 and saved - cost > best:
                    best, piece, target = saved - cost, place[j, q], t
            if piece >= 0:
                home[piece] = target
                for t in (j, target):
                    _gather(codes, losses, at, atoms, weights, home, t, member, place, count, size, loss, label)
                    stale[t], fresh[t] = True, True
                moved = True
        for j in range(classes):
            if fresh[j] and loss[j] > dear and count[j] <= 3 * k:
                old = home.copy()
                sizes, fresh[j] = size.copy(), False
                if dissolve(
                    codes, losses, at, k, atoms, weights, home, j, member, place, count, size, loss, label
                ):  # fmt: skip
                    was = (size * loss).sum()
                    for t in range(classes):
                        _gather(codes, losses, at, atoms, weights, home, t, member, place, count, size, loss, label)
                    if (size * loss).sum() < was - LEAST_GAIN:
                        moved = True
                        for t in range(classes):
                            if size[t] != sizes[t] or t == j:
                                stale[t], fresh[t] = True, True
                    else:
                        home[:] = old
                        for t in range(classes):
                            _gather(
                                codes, losses, at, atoms, weights, home, t, member, place, count, size, loss, label
                            )  # fmt: skip
        for j in range(classes):
            empty = _empty(count)
            if empty < 0:
                break
            if loss[j] > 0.0 and count[j] >= 2 and size[j] > k:
                if stale[j]:
                    _rests(codes, losses, at, member, count, j, rest_loss, rest_label)
                    stale[j] = False
                done = size[j] >= 2 * k and split(
                    codes, losses, at, k, weights, home, j, empty, member, place, count, size, loss
                )  # fmt: skip
                if not done and loss[j] > dear:
                    done = found(
                        codes, losses, at, k, atoms, weights, home, j, empty, place, count, size, loss, rest_loss
                    )  # fmt: skip
                if done:
                    sizes = size.copy()
                    for t in range(classes):
                        _gather(codes, losses, at, atoms, weights, home, t, member, place, count, size, loss, label)
                        if size[t] != sizes[t]:
                            stale[t], fresh[t] = True, True
                    moved = True
        if not moved:
            for j in range(classes):
                if stale[j]:
                    _rests(codes, losses, at, member, count, j, rest_loss, rest_label)
                    stale[j] = False
            for j in range(classes):
                for t in range(j + 1, classes):
                    if swap(
                        codes, losses, k, weights, home, j, t, member, place, count, size, loss, rest_loss, rest_label
                    ):  # fmt: skip
                        for x in (j, t):
                            _gather(codes, losses, at, atoms, weights, home, x, member, place, count, size, loss, label)
                            _rests(codes, losses, at, member, count, x, rest_loss, rest_label)
                        moved = True
        if not moved:
            break
    return float(before - (size * loss).sum())


@njit(cache=True)
def _empty(count: Int64) -> int:
    """A class that nobody is in, or -1."""
    for t in range(len(count)):
        if count[t] == 0:
            return t
    return -1


@njit(cache=True)
def _gather(
    codes: Int32,
    losses: Floats,
    at: Int64,
    atoms: Int64,
    weights: Int64,
    home: Int64,
    j: int,
    member: Int64,
    place: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
    label: Columns,
) -> None:
    """Read class j's members, size, label and loss off `home`."""
    number, total = 0, 0
    for a in range(len(home)):
        if home[a] == j:
            member[j, number], place[j, number] = atoms[a], a
            number += 1
            total += weights[a]
    count[j], size[j], loss[j] = number, total, 0.0
    if number > 0:
        loss[j] = finest(codes, losses, at, member[j], number, -1, label[j])


@njit(cache=True)
def _rests(
    codes: Int32,
    losses: Floats,
    at: Int64,
    member: Int64,
    count: Int64,
    j: int,
    rest_loss: Floats,
    rest_label: Columns,
) -> None:
    """For each member of class j, the label and loss of the others."""
    if count[j] > 1:
        for q in range(count[j]):
            rest_loss[j, q] = finest(codes, losses, at, member[j], count[j], q, rest_label[j, q])
