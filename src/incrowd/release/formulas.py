"""The privacy models once more, for the gate: one class at a time, straight from their definitions.

Plain on purpose. Nothing here is shared with keys/requirements, which decided what to suppress; the two must
agree, and where they do not, nothing is released.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

from incrowd.plan import requirements as asked
from incrowd.release.judge import TOLERANCE, Case, Judgement, Spread, judges, least, most


@judges(asked.K, asked.WeakK)
def _k(requirement: asked.K | asked.WeakK, case: Case) -> Judgement:
    if case.concerned is None:
        return least(requirement.k, [case.count.smallest(case.keys)])
    people = case.count.people(case.keys)
    return least(requirement.k, [people[c] for c in case.bound(people)])


@judges(asked.KMap)
def _k_map(requirement: asked.KMap, case: Case) -> Judgement:
    outside = case.population()
    return least(requirement.k, [outside.get(c, 0) for c in case.bound(case.count.people(case.keys))])


@judges(asked.DeltaPresence)
def _delta_presence(requirement: asked.DeltaPresence, case: Case) -> Judgement:
    """The share that is nearest to a bound, or furthest beyond one. A lower bound of 0 cannot be broken."""
    outside, people = case.population(), case.count.people(case.keys)
    lowest, highest = requirement.dmin, requirement.dmax
    found: list[tuple[float, bool, float]] = []  # how far beyond which bound, and the share
    for combination in case.bound({*people, *outside}):
        share = people.get(combination, 0) / outside[combination] if outside.get(combination) else math.inf
        found.append((share - highest, False, share))
        if lowest > 0:
            found.append((lowest - share, True, share))
    if not found:
        return Judgement(True, highest, None)
    beyond, lower, share = max(found, key=lambda each: each[0])
    return Judgement(beyond <= TOLERANCE, lowest if lower else highest, share, lower)


@judges(asked.DistinctL)
def _distinct_l(requirement: asked.DistinctL, case: Case) -> Judgement:
    return least(requirement.l, case.figures(requirement.sensitive, lambda _, q: len(q)))


@judges(asked.EntropyL)
def _entropy_l(requirement: asked.EntropyL, case: Case) -> Judgement:
    return least(requirement.l, case.figures(requirement.sensitive, lambda _, q: entropy_l(q)))


@judges(asked.RecursiveL)
def _recursive_l(requirement: asked.RecursiveL, case: Case) -> Judgement:
    figures = case.figures(requirement.sensitive, lambda _, q: recursive_c(q, requirement.l))
    return most(requirement.c, figures, strict=True)


@judges(asked.OneSided)
def _one_sided(requirement: asked.OneSided, case: Case) -> Judgement:
    shares = case.figures(requirement.sensitive, lambda n, q: q.get(requirement.value, 0) / n)
    return most(requirement.alpha, shares, strict=requirement.alpha >= 1)


@judges(asked.AlphaK)
def _alpha_k(requirement: asked.AlphaK, case: Case) -> Judgement:
    smallest = least(requirement.k, case.figures(requirement.sensitive, lambda n, _: n))
    largest = most(requirement.alpha, case.figures(requirement.sensitive, lambda n, q: max(q.values()) / n))
    return Judgement(largest.passed and smallest.passed, largest.limit, largest.achieved)


@judges(asked.TCloseness)
def _t(requirement: asked.TCloseness, case: Case) -> Judgement:
    p, distance = case.whole(requirement.sensitive), requirement.distance
    in_order = InOrder(p, value_order(p, distance, requirement.order)) if distance.startswith("ordered") else None

    def moved(_: int, q: Spread) -> float:
        match distance:
            case "equal":
                return equal_distance(q, p)
            case "hierarchical":
                return hierarchical_distance(q, p, case.known.paths[requirement.sensitive])
            case "ordered" | "ordered-text":
                assert in_order is not None
                return in_order.distance(q)

    return most(requirement.t, case.figures(requirement.sensitive, moved))


@judges(asked.Beta)
def _beta(requirement: asked.Beta, case: Case) -> Judgement:
    p, capped = case.whole(requirement.sensitive), requirement.model == "enhanced_beta"
    gains = case.figures(
        requirement.sensitive, lambda _, q: math.inf if capped and gain_beyond_cap(q, p) else gain(q, p)
    )
    return most(requirement.beta, gains)


@judges(asked.DeltaDisclosure)
def _delta_disclosure(requirement: asked.DeltaDisclosure, case: Case) -> Judgement:
    p = case.whole(requirement.sensitive)
    disclosed = case.figures(requirement.sensitive, lambda _, q: disclosure(q, p, requirement.skip_zeros))
    return most(requirement.delta, disclosed, strict=True)


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


class InOrder:
    """sum_i |sum_{j<=i} (p_j - q_j)| / (m - 1), for one p and many q.

    The whole file may have as many values as people, and a class has few. Between two values of the class its running
    sum stays, while that of the file only grows: so the absolute values change their sign once in between, and sums of
    the file's running sum, made once, give both parts.
    """

    def __init__(self, p: Spread, order: Sequence[str | None]) -> None:
        total = sum(p.values())
        self._place = {value: i for i, value in enumerate(order)}
        self._running = [sum_ / total for sum_ in accumulate(p.get(value, 0) for value in order)]
        self._sums = [0.0, *accumulate(self._running)]

    def distance(self, q: Spread) -> float:
        """How far a class is from the file; a value that the file never had is as far as can be."""
        if not q.keys() <= self._place.keys():
            return math.inf
        n, number, moved, reached, begin = sum(q.values()), len(self._running), 0.0, 0, 0
        for value in sorted(q, key=self._place.__getitem__):
            at = self._place[value]
            moved += self._between(begin, at, reached / n)
            reached, begin = reached + q[value], at
        return (moved + self._between(begin, number, reached / n)) / max(number - 1, 1)

    def _between(self, begin: int, end: int, level: float) -> float:
        """sum of |running - level| over these places."""
        turn = bisect_left(self._running, level, begin, end)
        below = level * (turn - begin) - (self._sums[turn] - self._sums[begin])
        return below + (self._sums[end] - self._sums[turn]) - level * (end - turn)


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
