"""The finest label that records have in common: for each key, the lowest level at which all agree.

A label is a base class (any member) and, for each key, a column of the paths: the level. All kernels here are
loops over keys and members; they allocate nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.local.paths import NO_LABEL, Floats
from incrowd.keys.table import Int32, Int64

Columns = NDArray[np.int32]


@njit(cache=True)
def finest(codes: Int32, losses: Floats, at: Int64, members: Int64, number: int, skip: int, label: Columns) -> float:
    """Write the finest label of the members, without the one at position `skip`, to `label`; gives its loss."""
    lead = members[1] if skip == 0 else members[0]
    loss = 0.0
    for i in range(len(at) - 1):
        column = at[i]
        for q in range(number):
            if q != skip:
                while codes[lead, column] != codes[members[q], column]:
                    column += 1
        label[i] = column
        loss += losses[lead, column]
    return loss


@njit(cache=True)
def joined(codes: Int32, losses: Floats, lead: int, label: Columns, atom: int) -> float:
    """The loss of a label once one more base class comes under it."""
    loss = 0.0
    for i in range(len(label)):
        column = label[i]
        while codes[lead, column] != codes[atom, column]:
            column += 1
        loss += losses[lead, column]
    return loss


@njit(cache=True)
def joined_below(codes: Int32, losses: Floats, lead: int, label: Columns, atom: int, most: float) -> float:
    """As `joined`, but gives up, with infinity, as soon as the loss reaches `most`."""
    loss = 0.0
    for i in range(len(label)):
        column = label[i]
        while codes[lead, column] != codes[atom, column]:
            column += 1
        loss += losses[lead, column]
        if loss >= most:
            return np.inf
    return loss


@njit(cache=True)
def widen(codes: Int32, losses: Floats, lead: int, label: Columns, atom: int) -> float:
    """Change a label so that one more base class comes under it; gives its loss."""
    loss = 0.0
    for i in range(len(label)):
        column = label[i]
        while codes[lead, column] != codes[atom, column]:
            column += 1
        label[i] = column
        loss += losses[lead, column]
    return loss


@njit(cache=True)
def label_all(codes: Int32, losses: Floats, at: Int64, start: Int64, atoms: Int64, label: NDArray[np.int32]) -> Floats:
    """The finest label of every class (its atoms lie between start[j] and start[j + 1]); gives their losses."""
    number = len(start) - 1
    loss = np.zeros(number)
    for j in range(number):
        members = atoms[start[j] : start[j + 1]]
        loss[j] = finest(codes, losses, at, members, len(members), -1, label[j])
    return loss


@njit(cache=True)
def cheapest_homes(
    codes: Int32,
    losses: Floats,
    leads: Int64,
    label: NDArray[np.int32],
    loss: Floats,
    size: Int64,
    atoms: Int64,
    amounts: Int64,
) -> Int64:
    """For each of a few stray base classes the class that takes it in at the lowest cost, one after the other.

    -1 for a stray that has no label in common with any class.
    """
    home = np.full(len(atoms), -1, np.int64)
    for a in range(len(atoms)):
        best = np.inf
        for j in range(len(leads)):
            after = joined(codes, losses, leads[j], label[j], atoms[a])
            cost = (size[j] + amounts[a]) * after - size[j] * loss[j]
            if after < NO_LABEL and cost < best:
                best, home[a] = cost, j
        if home[a] >= 0:
            j = home[a]
            loss[j] = widen(codes, losses, leads[j], label[j], atoms[a])
            size[j] += amounts[a]
    return home
