"""Lattices too large to list: a good node soon, better ones while time lasts, and a bound from smaller lattices.

Nothing here is optimal unless the bound meets the score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from incrowd.keys.search.counting import by_entropy
from incrowd.keys.search.objective import LOG_SUM, Objective, Yardstick
from incrowd.keys.search.rollups import Node
from incrowd.keys.search.walk import Walk

GROUP = 20_000  # nodes of a lattice that is searched exactly for the bound
_TRIES = 60  # attempts without success after which a search without a time limit stops


def improve(walk: Walk, limited: bool) -> None:
    """Raise some keys of the best node and go down again another way, until time is up or nothing helps.

    The choice is drawn from a fixed seed: it decides where the search looks, and nothing about any record.
    """
    rng = np.random.default_rng(1)
    fruitless = 0
    while not walk.late and (limited or fruitless < _TRIES):
        best = walk.best
        here = _raised(walk, rng)
        if here is not None and not walk.known.rules_out(here) and walk.visit(here):
            walk.descend(here, rng)
        fruitless = 0 if walk.best < best else fruitless + 1
        walk.report()


def _raised(walk: Walk, rng: np.random.Generator) -> Node | None:
    """The best node with one to three keys raised."""
    if walk.node is None:
        return tuple(int(rng.integers(0, level + 1)) for level in walk.top)
    node = list(walk.node)
    free = [i for i, level in enumerate(node) if level < walk.top[i]]
    if not free:
        return None
    for i in rng.choice(free, min(len(free), int(rng.integers(1, 4))), replace=False):
        node[i] = int(rng.integers(node[i] + 1, walk.top[i] + 1))
    return tuple(node)


def bound_by_groups(yardstick: Yardstick, heights: Sequence[int], optimum: Callable[[list[int]], float]) -> float:
    """What does any node cost at least? The keys are split into groups, each with its own proven optimum.

    A node's projection on a group is coarser, so it fails for fewer records and costs the group's keys no more than
    the node does; and the projection cannot cost less than the group's optimum. Sum over the groups (of logarithms
    in the geometric form). `optimum` gives the optimum of some keys alone, with their weights scaled to 1.
    """
    if not yardstick.additive:
        return 0.0
    total = 0.0
    for group in groups(yardstick, heights):
        weight = float(yardstick.weights[group].sum())
        if weight == 0:
            continue
        score = optimum(group)
        if yardstick.objective is Objective.ENTROPY:  # a sum over all cells, each group with weights of mean 1
            total += score * weight / (len(group) * yardstick.records)
        else:
            total += weight * (np.log1p(score) if yardstick.mode == LOG_SUM else score)
    return float(np.expm1(total)) if yardstick.mode == LOG_SUM else total


def groups(yardstick: Yardstick, heights: Sequence[int]) -> list[list[int]]:
    """The keys, those with the most entropy together: those are the ones that fail together."""
    found: list[list[int]] = []
    for key in by_entropy(yardstick.margins):
        for group in found[-1:]:
            if prod(heights[i] + 1 for i in [*group, key]) <= GROUP:
                group.append(key)
                break
        else:
            found.append([key])
    return found
