"""The loops of the requirements: one pass over the sparse cells (class, value, people), a figure for each class.

`starts[c]` to `starts[c + 1]` are the cells of class c. A class without cells gets 0 everywhere. Counts are 64-bit
whole numbers and every product is taken in floating point, so counts of 10^10 neither wrap nor lose their shares.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.table import Int32, Int64

Float64 = NDArray[np.float64]
#: Sums of floats are not exact: a figure this close to its limit (relative) counts as equal to it.
TOLERANCE = 1e-12


@njit(cache=True)
def offsets(classes: Int64, number: int) -> Int64:
    """Where the cells of each class start, for cells sorted by class; the last entry is their number."""
    starts = np.zeros(number + 1, np.int64)
    for c in classes:
        starts[c + 1] += 1
    for c in range(number):
        starts[c + 1] += starts[c]
    return starts


@njit(cache=True)
def totals_and_largest(starts: Int64, people: Int64) -> tuple[Int64, Int64]:
    """People in each class, and in its largest cell."""
    number = len(starts) - 1
    total, largest = np.zeros(number, np.int64), np.zeros(number, np.int64)
    for c in range(number):
        for i in range(starts[c], starts[c + 1]):
            total[c] += people[i]
            largest[c] = max(largest[c], people[i])
    return total, largest


@njit(cache=True)
def cells_of(starts: Int64, values: Int32, people: Int64, code: int) -> Int64:
    """People with one value, for each class."""
    number = np.zeros(len(starts) - 1, np.int64)
    for c in range(len(number)):
        for i in range(starts[c], starts[c + 1]):
            if values[i] == code:
                number[c] = people[i]
    return number


@njit(cache=True)
def entropies(starts: Int64, people: Int64) -> Float64:
    """H(q) of each class in natural units: ln s - sum(c ln c) / s."""
    number = len(starts) - 1
    entropy = np.zeros(number)
    for c in range(number):
        if starts[c + 1] - starts[c] < 2:
            continue  # one value: exactly 0, which the rounded formula might miss
        total, weighted = 0.0, 0.0
        for i in range(starts[c], starts[c + 1]):
            count = float(people[i])
            total += count
            if people[i] > 1:
                weighted += count * np.log(count)
        entropy[c] = np.log(total) - weighted / total
    return entropy


@njit(cache=True)
def tails(starts: Int64, people: Int64, first: int) -> Int64:
    """The people of the first-largest cell and all smaller ones, for each class: r_l + ... + r_m."""
    number = len(starts) - 1
    tail = np.zeros(number, np.int64)
    top = np.zeros(max(first - 1, 0), np.int64)  # the largest cells so far, falling
    for c in range(number):
        if starts[c + 1] - starts[c] < first:
            continue
        top[:] = 0
        for i in range(starts[c], starts[c + 1]):
            tail[c] += people[i]
            at = len(top)
            while at > 0 and top[at - 1] < people[i]:
                if at < len(top):
                    top[at] = top[at - 1]
                at -= 1
            if at < len(top):
                top[at] = people[i]
        tail[c] -= top.sum()
    return tail


@njit(cache=True)
def against_whole(
    starts: Int64, people: Int64, places: Int32, total: Int64, p: Float64
) -> tuple[Float64, Float64, Float64, NDArray[np.bool_]]:
    """Each class against p: the largest and smallest q/p of its cells, its equal distance, and the cap of enhanced
    beta-likeness: whether some (q - p)/p is above -ln p.
    """
    number = len(starts) - 1
    most, least, distance = np.zeros(number), np.zeros(number), np.zeros(number)
    beyond = np.zeros(number, np.bool_)
    caps = -np.log(p)
    for c in range(number):
        for i in range(starts[c], starts[c + 1]):
            q, expected = people[i] / total[c], p[places[i]]
            ratio = q / expected
            most[c] = max(most[c], ratio)
            least[c] = ratio if i == starts[c] else min(least[c], ratio)
            # The differences sum to 0, so half the sum of their sizes is the sum of the positive ones, and these
            # are all in the class's own cells.
            distance[c] += max(q - expected, 0.0)
            beyond[c] |= ratio - 1.0 > caps[places[i]] * (1.0 + TOLERANCE)
    return most, least, distance, beyond


@njit(cache=True)
def above(starts: Int64, people: Int64, places: Int32, total: Int64, caps: Float64) -> Float64:
    """How much of each class is beyond what each value may have: the sum of max(q - cap, 0)."""
    found = np.zeros(len(starts) - 1)
    for c in range(len(found)):
        for i in range(starts[c], starts[c + 1]):
            found[c] += max(people[i] / total[c] - caps[places[i]], 0.0)
    return found


@njit(cache=True)
def sort_cells(starts: Int64, places: Int32, people: Int64, rank: Int32) -> tuple[Int32, Int64]:
    """The cells of each class in another order of the values: (rank of the value, people)."""
    ranks, counts = np.empty(len(places), np.int32), people.copy()
    for i in range(len(places)):
        ranks[i] = rank[places[i]]
    for c in range(len(starts) - 1):
        begin, end = starts[c], starts[c + 1]
        if end - begin > 32:
            order = np.argsort(ranks[begin:end])
            ranks[begin:end] = ranks[begin:end][order]
            counts[begin:end] = counts[begin:end][order]
            continue
        for i in range(begin + 1, end):  # nearly all classes of a fine table are small: by insertion
            one, number, j = ranks[i], counts[i], i
            while j > begin and ranks[j - 1] > one:
                ranks[j], counts[j] = ranks[j - 1], counts[j - 1]
                j -= 1
            ranks[j], counts[j] = one, number
    return ranks, counts


@njit(cache=True)
def _first_at_least(rising: Int64, low: int, high: int, limit: float) -> int:
    """The first place in [low, high) whose number is not below the limit; high if there is none."""
    while low < high:
        middle = (low + high) // 2
        if rising[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def ordered_distances(starts: Int64, ranks: Int32, people: Int64, total: Int64, counts: Int64) -> Float64:
    """sum_i |P_i - Q_i| / (m - 1) of each class, for cells sorted by rank; `counts` are the file's, by rank.

    Between two cells of a class Q stands still while P rises, so the sum over the stretch is a difference of
    prefix sums on either side of the point where P passes Q: the cost is that of the cells, not of the values.
    """
    number, m = len(starts) - 1, len(counts)
    distance = np.zeros(number)
    if m < 2:
        return distance
    below = np.cumsum(counts)  # people with this value or a smaller one
    prefix = np.zeros(m + 1, np.int64)  # whole numbers: a difference of two of them loses nothing
    prefix[1:] = np.cumsum(below)
    everybody = float(below[m - 1])
    alone = np.full(m, -1.0)  # classes with one value only, most of a fine table, are alike
    for c in range(number):
        begin, end = starts[c], starts[c + 1]
        if begin == end:
            continue
        if end - begin == 1 and alone[ranks[begin]] >= 0:
            distance[c] = alone[ranks[begin]]
            continue
        result, so_far, low = 0.0, 0, 0
        for i in range(begin, end + 1):
            high = int(ranks[i]) if i < end else m  # Q stands still on the ranks [low, high)
            if high > low:
                q = so_far / total[c]
                middle = _first_at_least(below, low, high, q * everybody)
                result += q * (middle - low) - (prefix[middle] - prefix[low]) / everybody
                result += (prefix[high] - prefix[middle]) / everybody - q * (high - middle)
                low = high
            if i < end:
                so_far += people[i]
        distance[c] = result / (m - 1)
        if end - begin == 1:
            alone[ranks[begin]] = distance[c]
    return distance


@njit(cache=True)
def tree_distances(
    starts: Int64, ranks: Int32, people: Int64, total: Int64, parents: Int32, shares: Float64
) -> Float64:
    """The hierarchical distance of each class: sum over inner nodes of (height/H) * min(positive, negative flow).

    `parents[h, i]` is the node at height h + 1 over node i of height h, `shares[h, i]` that node's part of p;
    nodes of one height are numbered in the order of the tree, and `ranks` are leaves in that order. A node with
    nobody of the class below it has flow in one direction only and costs nothing: just the ancestors of the
    cells count.
    """
    number, height = len(starts) - 1, len(parents)
    distance = np.zeros(number)
    longest = 0
    for c in range(number):
        longest = max(longest, starts[c + 1] - starts[c])
    node, flow = np.empty(longest, np.int64), np.empty(longest)
    alone = np.full(parents.shape[1], -1.0)  # as in ordered_distances
    for c in range(number):
        begin, cells = starts[c], starts[c + 1] - starts[c]
        single = cells == 1
        if single and alone[ranks[begin]] >= 0:
            distance[c] = alone[ranks[begin]]
            continue
        for i in range(cells):
            node[i] = ranks[begin + i]
            flow[i] = people[begin + i] / total[c]
        for h in range(height):
            kept, i = 0, 0
            while i < cells:
                parent = parents[h, node[i]]
                positive, negative, q = shares[h + 1, parent], 0.0, 0.0
                while i < cells and parents[h, node[i]] == parent:
                    expected = shares[h, node[i]]
                    positive -= expected  # what is left at the end is the part of the children nobody has
                    if expected > flow[i]:
                        positive += expected - flow[i]
                    else:
                        negative += flow[i] - expected
                    q += flow[i]
                    i += 1
                distance[c] += (h + 1) / height * max(min(positive, negative), 0.0)
                node[kept], flow[kept] = parent, q
                kept += 1
            cells = kept
        if single:
            alone[ranks[begin]] = distance[c]
    return distance
