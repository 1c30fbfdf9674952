"""The proven optimum over the lattice of whole-variable recodings.

A node of the lattice gives each key a level of its hierarchy. The search has three parts, and each makes the next
one shorter: small marginals rule out levels; a greedy way down from the top finds a good node; then every node whose
bound is below the best score is visited, coarsest loss first, and most of them fall to a node counted before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchy import Levels
from incrowd.keys.loss import arithmetic, geometric
from incrowd.keys.requirements import K, Requirement
from incrowd.keys.search.anytime import bound_by_groups, improve
from incrowd.keys.search.counting import Counter, is_plain_k, whole
from incrowd.keys.search.objective import Objective, Yardstick
from incrowd.keys.search.rollups import Node
from incrowd.keys.search.walk import Progress, Walk
from incrowd.keys.table import KeyTable

EXPLICIT = 4_000_000  # nodes that are listed one by one (some 100 MB); a larger lattice is searched without a list
MEMORY = 256 << 20  # bytes of tables kept for roll-ups


@dataclass(frozen=True)
class LatticeSearch:
    """What a search found. `proven` says that no node of the lattice scores less; otherwise `bound` is below all."""

    levels: Mapping[str, int]
    objective: Objective
    score: float
    loss_arithmetic: float
    loss_geometric: float
    suppressed: int
    classes: int
    nodes: int
    counted: int
    proven: bool
    bound: float

    @property
    def gap(self) -> float:
        """By how much the optimum can be below this score, at most."""
        return max(self.score - self.bound, 0.0)


def search(
    base: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    *,
    suppression: float = 0.0,
    objective: Objective | str = Objective.GEOMETRIC,
    weights: Mapping[str, float] | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    memory: int = MEMORY,
) -> LatticeSearch:
    """Which levels cost least, so that all requirements hold once at most this share of the records is suppressed?

    `base` counts all keys at level 0; `levels` has one entry a key, in the same order. Records in classes that fail
    are suppressed. Raises NotReleasable (R010) where no node satisfies the requirements.

    Misleads where requirements look at different keys: suppressing for one changes the other, the search repeats it
    until nothing fails, but suppressing fewer records another way may be possible; then `proven` is False.
    References: Kohlmayer et al. 2012 (Flash), LeFevre et al. 2005 (Incognito).
    """
    counter = _counter(base, levels, requirements, suppression, Objective(objective), weights, memory)
    walk = Walk(counter, time_limit, progress)
    if not walk.visit(walk.top) and counter.prunes:
        raise not_releasable(counter, walk.top)
    if prod(height + 1 for height in walk.top) <= EXPLICIT:
        nodes = walk.rule_out(all_nodes(walk.top))
        walk.descend(walk.top)
        bound = walk.sweep(nodes, counter.yardstick.start(nodes))
    else:
        walk.rule_out_levels()
        walk.descend(walk.top)
        bound = _bound(counter, suppression, weights, time_limit)
        improve(walk, time_limit is not None)
    if walk.node is None:
        if walk.late:
            raise NotReleasable("R011", "The time ran out before a recoding was found.", "Allow more time.")
        raise not_releasable(counter, walk.top)
    return result(walk, min(bound, walk.best))


def _bound(
    counter: Counter, suppression: float, weights: Mapping[str, float] | None, time_limit: float | None
) -> float:
    """A bound for a lattice that is too large to list, from exact searches on groups of keys."""
    part_time = None if time_limit is None else time_limit / 10

    def optimum(group: list[int]) -> float:
        names = [counter.base.names[i] for i in group]
        part = replace(counter.base, histograms={}, pairs=None, population=None).project(names)[0]
        own = {name: weights[name] for name in names if name in weights} if weights else None
        try:
            return search(
                part,
                [counter.levels[i] for i in group],
                [K(max(counter.k, 1))],
                suppression=suppression,
                objective=counter.yardstick.objective,
                weights=own,
                time_limit=part_time,
            ).bound
        except NotReleasable:
            return 0.0

    return bound_by_groups(counter.yardstick, [key.height for key in counter.levels], optimum)


def measure_levels(
    base: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    chosen: Mapping[str, int],
    *,
    suppression: float = 0.0,
    objective: Objective | str = Objective.GEOMETRIC,
    weights: Mapping[str, float] | None = None,
) -> LatticeSearch:
    """What do given levels cost? The same figures as a search that has only this node to choose from.

    For levels that a plan pins. Raises NotReleasable (R010) where they do not satisfy the requirements.
    """
    counter = _counter(base, levels, requirements, suppression, Objective(objective), weights, MEMORY)
    walk = Walk(counter)
    node = tuple(chosen[name] for name in base.names)
    for name, level, key in zip(base.names, node, levels, strict=True):
        if level > key.height:
            message = f"the hierarchy of {name!r} has no level {level}: its highest is {key.height}."
            raise InputError("D313", message, "Pin a level that it has.")
    if not walk.visit(node):
        raise not_releasable(counter, node)
    return replace(result(walk, -np.inf), nodes=1)


def _counter(
    base: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    suppression: float,
    objective: Objective,
    weights: Mapping[str, float] | None,
    memory: int,
) -> Counter:
    """Refuse what cannot be meant, and fit the objective and the requirements to the table."""
    if tuple(key.domain.name for key in levels) != base.names:
        raise ValueError("levels must be given for the keys of the table, in their order")
    if any(len(np.unique(key.recodes[0].codes)) != len(key.domain) for key in levels):
        raise ValueError("level 0 of a key must be its values themselves: recode the table first")
    if not 0 <= suppression <= 1:
        raise ValueError("suppression is a share of the records, between 0 and 1")
    plain = [r.k for r in requirements if isinstance(r, K) and is_plain_k(r, base)]
    yardstick = Yardstick.of(objective, base, levels, weights, max([1, *plain]))
    allowed = int(np.floor(suppression * yardstick.records + 1e-9))
    return Counter(base, levels, requirements, yardstick, allowed, memory)


def all_nodes(top: Node) -> np.ndarray:
    """Every node, one row each."""
    return np.indices([height + 1 for height in top], dtype=np.int8).reshape(len(top), -1).T.copy()


def result(walk: Walk, bound: float) -> LatticeSearch:
    """The best node of a walk, with its losses."""
    counter, node, full = walk.counter, walk.node, walk.count
    assert node is not None
    assert full is not None
    yardstick = counter.yardstick
    if yardstick.objective not in (Objective.ARITHMETIC, Objective.GEOMETRIC):
        counter = copy(counter)
        counter.yardstick = Yardstick.of(Objective.ARITHMETIC, counter.base, counter.levels)
        again = counter.judge(node).full
        assert again is not None
        per_key = counter.yardstick.per_key(node, again)
    else:
        per_key = yardstick.per_key(node, full)
    single = all(whole(requirement, counter.base) for requirement in counter.requirements)
    return LatticeSearch(
        levels=dict(zip(counter.base.names, node, strict=True)),
        objective=yardstick.objective,
        score=walk.best,
        loss_arithmetic=float(arithmetic(per_key)),
        loss_geometric=float(geometric(per_key)),
        suppressed=full.suppressed,
        classes=full.kept,
        nodes=prod(height + 1 for height in walk.top),
        counted=walk.counted,
        proven=bound >= walk.best and single,
        bound=bound,
    )


def not_releasable(counter: Counter, node: Node) -> NotReleasable:
    """Which requirement fails at a node, mostly the top, and by how much."""
    table = counter.table(node)
    total = max(int(table.records.sum()), 1)
    parts = []
    for requirement in counter.requirements:
        failing = int(table.records[requirement.failing(table)].sum())
        if failing > counter.allowed:
            reached = requirement.achieved(table)
            value = "nothing" if reached is None else f"{reached:.4g}"
            words = f"'{requirement.describe()}' reaches {value} and fails for {failing / total:.1%} of the records"
            parts.append(words)
    highest = all(level == key.height for level, key in zip(node, counter.levels, strict=True))
    place = "Even with every key at its highest level" if highest else "With the levels given"
    what = "; ".join(parts) or "the requirements hold one by one, but not together"
    return NotReleasable(
        "R010",
        f"{place}: {what}. At most {counter.allowed / total:.1%} may be suppressed.",
        "Lower the requirement, drop a key, or allow more suppression.",
    )
