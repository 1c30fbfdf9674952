"""The privacy models once more, for the gate: one class at a time, straight from their definitions.

Slow and plain on purpose. Nothing here is shared with keys/requirements, which decided what to suppress; the two must
agree, and where they do not, nothing is released.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Spread = Mapping[str | None, int]
#: Sums of floating-point shares may differ in the last bits from the same sums in another order.
TOLERANCE = 1e-9


def entropy_l(q: Spread) -> float:
    """exp of the entropy."""
    n = sum(q.values())
    return math.exp(-sum(count / n * math.log(count / n) for count in q.values()))


def recursive_c(q: Spread, l: int) -> float:  # noqa: E741 - the literature's name
    """r1 / (r_l + ... + r_m): the c that is just not enough."""
    counts = sorted(q.values(), reverse=True)
    tail = sum(counts[l - 1 :])
    return counts[0] / tail if tail else math.inf


def equal_distance(q: Spread, p: Spread) -> float:
    """1/2 sum |p - q|."""
    n, total = sum(q.values()), sum(p.values())
    return sum(abs(q.get(value, 0) / n - p.get(value, 0) / total) for value in {*p, *q}) / 2


def ordered_distance(q: Spread, p: Spread, order: Sequence[str | None]) -> float:
    """sum_i |sum_{j<=i} (p_j - q_j)| / (m - 1)."""
    n, total, running, moved = sum(q.values()), sum(p.values()), 0.0, 0.0
    for value in order:
        running += p.get(value, 0) / total - q.get(value, 0) / n
        moved += abs(running)
    return moved / max(len(order) - 1, 1)


def value_order(p: Spread, distance: str, declared: Sequence[str] | None) -> list[str | None]:
    """The values that occur, in a row: as declared, by text, or by number; a missing value first."""
    there = [value for value in p if value is not None]
    if declared is not None:
        there.sort(key=list(declared).index)
    elif distance == "ordered-text":
        there.sort()
    else:
        there.sort(key=float)
    return [None, *there] if None in p else [*there]


def hierarchical_distance(q: Spread, p: Spread, path_of: Mapping[str, Sequence[str]]) -> float:
    """sum over inner nodes of (height / H) * min(positive flow, negative flow) of their children."""
    n, total = sum(q.values()), sum(p.values())
    some = next(iter(path_of.values()))
    height = len(some) - 1
    flow: dict[tuple[str | None, ...], float] = {}
    for value in {*p, *q}:
        # Missing is a branch of its own below the top.
        path = path_of[value] if value is not None else (*[None] * height, some[-1])
        flow[tuple(reversed(path))] = p.get(value, 0) / total - q.get(value, 0) / n
    cost = 0.0
    for level in range(1, height + 1):
        parents: dict[tuple[str | None, ...], list[float]] = {}
        for path, extra in flow.items():
            parents.setdefault(path[:-1], []).append(extra)
        for children in parents.values():
            up, down = sum(e for e in children if e > 0), -sum(e for e in children if e < 0)
            cost += level / height * min(up, down)
        flow = {path: sum(children) for path, children in parents.items()}
    return cost


def gain(q: Spread, p: Spread) -> float:
    """max (q - p) / p."""
    n, total = sum(q.values()), sum(p.values())
    return max((q[value] / n) / (p[value] / total) - 1 if p.get(value) else math.inf for value in q)


def gain_beyond_cap(q: Spread, p: Spread) -> bool:
    """Whether a value gains more than -ln p."""
    n, total = sum(q.values()), sum(p.values())
    for value, count in q.items():
        share = p.get(value, 0) / total
        if not share or (count / n - share) / share > -math.log(share) + TOLERANCE:
            return True
    return False


def disclosure(q: Spread, p: Spread, skip_zeros: bool) -> float:
    """max |ln(q / p)|, infinite for a value the class lacks unless those are skipped."""
    n, total, worst = sum(q.values()), sum(p.values()), 0.0
    for value in {*p, *q}:
        if not q.get(value):
            if not skip_zeros:
                return math.inf
        elif not p.get(value):
            return math.inf
        else:
            worst = max(worst, abs(math.log((q[value] / n) / (p[value] / total))))
    return worst
