"""Which combinations of levels the sweep looks at: all of the lattice, or a fair sample of a large one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.local.paths import Floats, Paths
from incrowd.keys.table import Int64

#: Bytes the summed hashes may take; more key groups, each with fewer combinations, where they would take more.
_MEMORY = 96_000_000


def lattice_nodes(paths: Paths, mean: Floats, limit: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Level vectors, one row a node: the whole lattice where it has at most `limit` nodes.

    A larger one is sampled by walks from the bottom to the top that raise one key by one level at a time, cheap
    steps more likely than dear ones, until `limit` nodes are seen. So every range of loss is covered, the top is
    always among them, and the cost does not depend on the size of the lattice.
    """
    sizes = [height + 1 for height in paths.heights]
    if np.prod([float(size) for size in sizes]) <= limit:
        return np.indices(sizes, dtype=np.int8).reshape(len(sizes), -1).T.copy()
    steps = [(i, j) for i, height in enumerate(paths.heights) for j in range(height)]
    rise = np.array([mean[paths.at[i] + j + 1] - mean[paths.at[i] + j] for i, j in steps])
    walks = max(limit // (len(steps) + 1), 1)
    nodes = np.zeros((walks * (len(steps) + 1), len(sizes)), np.int8)
    row = 0
    for _ in range(walks):
        level = np.zeros(len(sizes), np.int8)
        row += 1
        for step in np.argsort(rng.exponential(size=len(steps)) * (rise + 1e-9), kind="stable"):
            level[steps[step][0]] += 1
            nodes[row] = level
            row += 1
    return np.unique(nodes, axis=0)


def hash_columns(paths: Paths, nodes: NDArray[np.int8], rng: np.random.Generator) -> tuple[Int64, Int64]:
    """Hashes that add up to one number per class and node: equal exactly when the recoded codes are equal.

    A random 64-bit number for each code at each level of each key; a node's hash is their sum over the keys. To
    add three numbers instead of nine, keys are put into groups and the sums over each group are kept for all its
    level combinations. Two different combinations agree by accident once in 2^64, and that would cost loss, not
    safety: labels are taken from the members, never from the hash.
    Returns the sums (combination x class) and, for each node, the row of each group.
    """
    number, sizes = len(paths.codes), [height + 1 for height in paths.heights]
    single = np.empty((paths.codes.shape[1], number), np.int64)
    for column in range(paths.codes.shape[1]):
        code = paths.codes[:, column]
        draw = rng.integers(-(2**63), 2**63 - 1, size=int(code.max(initial=0)) + 1, dtype=np.int64)
        single[column] = draw[code]
    groups = _grouped(sizes, number)
    rows, sums, base = np.empty((len(nodes), len(groups)), np.int64), [], 0
    for g, keys in enumerate(groups):
        index = np.zeros(len(nodes), np.int64)
        part = np.zeros((1, number), np.int64)
        for i in keys:
            index = index * sizes[i] + nodes[:, i]
            own = single[paths.at[i] : paths.at[i] + sizes[i]]
            part = (part[:, None, :] + own[None, :, :]).reshape(-1, number)
        rows[:, g] = base + index
        sums.append(part)
        base += len(part)
    return np.concatenate(sums), rows


def _grouped(sizes: list[int], number: int) -> list[list[int]]:
    """The fewest groups of keys, three or more, whose sums fit into memory; balanced, perhaps empty."""
    for count in range(3, max(len(sizes), 3) + 1):
        groups: list[list[int]] = [[] for _ in range(count)]
        product = [1] * count
        for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
            g = product.index(min(product))
            groups[g].append(i)
            product[g] *= sizes[i]
        if sum(product) * number * 8 <= _MEMORY:
            break
    return groups
