"""Two partitions of the same people: which of their intersections do the counts of both give away?

Cells of the first are nodes on one side, cells of the second on the other, and every intersection where people can be
is a line between two of them. Given both sides' counts, the number of people in an intersection is determined exactly
when its line is a bridge: cut it, and what hangs on one end must balance. Nested areas and shifted bands give trees, in
which every line is a bridge; partitions that have nothing to do with each other give circles, in which none is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.attack.situation import Int64


def determined(first: Int64, second: Int64, ones: Int64, others: Int64) -> tuple[Int64, Int64]:
    """The intersections whose number of people follows from the counts, and that number (the difference of two sums).

    `first` and `second` are the cells that each intersection lies in, `ones` and `others` the counts of all cells.

    >>> determined(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([7, 9]), np.array([5, 11]))
    (array([0, 1, 2]), array([5, 2, 9]))
    """
    weights = np.concatenate([ones, -others]).tolist()
    number = len(weights)
    ends = [(int(a), int(b) + len(ones)) for a, b in zip(first, second, strict=True)]
    near: list[list[tuple[int, int]]] = [[] for _ in range(number)]
    for line, (a, b) in enumerate(ends):
        near[a].append((b, line))
        near[b].append((a, line))
    bridges: list[tuple[int, int]] = []
    seen, low, total = [0] * number, [0] * number, weights
    clock = 0
    for root in range(number):
        if seen[root] or not near[root]:
            continue
        clock += 1
        seen[root] = low[root] = clock
        stack = [(root, -1, iter(near[root]))]
        while stack:
            node, came_by, rest = stack[-1]
            step = next(rest, None)
            if step is None:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[node])
                    if low[node] > seen[parent]:
                        bridges.append((came_by, abs(total[node])))
                    total[parent] += total[node]
                continue
            to, line = step
            if line == came_by:
                continue
            if seen[to]:
                low[node] = min(low[node], seen[to])
                continue
            clock += 1
            seen[to] = low[to] = clock
            stack.append((to, line, iter(near[to])))
    bridges.sort()
    return _columns(bridges)


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Int64, Int64]:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
