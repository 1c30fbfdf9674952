"""A k-d tree whose points go away: the furthest point and the nearest ones, exactly, among those that are left.

Every node knows the box around its points that are left, their number and the smallest of their numbers. A search
leaves out a node whose box cannot hold a better point. Between equally far points the one with the smaller number is
taken, so the answer does not depend on how the tree was cut. Bounds are sums of the same terms in the same order as
distances, so rounding cannot make a bound pass a distance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

LEAF = 12


class Tree(NamedTuple):
    """Node i has the children 2i + 1 and 2i + 2; nodes from `leaves` on are leaves. Points of a leaf lie together."""

    points: NDArray[np.float64]
    numbers: NDArray[np.int64]  # which point lies in a place
    places: NDArray[np.int64]  # in which place a point lies
    starts: NDArray[np.int64]  # of leaves: the first place
    left: NDArray[np.int64]  # of nodes: how many points are left
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    first: NDArray[np.int64]  # of nodes: the smallest number of a point that is left
    leaves: int


def plant(points: NDArray[np.float64]) -> Tree:
    """The tree over these points: each node is cut at the median of its widest side."""
    n, width = points.shape
    depth = max(0, int(np.ceil(np.log2(max(n, 1) / LEAF))))
    leaves = 2**depth - 1
    numbers = np.arange(n)
    bounds = [(0, n)]
    for _ in range(depth):
        halves = []
        for start, end in bounds:
            middle = (start + end) // 2
            part = numbers[start:end]
            inside = points[part]
            side = int(np.argmax(np.ptp(inside, axis=0))) if len(part) else 0
            numbers[start:end] = part[np.argpartition(inside[:, side], middle - start)] if len(part) > 1 else part
            halves += [(start, middle), (middle, end)]
        bounds = halves
    places = np.empty(n, np.int64)
    places[numbers] = np.arange(n)
    nodes = 2 * leaves + 1
    tree = Tree(
        np.ascontiguousarray(points[numbers]), numbers, places,
        np.array([start for start, _ in bounds] + [n]), np.zeros(nodes, np.int64),
        np.full((nodes, width), np.inf), np.full((nodes, width), -np.inf), np.full(nodes, n), leaves,
    )  # fmt: skip
    tree.left[leaves:] = np.diff(tree.starts)
    for node in range(nodes - 1, -1, -1):
        measure(tree, node)
    return tree


@njit(cache=True, nogil=True)
def measure(tree: Any, node: int) -> None:
    """Count the node's points and draw its box again, from its points or its children."""
    low, high = tree.low[node], tree.high[node]
    low[:], high[:] = np.inf, -np.inf
    tree.first[node] = len(tree.numbers)
    if node >= tree.leaves:
        start = tree.starts[node - tree.leaves]
        for place in range(start, start + tree.left[node]):
            tree.first[node] = min(tree.first[node], tree.numbers[place])
            for j in range(len(low)):
                low[j] = min(low[j], tree.points[place, j])
                high[j] = max(high[j], tree.points[place, j])
        return
    a, b = 2 * node + 1, 2 * node + 2
    tree.left[node] = tree.left[a] + tree.left[b]
    tree.first[node] = min(tree.first[a], tree.first[b])
    for j in range(len(low)):
        low[j] = min(tree.low[a, j], tree.low[b, j])
        high[j] = max(tree.high[a, j], tree.high[b, j])


@njit(cache=True, nogil=True)
def take_out(tree: Any, number: int) -> None:
    """Without this point: its leaf moves its last point into the gap, and all nodes above are measured again."""
    place = tree.places[number]
    leaf = np.searchsorted(tree.starts, place, side="right") - 1
    node = tree.leaves + leaf
    tree.left[node] -= 1
    last = tree.starts[leaf] + tree.left[node]
    moved = tree.numbers[last]
    tree.numbers[place], tree.numbers[last] = moved, number
    tree.places[moved], tree.places[number] = place, last
    for j in range(tree.points.shape[1]):
        tree.points[place, j], tree.points[last, j] = tree.points[last, j], tree.points[place, j]
    measure(tree, node)
    while node > 0:
        node = (node - 1) // 2
        measure(tree, node)


