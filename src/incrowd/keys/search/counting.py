"""Counting one node: which of its classes fail, and what that costs.

Plain k needs sizes only and is counted on packed classes. The other requirements are asked on the KeyTable of the
node, which is made from rolled-up histogram cells where each person has one record and no population is known,
and by recoding the base table otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.keys.hierarchy import Levels
from incrowd.keys.requirements import K, Requirement, failing_any
from incrowd.keys.search.kernels import tally
from incrowd.keys.search.objective import Count, Yardstick
from incrowd.keys.search.rollups import Layout, Node, Rollups, Steps, in_order
from incrowd.keys.table import Histogram, Int32, Int64, KeyTable, Mask

#: Sums of shares over all records are that exact.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """A node's counts: by the requirements that prune (None where nothing may be concluded), and by all of them."""

    pruning: Count | None
    full: Count | None
    feasible: bool
    hopeless: bool = False  # no finer node is feasible either


class Counter:
    """Counts nodes of one lattice for one set of requirements."""

    def __init__(
        self,
        base: KeyTable,
        levels: Sequence[Levels],
        requirements: Sequence[Requirement],
        yardstick: Yardstick,
        allowed: int,
        memory: int,
    ) -> None:
        self.base, self.levels, self.allowed = base, tuple(levels), allowed
        self.requirements = tuple(requirement.bind(base) for requirement in requirements)
        self.yardstick = yardstick
        plain = [r for r in self.requirements if is_plain_k(r, base)]
        self.k = max((r.k for r in plain if isinstance(r, K)), default=0)
        # A class with fewer than k records has fewer than k people, so sizes prune also where people have several
        # records; but then only the full count decides.
        several = base.pairs is not None
        self.rest = tuple(r for r in self.requirements if several or r not in plain)
        concludes = [r.prunes or (allowed == 0 and r.monotone and base.pairs is None) for r in self.requirements]
        self.prunes = all(concludes)
        self.together = base.pairs is not None or any(not whole(r, base) for r in self.rest)
        self._pruning_rest = tuple(
            r for r, concludes_ in zip(self.requirements, concludes, strict=True) if concludes_ and r in self.rest
        )
        self.steps = Steps(levels)
        self._order = by_entropy(yardstick.margins)
        self._memory = memory
        self._no_extra = np.zeros(len(self.levels))
        present = base.records > 0
        self._spans = [len(domain) for domain in base.domains]
        # The key that is raised first lies lowest: then raising it merges neighbours in the sorted table.
        self.layout = Layout.of(self._spans, self._order)
        codes = base.codes if present.all() else base.codes[:, present]
        words = self.layout.pack(list(codes))
        self.sizes = Rollups(self.steps, self.layout, words, base.records[present], self._order, memory)
        self._cells = {} if self._slow else {n: self._cell_rollups(n) for n in sorted(needed(self.rest))}

    @property
    def _slow(self) -> bool:
        return self.base.pairs is not None or self.base.population is not None

    def raise_root(self, root: Node) -> None:
        """Only nodes at or above `root` will be asked for from now on."""
        for rollups in (self.sizes, *self._cells.values()):
            rollups.raise_root(root)

    def judge(self, node: Node, ceiling: float = np.inf) -> NodeCounts:
        """Count a node; the full count is left out where the pruning one shows that the score reaches `ceiling`."""
        # Sums over records only need to know that a node fails; squares and classes bound other nodes all the same.
        hasty = self.k if self.yardstick.additive else 0
        table = self.sizes.table_unless(node, hasty, self.allowed)
        if table is None:
            return NodeCounts(Count(self.allowed + 1, 0, 0, 0.0, 0.0, self._no_extra), None, False)
        words, counts = table
        by_size = self._tally(node, words, counts, counts < self.k)
        pruning = by_size if self.k else None
        if by_size.suppressed > self.allowed:
            return NodeCounts(pruning, None, False)
        if not self.rest:
            return NodeCounts(by_size, by_size, self._fits(by_size))
        if self.k and self.yardstick.least(node, by_size) >= ceiling:
            return NodeCounts(pruning, None, False)
        return self._judge_fully(node, pruning)

    def _judge_fully(self, node: Node, by_size: Count | None) -> NodeCounts:
        table = self.table(node)
        if self.together or self._slow:
            full, clean = self._settle(node, table)
            return NodeCounts(full if self.prunes else by_size, full, clean and self._fits(full))
        words = self.layout.pack(list(table.codes))
        small = table.records < self.k
        failing = small | failing_any(table, self._pruning_rest)
        pruning = self._tally(node, words, table.records, failing) if self._pruning_rest else by_size
        if pruning is not None and pruning.suppressed > self.allowed:
            return NodeCounts(pruning, None, False)
        if self.prunes:
            assert pruning is not None
            return NodeCounts(pruning, pruning, self._fits(pruning))
        others = [r for r in self.rest if r not in self._pruning_rest]
        doomed = np.max([failing.astype(float), *(r.doomed(table) for r in others)], axis=0)
        if float(table.records @ doomed) > self.allowed + _ROUNDING * (1 + self.yardstick.records):
            return NodeCounts(pruning, None, False, hopeless=True)
        full = self._tally(node, words, table.records, failing | failing_any(table, others))
        return NodeCounts(pruning, full, self._fits(full))

    def _fits(self, count: Count) -> bool:
        return count.suppressed <= self.allowed and (count.kept > 0 or self.yardstick.records == 0)

    def _settle(self, node: Node, table: KeyTable) -> tuple[Count, bool]:
        """Suppress what fails, and again what fails then, until nothing does; False if a gap itself fails."""
        kept = table.records
        current, rows = table, np.arange(len(kept))
        while True:
            failing = failing_any(current, self.requirements)
            if (failing & (current.records == 0)).any():
                everything = np.ones(len(kept), bool)
                return self._tally(node, self.layout.pack(list(table.codes)), table.records, everything), False
            if not failing.any():
                break
            current, rows = _without(current, failing, rows)
        left = np.zeros(len(kept), np.int64)
        left[rows] = current.records
        words = self.layout.pack(list(table.codes))
        gone = self._tally(node, words, kept - left, np.ones(len(kept), bool))
        stay = self._tally(node, words, left, np.zeros(len(kept), bool))
        squares = stay.squares + gone.squares
        return Count(gone.suppressed, gone.failing, stay.kept, squares, gone.squares, gone.extra), True

    def _tally(self, node: Node, words: Int64, counts: Int64, failing: Mask) -> Count:
        field = self.layout
        levels = np.array(node, np.int64)
        extra = self.yardstick.extra
        return Count(
            *tally(words, counts, failing, self.allowed, field.where, field.shifts, field.masks, levels, extra)
        )

    def table(self, node: Node) -> KeyTable:
        """The KeyTable of a node, with the histograms that the requirements need."""
        if self._slow:
            chosen = zip(self.levels, node, strict=True)
            return self.base.recode({key.domain.name: key.recodes[level] for key, level in chosen})
        words, counts = in_order(self.sizes.table(node))
        domains = tuple(key.recodes[level].domain for key, level in zip(self.levels, node, strict=True))
        codes = self._unpack(words)
        histograms = {name: self._histogram(name, node) for name in self._cells}
        return KeyTable(domains, codes, counts, histograms)

    def codes(self, node: Node) -> tuple[Int32, Int64]:
        """The classes of a node, a row of codes for each key, and their records."""
        words, counts = self.sizes.table(node)
        return self._unpack(words), counts

    def _unpack(self, words: Int64) -> Int32:
        return np.array([self.layout.codes(words, i) for i in range(len(self.levels))], np.int32)

    def _cell_rollups(self, name: str) -> Rollups:
        """Histogram cells as packed classes with the value as one more field, the last."""
        classes, values, people = self.base.histograms[name].cells()
        value = len(self._spans)
        layout = Layout.of([*self._spans, len(self.base.histograms[name].domain)], [value, *self._order])
        words = layout.pack([*self.base.codes[:, classes], values])
        return Rollups(self.steps, layout, words, people, self._order, self._memory)

    def _histogram(self, name: str, node: Node) -> Histogram:
        rollups = self._cells[name]
        words, people = in_order(rollups.table(node))
        values = rollups.layout.codes(words, len(node))
        rest = words.copy()
        rest[-1] &= ~rollups.layout.masks[-1]  # the value lies in the lowest bits of the last word
        new = np.ones(words.shape[1], bool)
        new[1:] = (rest[:, 1:] != rest[:, :-1]).any(axis=0)
        return Histogram(self.base.histograms[name].domain, np.cumsum(new) - 1, values.astype(np.int32), people)


