"""Which nodes of the lattice are still open, given what was counted so far? Numba loops over rows of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.search.objective import CLASSES, LOG_SUM, SQUARES, SUM, Count, Yardstick
from incrowd.keys.table import Mask

_SAME = 1e-12  # scores closer than this, relatively, are taken for equal


@njit(cache=True, nogil=True)
def _compare(node: NDArray[Any], other: NDArray[Any]) -> int:
    """0: neither; 1: other is coarser; 2: other is finer; 3: the same."""
    coarser, finer = True, True
    for i in range(len(node)):
        if node[i] > other[i]:
            coarser = False
            if not finer:
                return 0
        elif node[i] < other[i]:
            finer = False
            if not coarser:
                return 0
    return (1 if coarser else 0) + (2 if finer else 0)


@njit(cache=True, nogil=True)
def _bound(
    node: NDArray[Any], start: float, known: NDArray[Any], number: int, fails: NDArray[Any], tolls: NDArray[Any],
    floors: NDArray[Any], means: NDArray[Any], weights: NDArray[Any], mode: int, records: int, smallest: int,
    toll: NDArray[Any],
) -> Any:  # fmt: skip
    """A lower bound of the node's score; infinite where it is counted already or fails for sure."""
    toll[:] = 0.0
    floor = -np.inf
    for m in range(number - 1, -1, -1):  # the latest first: neighbours in the order tend to share their judge
        relation = _compare(node, known[m])
        if relation == 0:
            continue
        if relation == 3 or (relation == 1 and fails[m]):
            return np.inf
        if relation == 1:
            for i in range(len(toll)):
                toll[i] = max(toll[i], tolls[m, i])
        else:
            floor = max(floor, floors[m])
    if mode == SQUARES:
        return max(start, floor) + toll[0]
    if mode == CLASSES:
        room = (records - toll[0]) // smallest
        if floor > -np.inf:
            room = min(room, -floor)
        return max(start, records / (room + 1.0))
    total = 0.0
    for i in range(len(node)):
        price = means[i, node[i]] + toll[i]
        total += weights[i] * (np.log1p(price) if mode == LOG_SUM else price)
    return np.expm1(total) if mode == LOG_SUM else total


@njit(cache=True, nogil=True)
def _next_open(
    nodes: NDArray[Any], starts: NDArray[Any], at: int, best: float, known: NDArray[Any], number: int,
    fails: NDArray[Any], tolls: NDArray[Any], floors: NDArray[Any], means: NDArray[Any], weights: NDArray[Any],
    mode: int, records: int, smallest: int,
) -> int:  # fmt: skip
    toll = np.empty(tolls.shape[1])
    while at < len(nodes):
        if starts[at] < best and best > _bound(
            nodes[at], starts[at], known, number, fails, tolls, floors, means, weights, mode, records, smallest, toll
        ):
            return at
        at += 1
    return at


@njit(cache=True, nogil=True)
def _least_open(
    nodes: NDArray[Any], starts: NDArray[Any], at: int, best: float, known: NDArray[Any], number: int,
    fails: NDArray[Any], tolls: NDArray[Any], floors: NDArray[Any], means: NDArray[Any], weights: NDArray[Any],
    mode: int, records: int, smallest: int,
) -> float:  # fmt: skip
    toll = np.empty(tolls.shape[1])
    least = best
    for j in range(len(nodes) - 1, at - 1, -1):
        if starts[j] < least:
            bound = _bound(
                nodes[j], starts[j], known, number, fails, tolls, floors, means, weights, mode, records, smallest, toll
            )
            least = min(least, bound)
    return least


@njit(cache=True, nogil=True)
def _any(node: NDArray[Any], known: NDArray[Any], number: int, flags: NDArray[Any], relation: int) -> bool:
    """Whether a flagged node stands in this relation to the node, or is the same."""
    for m in range(number - 1, -1, -1):  # noqa: SIM110 - numba compiles no generators
        if flags[m] and _compare(node, known[m]) & relation:
            return True
    return False


