"""How far apart are two values of a sensitive variable? An order of the values, or a tree over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import Int32

Values = Sequence[str | None]


@dataclass(frozen=True, eq=False)
class Order:
    """The values in a row: neighbours are 1/(m - 1) apart. `rank[i]` is the place of value i in the row."""

    rank: Int32


@dataclass(frozen=True, eq=False)
class Tree:
    """The values as leaves of a tree: two are as far apart as their lowest common node is high, in parts of H.

    `parents[h, i]` is the node at height h + 1 over node i of height h; nodes are numbered in the order of the tree,
    so that the leaves below a node are next to each other. `rank[i]` is the leaf of value i.
    """

    rank: Int32
    parents: Int32

    def shares(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each node's part of p, by height and node."""
        result = np.zeros((len(self.parents) + 1, len(p)))
        result[0, self.rank] = p
        for h, parents in enumerate(self.parents):
            result[h + 1] = np.bincount(parents, weights=result[h], minlength=len(p))
        return result


def numeric_order(values: Values, name: str) -> Order:
    """Smallest number first; missing stands before all numbers."""
    numbers = np.full(len(values), -np.inf)
    bad = 0
    for i, value in enumerate(values):
        try:
            numbers[i] = -np.inf if value is None else float(value)
        except ValueError:
            bad += 1
    bad += int(np.isnan(numbers).sum())
    if bad:
        raise InputError(
            "D042",
            f"{bad} of the {len(values)} values of {name!r} are not numbers and have no order of their own.",
            "Declare the order of the values, or use the order of the texts (ordered-text).",
        )
    return _ranked(np.argsort(numbers, kind="stable"))


def text_order(values: Values) -> Order:
    """Order of the texts by code point, as ARX does; missing first."""
    texts = [value or "" for value in values]
    order = sorted(range(len(values)), key=texts.__getitem__)
    return _ranked(sorted(order, key=lambda i: values[i] is not None) if None in values else order)


def declared_order(values: Values, order: Sequence[str], name: str) -> Order:
    """The order somebody declared; declared values that nobody has are left out, missing stands first."""
    at: dict[str | None, int] = {value: number for number, value in enumerate(order)}
    at[None] = -1
    outside = sum(value not in at for value in values)
    if outside:
        raise InputError(
            "D043",
            f"{outside} of the {len(values)} values of {name!r} are not in its declared order.",
            "Add them to the order.",
        )
    return _ranked(sorted(range(len(values)), key=lambda i: at[values[i]]))


def tree_of(values: Values, hierarchy: Hierarchy, name: str) -> Tree:
    """The hierarchy over the values that occur. Missing is a branch of its own below the top.

    A node is named by its whole path from the top, so a slip in the nesting splits a node and breaks nothing else.
    """
    rows, height = hierarchy.rows_of(values, name), hierarchy.height
    labels = np.zeros((height + 1, len(values)), np.int64)  # of each value, its label at each height, as a number
    for h in range(height):
        labels[h] = np.where(rows < 0, -1, hierarchy.label_numbers(h)[rows])
    order = np.lexsort(labels)  # by the label nearest to the top first
    # Neighbours in this order part at every height up to the highest at which their labels differ.
    parts = np.logical_or.accumulate((np.diff(labels[:, order], axis=1) != 0)[::-1], axis=0)[::-1]
    node = np.zeros((height + 1, len(values)), np.int64)
    node[:, 1:] = np.cumsum(parts, axis=1)
    parents = np.zeros((height, len(values)), np.int32)
    for h in range(height):
        parents[h, node[h]] = node[h + 1]
    return Tree(_ranked(order).rank, parents)


def _ranked(order: Sequence[int] | NDArray[np.int64]) -> Order:
    rank = np.empty(len(order), np.int32)
    rank[np.asarray(order, np.int64)] = np.arange(len(order), dtype=np.int32)
    return Order(rank)
