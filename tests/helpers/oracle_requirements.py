"""The requirements once more, in plain Python from their definitions: exact fractions, no shortcuts.

A table is a list of classes, a class a dict from sensitive value to people. Figures that are fractions stay fractions;
only logarithms are floats.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Class = dict[str, int]
Tables = list[Class]


def whole(classes: Sequence[Class]) -> Class:
    total: Counter[str] = Counter()
    for one in classes:
        total.update(one)
    return dict(total)


def shares(counts: Class) -> dict[str, Fraction]:
    n = sum(counts.values())
    return {value: Fraction(count, n) for value, count in counts.items()}


def entropy_passes(one: Class, l: Fraction) -> bool:  # noqa: E741
    """exp(H) >= l in whole numbers: s^s / prod c^c >= l^s."""
    s = sum(one.values())
    return Fraction(s**s, math.prod(c**c for c in one.values())) >= l**s


def entropy(one: Class) -> float:
    return math.exp(-math.fsum(float(q) * math.log(q) for q in shares(one).values()))


def recursive(one: Class, l: int) -> Fraction | float:  # noqa: E741
    counts = sorted(one.values(), reverse=True)
    tail = sum(counts[l - 1 :])
    return Fraction(counts[0], tail) if tail else math.inf


def equal_distance(one: Class, p: dict[str, Fraction]) -> Fraction:
    q = shares(one)
    return sum((abs(p[v] - q.get(v, 0)) for v in p), Fraction()) / 2


def ordered_distance(one: Class, p: dict[str, Fraction], order: Sequence[str]) -> Fraction:
    q, m = shares(one), len(order)
    if m == 1:
        return Fraction()
    running, total = Fraction(), Fraction()
    for value in order:
        running += p[value] - q.get(value, 0)
        total += abs(running)
    return total / (m - 1)


def tree_distance(one: Class, p: dict[str, Fraction], rows: Sequence[Sequence[str]]) -> Fraction:
    """Li et al.'s formula, node by node; a node is a path from the top."""
    q, height = shares(one), len(rows[0]) - 1
    extra: dict[tuple[str, ...], Fraction] = {}
    for row in rows:
        extra[tuple(reversed(row))] = p.get(row[0], Fraction()) - q.get(row[0], Fraction())
    cost = Fraction()
    for h in range(1, height + 1):
        above: dict[tuple[str, ...], list[Fraction]] = {}
        for path, amount in extra.items():
            above.setdefault(path[:-1], []).append(amount)
        for children in above.values():
            positive = sum((e for e in children if e > 0), Fraction())
            negative = sum((-e for e in children if e < 0), Fraction())
            cost += Fraction(h, height) * min(positive, negative)
        extra = {path: sum(children, Fraction()) for path, children in above.items()}
    return cost


def gain(one: Class, p: dict[str, Fraction]) -> Fraction:
    q = shares(one)
    return max((q.get(v, 0) - p[v]) / p[v] for v in p)


def enhanced_gain(one: Class, p: dict[str, Fraction]) -> Fraction | float:
    q = shares(one)
    beyond = any(float((q.get(v, 0) - p[v]) / p[v]) > -math.log(p[v]) * (1 + 1e-12) for v in p)
    return math.inf if beyond else gain(one, p)


def disclosure(one: Class, p: dict[str, Fraction], skip_zeros: bool) -> float:
    q = shares(one)
    if not skip_zeros and len(q) < len(p):
        return math.inf
    return max(abs(math.log(q[v] / p[v])) for v in q)
