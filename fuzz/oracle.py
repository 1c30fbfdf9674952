"""The privacy models from their definitions, as dumb as possible: Counter, Fraction, one class at a time.

A requirement is what a plan says of it: a mapping with `model` and its fields. Nothing is shared with incrowd.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Cell = str | None
Combination = tuple[Cell, ...]
#: A figure this near to its limit may be judged either way: floating-point numbers are not exact.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Records:
    """Records with, for each, the person whose it is; and what the models compare them with.

    `spread` is how a sensitive variable was spread before anything was suppressed, None where nobody can tell;
    `population` how many people of the population have which combination of all keys.
    """

    rows: Sequence[Mapping[str, Cell]]
    people: Sequence[Hashable]
    keys: tuple[str, ...]
    spread: Mapping[str, Mapping[Cell, int] | None] = field(default_factory=dict)
    population: Mapping[Combination, int] | None = None
    paths: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    def classes(self, keys: Sequence[str]) -> dict[Combination, list[int]]:
        """The numbers of the records of each class."""
        found: dict[Combination, list[int]] = defaultdict(list)
        for number, row in enumerate(self.rows):
            found[tuple(row[key] for key in keys)].append(number)
        return found

    def size(self, members: Sequence[int]) -> int:
        """People among some records."""
        return len({self.people[i] for i in members})

    def values(self, members: Sequence[int], name: str) -> Counter[Cell]:
        """People with each value; missing and empty are one; a person with two values counts for both."""
        return Counter(value for _, value in {(self.people[i], self.rows[i][name] or None) for i in members})


@dataclass(frozen=True)
class Judged:
    """Whether a requirement holds, what the worst class has, and how far that is from the limit."""

    passed: bool
    figure: float | None
    margin: float = math.inf
    failing: frozenset[Combination] = frozenset()

    @property
    def close(self) -> bool:
        """Too near to the limit to blame anybody."""
        return abs(self.margin) < TOLERANCE


class Unjudged(Exception):
    """What the requirement compares with is not known."""


def judge(records: Records, asked: Mapping[str, Any]) -> Judged:
    """Measure one requirement. Raises Unjudged where it cannot be told."""
    keys = tuple(asked.get("keys") or records.keys)
    classes = records.classes(keys)
    if (where := asked.get("where")) is not None:
        meets = [all(row[name] in values for name, values in where.items()) for row in records.rows]
        classes = {c: members for c, members in classes.items() if any(meets[i] for i in members)}
    if asked["model"] in ("k_map", "delta_presence"):
        return _outside(records, asked, keys, classes, where is not None)
    figures = {c: _figure(records, asked, members) for c, members in classes.items()}
    if not figures:
        return Judged(True, None)
    limit, smallest, strict = _rule(asked)
    worst = (min if smallest else max)(figures.values())
    sign = 1 if smallest else -1
    failing = {c for c, f in figures.items() if sign * (f - limit) < 0 or (strict and f == limit)}
    if asked["model"] == "alpha_k":
        failing |= {c for c, members in classes.items() if records.size(members) < int(asked["k"])}
    margins = (abs(float(f) - float(limit)) for f in figures.values())
    whole = asked["model"] in ("k", "weak_k", "distinct_l") or (strict and asked["model"] == "one_sided")
    return Judged(not failing, float(worst), math.inf if whole else min(margins), frozenset(failing))


def _rule(asked: Mapping[str, Any]) -> tuple[Fraction | float, bool, bool]:
    """The limit, whether the smallest figure is the worst, and whether equality breaks it."""
    model = asked["model"]
    field_of = {
        "k": "k", "weak_k": "k", "distinct_l": "l", "entropy_l": "l", "recursive_l": "c", "one_sided": "alpha",
        "alpha_k": "alpha", "t": "t", "beta": "beta", "enhanced_beta": "beta", "delta_disclosure": "delta",
    }  # fmt: skip
    limit = Fraction(str(asked.get(field_of[model], "1")))
    smallest = model in ("k", "weak_k", "distinct_l", "entropy_l")
    strict = model in ("recursive_l", "delta_disclosure") or (model == "one_sided" and limit == 1)
    return limit, smallest, strict


def _figure(records: Records, asked: Mapping[str, Any], members: Sequence[int]) -> Fraction | float:
    """What one class has."""
    model = asked["model"]
    size = records.size(members)
    if model in ("k", "weak_k"):
        return Fraction(size)
    q = records.values(members, asked["sensitive"])
    match model:
        case "distinct_l":
            return Fraction(len(q))
        case "entropy_l":
            return math.exp(-sum(n / q.total() * math.log(n / q.total()) for n in q.values()))
        case "recursive_l":
            counts = sorted(q.values(), reverse=True)
            rest = sum(counts[int(asked["l"]) - 1 :])
            return Fraction(counts[0], rest) if rest else math.inf
        case "one_sided":
            return Fraction(q[asked["value"] or None], size)
        case "alpha_k":
            return Fraction(max(q.values()), size)
    p = records.spread.get(asked["sensitive"])
    if p is None:
        raise Unjudged(asked["sensitive"])
    return _likeness(records, asked, q, p)


def _likeness(
    records: Records, asked: Mapping[str, Any], q: Mapping[Cell, int], p: Mapping[Cell, int]
) -> Fraction | float:
    ours = {value: Fraction(n, sum(q.values())) for value, n in q.items()}
    whole = {value: Fraction(n, sum(p.values())) for value, n in p.items() if n}
    model = asked["model"]
    if model == "t":
        return _distance(records, asked, ours, whole)
    if any(value not in whole for value in ours):
        return math.inf
    if model in ("beta", "enhanced_beta"):
        gains = {value: share / whole[value] - 1 for value, share in ours.items()}
        if model == "enhanced_beta" and any(g > -math.log(whole[v]) + TOLERANCE for v, g in gains.items()):
            return math.inf
        return max(gains.values())
    if not asked.get("skip_zeros") and set(whole) - set(ours):
        return math.inf
    return max(abs(math.log(share / whole[value])) for value, share in ours.items())


def _distance(
    records: Records, asked: Mapping[str, Any], q: Mapping[Cell, Fraction], p: Mapping[Cell, Fraction]
) -> Fraction:
    moved = {value: p.get(value, Fraction()) - q.get(value, Fraction()) for value in {*p, *q}}
    distance = asked.get("distance", "equal")
    if distance == "equal":
        return sum((abs(flow) for flow in moved.values()), Fraction()) / 2
    if distance == "hierarchical":
        return _tree_distance(moved, records.paths[asked["sensitive"]])
    there = [value for value in p if value is not None]
    if asked.get("order") is not None:
        there.sort(key=list(asked["order"]).index)
    elif distance == "ordered-text":
        there.sort()
    else:
        there.sort(key=float)
        if len({float(value) for value in there}) < len(there):
            raise Unjudged("two texts of one number have no order")
    row: list[Cell] = [None, *there] if None in p else [*there]
    running, total = Fraction(), Fraction()
    for value in row:
        running += moved[value]
        total += abs(running)
    return total / max(len(row) - 1, 1)


def _tree_distance(moved: Mapping[Cell, Fraction], paths: Mapping[str, Sequence[str]]) -> Fraction:
    """sum over inner nodes of (height / H) * min(inflow, outflow) of their children."""
    some = next(iter(paths.values()))
    height, total = len(some) - 1, Fraction()
    flow = {}
    for value, amount in moved.items():
        path = tuple(paths[value]) if value is not None else (None,) * height + (some[-1],)
        flow[path] = amount
    for level in range(1, height + 1):
        above: dict[tuple[Cell, ...], list[Fraction]] = defaultdict(list)
        for path, amount in flow.items():
            above[path[1:]].append(amount)
        for amounts in above.values():
            into = sum((a for a in amounts if a > 0), Fraction())
            out = -sum((a for a in amounts if a < 0), Fraction())
            total += Fraction(level, height) * min(into, out)
        flow = {path: sum(amounts, Fraction()) for path, amounts in above.items()}
    return total


def _outside(
    records: Records,
    asked: Mapping[str, Any],
    keys: Sequence[str],
    classes: Mapping[Combination, list[int]],
    some: bool,
) -> Judged:
    """k-map and delta-presence: the classes of the population on these keys."""
    if records.population is None:
        raise Unjudged("population")
    at = [records.keys.index(key) for key in keys]
    outside: Counter[Combination] = Counter()
    for combination, people in records.population.items():
        outside[tuple(combination[i] for i in at)] += people
    if asked["model"] == "k_map":
        worst = min(outside[c] for c in classes)
        failing = frozenset(c for c in classes if outside[c] < int(asked["k"]))
        return Judged(not failing, float(worst), failing=failing)
    low, high = Fraction(str(asked["dmin"])), Fraction(str(asked["dmax"]))
    wanted = set(classes) if some else {*classes, *(c for c, people in outside.items() if people)}
    shares = {c: Fraction(records.size(classes.get(c, [])), outside[c]) if outside[c] else math.inf for c in wanted}
    failing = frozenset(c for c, share in shares.items() if not low <= share <= high)
    margin = min(min(abs(float(s) - float(low)), abs(float(s) - float(high))) for s in shares.values())
    return Judged(not failing, float(max(shares.values())), margin, failing)
