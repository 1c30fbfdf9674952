"""The walk through the lattice: down from the top to a good node, then over every node that may be better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from time import monotonic

import numpy as np

from incrowd.keys.search.bounds import KnownBounds
from incrowd.keys.search.counting import Counter, NodeCounts
from incrowd.keys.search.margins import Margins
from incrowd.keys.search.objective import Count
from incrowd.keys.search.rollups import Node

_TIDY = 64  # counts between two looks at which nodes are left
_WORTH = 4  # nodes left for each marginal, below which looking at the nodes themselves is quicker


@dataclass(frozen=True)
class Progress:
    """How far a search is: nodes counted so far, nodes that may still matter (None: not known), best score so far."""

    counted: int
    open: int | None
    best: float


class Walk:
    """One search: what was counted, what is known from it, and the best node so far."""

    def __init__(
        self, counter: Counter, time_limit: float | None = None, progress: Callable[[Progress], None] | None = None
    ) -> None:
        self.counter = counter
        self.yardstick = counter.yardstick
        self.known = KnownBounds(self.yardstick, len(counter.levels))
        self.top: Node = tuple(key.height for key in counter.levels)
        self.counted = 0
        self.best = np.inf
        self.node: Node | None = None
        self.count: Count | None = None
        self._deadline = None if time_limit is None else monotonic() + time_limit
        self._progress = progress
        self._seen: dict[Node, bool] = {}

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self._deadline is not None and monotonic() > self._deadline

    def visit(self, node: Node) -> bool:
        """Count a node and learn from it; whether it is feasible."""
        if node in self._seen:
            return self._seen[node]
        ceiling = self.best if node != self.top else np.inf
        verdict = self.counter.judge(node, ceiling)
        self.counted += 1
        self._learn(node, verdict)
        if verdict.feasible and verdict.full is not None:
            score = self.yardstick.score(node, verdict.full)
            if score < self.best:
                self.best, self.node, self.count = score, node, verdict.full
        self._seen[node] = verdict.feasible
        return verdict.feasible

    def _learn(self, node: Node, verdict: NodeCounts) -> None:
        pruning, full = verdict.pruning, verdict.full
        fails = verdict.hopeless or (pruning is not None and pruning.suppressed > self.counter.allowed)
        # Where people have several records a class can lose some of its people, and squares and classes of a node
        # say nothing about another's.
        sure = self.counter.base.pairs is None or self.yardstick.additive
        whole = full if full is not None else pruning
        self.known.add(node, fails, verdict.feasible, pruning if sure else None, whole if sure else None)

    def rule_out(self, nodes: np.ndarray) -> np.ndarray:
        """Learn from small marginals, of one key, then two, then three; gives the nodes that are left."""
        if not self.counter.k:
            return nodes
        margins = Margins(self.counter.steps, self.counter.k, self.counter.allowed)
        for size in (1, 2, 3):
            if comb(len(self.top), size) * _WORTH > len(nodes):
                break
            self._look_at(margins, size)
            left = nodes[self.known.spared(nodes)]
            if 0 < len(left) < len(nodes):
                nodes = left
                self.counter.raise_root(tuple(nodes.min(axis=0).tolist()))
        return nodes

    def _look_at(self, margins: Margins, size: int) -> list[Node]:
        start = margins.start(self.counter.sizes.root, size)
        failing = margins.failing(*self.counter.codes(start), start, size)
        for node in failing:
            self.known.add(node, True)
        self.counted += len(failing)
        return failing

    def rule_out_levels(self) -> None:
        """Learn from marginals without a list of nodes: what one key alone cannot have need not be counted."""
        if not self.counter.k:
            return
        margins = Margins(self.counter.steps, self.counter.k, self.counter.allowed)
        lowest = list(self.counter.sizes.root)
        for node in self._look_at(margins, 1):
            for i, level in enumerate(node):
                if level < self.top[i]:
                    lowest[i] = max(lowest[i], level + 1)
        self.counter.raise_root(tuple(lowest))
        self._look_at(margins, 2)

    def descend(self, here: Node, rng: np.random.Generator | None = None) -> None:
        """From a node down, always to the feasible child that promises the least score, until there is none.

        With `rng` the children are tried in random order instead.
        """
        while not self.late:
            children = [(*here[:i], here[i] - 1, *here[i + 1 :]) for i in range(len(here)) if here[i] > 0]
            children = [child for child in children if child not in self._seen and not self.known.rules_out(child)]
            promise = self.yardstick.start(np.array(children, np.int8).reshape(-1, len(here)))
            order = np.argsort(promise, kind="stable") if rng is None else rng.permutation(len(children))
            for at in order:
                if self.visit(children[at]):
                    here = children[at]
                    break
            else:
                return

    def sweep(self, nodes: np.ndarray, starts: np.ndarray) -> float:
        """Visit every node that may beat the best, coarsest loss first; gives a bound below all nodes.

        A node that fails rules out all finer ones, so the order from high base to low decides most nodes before
        their turn comes. The bound equals the best score unless the time ran out.
        """
        order = np.argsort(-starts, kind="stable")
        nodes, starts = nodes[order], starts[order]
        at, since = 0, _TIDY
        while True:
            if since >= _TIDY:
                nodes, starts = self._tidy(nodes[at:], starts[at:])
                at, since = 0, 0
            at = self.known.next_open(nodes, starts, at, self.best)
            if at == len(nodes):
                return self.best
            if self.late:
                return self.known.least_open(nodes, starts, at, self.best)
            counted = self.counted
            if not self._try_both(nodes, starts, at):
                self._visit_and_descend(tuple(nodes[at].tolist()))
                at += 1
            since += self.counted - counted

    def _try_both(self, nodes: np.ndarray, starts: np.ndarray, at: int) -> bool:
        """Count the finest node above this one and the next that is open; whether one was counted.

        If it fails, one count of a smaller table has decided both and more. If not, it may be better than the best,
        and what it suppresses raises the bounds of both.
        """
        if not self.counter.prunes:
            return False
        after = self.known.next_open(nodes, starts, at + 1, self.best)
        if after == len(nodes):
            return False
        both = tuple(np.maximum(nodes[at], nodes[after]).tolist())
        if both in self._seen or self.known.lets_pass(both):
            return False
        self._visit_and_descend(both)
        return True

    def _visit_and_descend(self, node: Node) -> None:
        """Visit a node; if it is better than all before, there may be more of that below."""
        self.visit(node)
        if node == self.node:
            self.descend(node)

    def _tidy(self, nodes: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Drop nodes that are out of question, and start counting from the finest table still needed."""
        stay = starts < self.best
        nodes, starts = nodes[stay], starts[stay]
        stay = self.known.spared(nodes)
        nodes, starts = nodes[stay], starts[stay]
        if len(nodes):
            self.counter.raise_root(tuple(nodes.min(axis=0).tolist()))
        self.report(len(nodes))
        return nodes, starts

    def report(self, open_: int | None = None) -> None:
        """Tell whoever asked how far the search is."""
        if self._progress is not None:
            self._progress(Progress(self.counted, open_, self.best))