def is_plain_k(requirement: Requirement, base: KeyTable) -> bool:
    """Whether it is k-anonymity of all keys and all records."""
    return isinstance(requirement, K) and requirement.where is None and whole(requirement, base)


def whole(requirement: Requirement, base: KeyTable) -> bool:
    """Whether it looks at all keys of the table."""
    return requirement.keys is None or set(requirement.keys) == set(base.names)


def needed(requirements: Sequence[Requirement]) -> set[str]:
    """The histograms these requirements look at."""
    return {name for requirement in requirements for name in requirement.needs_histograms}


def by_entropy(margins: Sequence[Int64]) -> list[int]:
    """The keys by entropy, highest first: raising those first makes the tables small early."""
    entropy = []
    for counts in margins:
        share = counts[counts > 0] / max(int(counts.sum()), 1)
        entropy.append(float(-(share * np.log2(share)).sum()))
    return sorted(range(len(entropy)), key=lambda i: (-entropy[i], i))


def _without(table: KeyTable, failing: Mask, rows: Int64) -> tuple[KeyTable, Int64]:
    """Suppress; with a population the emptied classes stay, since nobody being there tells something too."""
    if table.population is not None and table.pairs is None:
        histograms = {}
        for name, h in table.histograms.items():
            stay = ~failing[h.classes]
            histograms[name] = Histogram(h.domain, h.classes[stay], h.values[stay], h.people[stay])
        return replace(table, records=np.where(failing, 0, table.records), histograms=histograms), rows
    after = table.suppress(failing)
    if table.pairs is None:
        return after, rows[~failing]
    gone = np.unique(table.pairs.units[failing[table.pairs.classes]])
    left = np.zeros(len(rows), np.int64)
    still = ~np.isin(table.pairs.units, gone)
    np.add.at(left, table.pairs.classes[still], table.pairs.records[still])
    return after, rows[left > 0]
