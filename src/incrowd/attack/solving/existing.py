"""Of which kinds of people there must be somebody, whatever the solution."""

from __future__ import annotations

import numpy as np

from incrowd.attack.knowledge import Bools
from incrowd.attack.situation import Int64
from incrowd.attack.solving.budget import Budget
from incrowd.attack.solving.certain import HALF, TINY, Block, Certain
from incrowd.attack.solving.published import Floats

#: Solutions that are to have nobody in as many kinds as possible, for each block; then so many kinds one by one.
SWEEPS, ONE_BY_ONE = 5, 200


def at_least_one(certain: Certain, kind: Int64, number: int, budget: Budget) -> tuple[Bools, Bools]:
    """For each kind of unknowns whether every solution has somebody of it, and whether that could be found out.

    `kind` says for each unknown to which of the kinds it belongs, or -1. Blocks share no count: a kind must be there
    if it must be in one of them.
    """
    mine = np.flatnonzero(kind >= 0)
    found = np.bincount(kind[mine], weights=certain.least[mine], minlength=number) > HALF
    known = np.ones(number, bool)
    for one in certain.blocks:
        here = kind[one.at]
        asked = np.unique(here[here >= 0])
        asked = asked[~found[asked]]
        if len(asked):
            must, unsure = _in_block(one, here, asked, budget)
            found[must] = True
            known[unsure] = False
    return found, known | found


def _in_block(one: Block, here: Int64, asked: Int64, budget: Budget) -> tuple[Int64, Int64]:
    """Of the kinds that are asked for those that must be in a block, and those of which nobody knows."""
    for known in one.solutions:
        asked = _left(known, here, asked)
    if len(one.at) > budget.largest:
        return asked[:0], asked
    for _ in range(SWEEPS):
        if not len(asked) or budget.left < 0:
            return asked[:0], asked
        solution, _ = one.in_parts(-np.isin(here, asked).astype(float), budget)
        if solution is None:
            solution, _ = one.solve(-np.isin(here, asked).astype(float), budget)
        rest = asked if solution is None else _left(solution, here, asked)
        if len(rest) == len(asked):
            break
        asked = rest
    if len(asked) > ONE_BY_ONE:
        return asked[:0], asked
    must: list[int] = []
    unsure: list[int] = []
    while len(asked):
        if budget.left < 0:
            unsure += asked.tolist()
            break
        kind, asked = int(asked[0]), asked[1:]
        solution, best = one.in_parts(-(here == kind).astype(float), budget)
        if best < -TINY:  # not even with parts of people can there be none
            must.append(kind)
            continue
        proven = True
        if solution is None:
            solution, proven = one.solve(-(here == kind).astype(float), budget)
        if solution is None or solution[here == kind].sum() > HALF:
            (must if solution is not None and proven else unsure).append(kind)
        else:
            asked = _left(solution, here, asked)
    return np.array(must, np.int64), np.array(unsure, np.int64)


def _left(solution: Floats, here: Int64, asked: Int64) -> Int64:
    """The kinds that a solution has somebody of."""
    there = np.unique(here[(solution > HALF) & (here >= 0)])
    return asked[np.isin(asked, there)]