@njit(cache=True, nogil=True)
def _spared(nodes: NDArray[Any], judges: NDArray[Any]) -> Any:
    mask = np.ones(len(nodes), np.bool_)
    for j in range(len(nodes)):
        for m in range(len(judges)):
            if _compare(nodes[j], judges[m]) & 1:
                mask[j] = False
                break
    return mask


class KnownBounds:
    """What the counted nodes say about the others."""

    def __init__(self, yardstick: Yardstick, keys: int) -> None:
        self._yard = yardstick
        self._number = 0
        self._asked = 0
        width = keys if yardstick.mode in (SUM, LOG_SUM) else 1
        self._nodes = np.zeros((64, keys), np.int8)
        self._fails, self._passes = np.zeros(64, np.bool_), np.zeros(64, np.bool_)
        self._tolls = np.zeros((64, width))
        self._floors = np.full(64, -np.inf)

    def add(
        self,
        node: tuple[int, ...],
        fails: bool,
        passes: bool = False,
        toll: Count | None = None,
        floor: Count | None = None,
    ) -> None:
        """Remember a node: whether it rules out everything finer, and the counts its toll and floor come from."""
        if self._number == len(self._nodes):
            self._grow()
        at = self._number
        self._nodes[at] = node
        self._fails[at], self._passes[at] = fails, passes
        self._tolls[at] = 0.0 if toll is None else self._yard.toll(toll)
        self._floors[at] = -np.inf if floor is None else self._yard.floor(floor)
        self._number += 1

    def rules_out(self, node: tuple[int, ...]) -> bool:
        """Whether a counted node that fails is coarser than this one, or the same."""
        return bool(_any(np.array(node, np.int8), self._nodes, self._number, self._fails, 1))

    def lets_pass(self, node: tuple[int, ...]) -> bool:
        """Whether a counted node that passes is finer than this one, or the same."""
        return bool(_any(np.array(node, np.int8), self._nodes, self._number, self._passes, 2))

    def spared(self, nodes: np.ndarray) -> Mask:
        """Which of these nodes is not ruled out by a failing node that came after the last such question."""
        judges = self._nodes[self._asked : self._number][self._fails[self._asked : self._number]]
        self._asked = self._number
        mask: Mask = _spared(nodes, judges)
        return mask

    def next_open(self, nodes: np.ndarray, starts: np.ndarray, at: int, best: float) -> int:
        """The first node from `at` on that may score below `best`; len(nodes) if there is none."""
        below = best - _SAME * abs(best) if np.isfinite(best) else best
        return int(_next_open(nodes, starts, at, below, *self._facts()))

    def least_open(self, nodes: np.ndarray, starts: np.ndarray, at: int, best: float) -> float:
        """The smallest bound of the nodes from `at` on, at most `best`."""
        return float(_least_open(nodes, starts, at, best, *self._facts()))

    def bound(self, node: tuple[int, ...], start: float) -> float:
        """The bound of one node; infinite where it is decided."""
        row, starts = np.array([node], np.int8), np.array([start])
        return float(_least_open(row, starts, 0, np.inf, *self._facts()))

    def _facts(self) -> tuple[Any, ...]:
        yard = self._yard
        return (
            self._nodes, self._number, self._fails, self._tolls, self._floors,
            yard.means, yard.weights, yard.mode, yard.records, yard.smallest,
        )  # fmt: skip

    def _grow(self) -> None:
        self._nodes = np.concatenate([self._nodes, np.zeros_like(self._nodes)])
        self._fails = np.concatenate([self._fails, np.zeros_like(self._fails)])
        self._passes = np.concatenate([self._passes, np.zeros_like(self._passes)])
        self._tolls = np.concatenate([self._tolls, np.zeros_like(self._tolls)])
        self._floors = np.concatenate([self._floors, np.full_like(self._floors, -np.inf)])