@njit(cache=True, nogil=True)
def _reach(tree: Any, node: int, point: Any) -> float:
    """How far can a point of the node be at most?"""
    total = 0.0
    for j in range(len(point)):
        side = max(abs(tree.low[node, j] - point[j]), abs(tree.high[node, j] - point[j]))
        total += side * side
    return total


@njit(cache=True, nogil=True)
def _gap(tree: Any, node: int, point: Any) -> float:
    """How near can a point of the node be at least?"""
    total = 0.0
    for j in range(len(point)):
        side = max(tree.low[node, j] - point[j], point[j] - tree.high[node, j], 0.0)
        total += side * side
    return total


@njit(cache=True, nogil=True)
def _distance(tree: Any, place: int, point: Any) -> float:
    total = 0.0
    for j in range(len(point)):
        side = tree.points[place, j] - point[j]
        total += side * side
    return total


@njit(cache=True, nogil=True)
def furthest(tree: Any, point: Any) -> int:
    """The number of the point that is furthest away."""
    best, found = -1.0, len(tree.numbers)
    nodes, reaches = np.empty(128, np.int64), np.empty(128)
    nodes[0], reaches[0], high = 0, _reach(tree, 0, point), 1
    while high > 0:
        high -= 1
        node, reach = nodes[high], reaches[high]
        if tree.left[node] == 0 or reach < best or (reach == best and tree.first[node] > found):
            continue
        if node >= tree.leaves:
            start = tree.starts[node - tree.leaves]
            for place in range(start, start + tree.left[node]):
                distance = _distance(tree, place, point)
                if distance > best or (distance == best and tree.numbers[place] < found):
                    best, found = distance, tree.numbers[place]
            continue
        a, b = 2 * node + 1, 2 * node + 2
        one, other = _reach(tree, a, point), _reach(tree, b, point)
        if one > other:  # the more promising child is looked at first, so it is put down last
            a, b, one, other = b, a, other, one
        nodes[high], reaches[high], nodes[high + 1], reaches[high + 1] = a, one, b, other
        high += 2
    return found


@njit(cache=True, nogil=True)
def nearest(tree: Any, point: Any, k: int) -> Any:
    """The numbers of the k nearest points; there must be as many."""
    found, far, size = np.empty(k, np.int64), np.full(k, np.inf), 0
    nodes, gaps = np.empty(128, np.int64), np.empty(128)
    nodes[0], gaps[0], high = 0, _gap(tree, 0, point), 1
    while high > 0:
        high -= 1
        node, gap = nodes[high], gaps[high]
        if tree.left[node] == 0:
            continue
        if size == k and (gap > far[k - 1] or (gap == far[k - 1] and tree.first[node] > found[k - 1])):
            continue
        if node >= tree.leaves:
            start = tree.starts[node - tree.leaves]
            for place in range(start, start + tree.left[node]):
                distance, number = _distance(tree, place, point), tree.numbers[place]
                if size == k and (distance > far[k - 1] or (distance == far[k - 1] and number > found[k - 1])):
                    continue
                at = min(size, k - 1)
                while at > 0 and (far[at - 1] > distance or (far[at - 1] == distance and found[at - 1] > number)):
                    far[at], found[at] = far[at - 1], found[at - 1]
                    at -= 1
                far[at], found[at] = distance, number
                size = min(size + 1, k)
            continue
        a, b = 2 * node + 1, 2 * node + 2
        one, other = _gap(tree, a, point), _gap(tree, b, point)
        if one < other:
            a, b, one, other = b, a, other, one
        nodes[high], gaps[high], nodes[high + 1], gaps[high + 1] = a, one, b, other
        high += 2
    return found
