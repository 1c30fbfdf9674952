"""Neighbours in an order put together, those with the fewest people first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence


def merge_neighbours(people: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """The groups (start, end) once so many are left, for falling `sizes`: always the two neighbours go together that
    have the fewest people, so every level nests in the next.

    >>> list(merge_neighbours([50, 3, 2, 40], [3, 2]))
    [[(0, 1), (1, 3), (3, 4)], [(0, 1), (1, 4)]]
    """
    held, ends = list(people), list(range(1, len(people) + 1))  # by the start of a group
    before = list(range(-1, len(people) - 1))
    alive, version = [True] * len(people), [0] * len(people)
    waiting = [(held[i] + held[i + 1], i, 0, 0) for i in range(len(people) - 1)]
    heapq.heapify(waiting)
    left = len(people)
    for size in sizes:
        while left > size:
            _, start, own, its = heapq.heappop(waiting)
            after = ends[start]
            if not alive[start] or version[start] != own or version[after] != its:
                continue  # one of the two has grown since; the pair waits again with its new number
            held[start] += held[after]
            ends[start], alive[after], left = ends[after], False, left - 1
            version[start] += 1
            if ends[start] < len(people):
                before[ends[start]] = start
            for one in (before[start], start):
                if one >= 0 and ends[one] < len(people):
                    pair = held[one] + held[ends[one]]
                    heapq.heappush(waiting, (pair, one, version[one], version[ends[one]]))
        starts = [i for i in range(len(people)) if alive[i]]
        yield [(start, ends[start]) for start in starts]
