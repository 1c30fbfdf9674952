"""Roll-ups: the table of any node of the lattice, counted from the smallest table that leads there.

A node's path raises one key after another, widest key first, from the root to its level; nodes share the tables
of their common beginnings, so most nodes cost one pass over a table hardly larger than their own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Levels
from incrowd.keys.kernels import roll_up
from incrowd.keys.table import Int64

Node = tuple[int, ...]
_WORD = 63  # bits of a word that are used: the sign stays clear


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each field lies in the words: its word, its shift, its mask."""

    where: Int64
    shifts: Int64
    masks: Int64

    @staticmethod
    def of(spans: Sequence[int]) -> Layout:
        """Fields wide enough for these numbers of codes; the last field gets the lowest bits of the last word."""
        bits = [max(int(span) - 1, 1).bit_length() for span in spans]
        where, word, room = [], 0, _WORD
        for width in bits:
            if width > room:
                word, room = word + 1, _WORD
            where.append(word)
            room -= width
        shifts, below = [0] * len(bits), dict.fromkeys(range(word + 1), 0)
        for i in reversed(range(len(bits))):
            shifts[i] = below[where[i]]
            below[where[i]] += bits[i]
        masks = [(1 << width) - 1 for width in bits]
        return Layout(np.array(where, np.int64), np.array(shifts, np.int64), np.array(masks, np.int64))

    def pack(self, columns: Sequence[Int64 | np.ndarray]) -> Int64:
        """Codes to words."""
        words = np.zeros((int(self.where.max(initial=0)) + 1, len(columns[0])), np.int64)
        for i, column in enumerate(columns):
            words[self.where[i]] |= column.astype(np.int64) << self.shifts[i]
        return words

    def codes(self, words: Int64, field: int) -> Int64:
        """One field's codes."""
        result: Int64 = (words[self.where[field]] >> self.shifts[field]) & self.masks[field]
        return result


class Steps:
    """How to get from one level of a key to a coarser one: a map of codes, made when first asked for."""

    def __init__(self, levels: Sequence[Levels]) -> None:
        self.levels = tuple(levels)
        self._maps: dict[tuple[int, int, int], Int64] = {}
        for key in self.levels:
            for finer, coarser in zip(key.recodes, key.recodes[1:], strict=False):
                reached = np.zeros(len(finer.domain), np.int64)
                reached[finer.codes] = coarser.codes
                if (reached[finer.codes] != coarser.codes).any():
                    raise InputError(
                        "D031",
                        f"The hierarchy of {key.domain.name!r} is not nested: two values that are one at some level"
                        " are two again at a higher one.",
                        "Let each value of a level have one value at the next (`incrowd hierarchy` shows where).",
                    )

    def map(self, key: int, level: int, to: int) -> Int64:
        """The code at level `to` of each code at `level`."""
        if (key, level, to) not in self._maps:
            finer, coarser = self.levels[key].recodes[level], self.levels[key].recodes[to]
            reached = np.zeros(len(finer.domain), np.int64)
            reached[finer.codes] = coarser.codes
            self._maps[key, level, to] = reached
        return self._maps[key, level, to]


class Rollups:
    """Tables of classes by node, least recently used ones forgotten when they take more than `memory` bytes."""

    def __init__(
        self, steps: Steps, layout: Layout, words: Int64, counts: Int64, order: Sequence[int], memory: int
    ) -> None:
        self.layout = layout
        self.rolled = 0  # rows passed over, the measure of work
        self._steps = steps
        self._order = tuple(order)
        self._memory = memory
        self._held = 0
        self._base = self._origin = (words, counts)
        self._root: Node = (0,) * len(steps.levels)
        self._tables: OrderedDict[Node, tuple[Int64, Int64]] = OrderedDict()

    def root(self) -> tuple[Node, Int64, Int64]:
        """The root, its codes by key, and its counts."""
        words, counts = self._base
        codes = np.array([self.layout.codes(words, i) for i in range(len(self._root))])
        return self._root, codes, counts

    def raise_root(self, root: Node) -> None:
        """From now on mostly nodes at or above `root` will be asked for: start from its table."""
        if root == self._root:
            return
        table = self.table(root)
        self._root, self._base = root, table
        stays = [(node, kept) for node, kept in self._tables.items() if _below(root, node)]
        self._tables = OrderedDict(stays)
        self._held = sum(_bytes(kept) for _, kept in stays)

    def table(self, node: Node) -> tuple[Int64, Int64]:
        """The classes of a node (words, counts), in no particular order."""
        if not _below(self._root, node):
            return self._roll(self._origin, (0,) * len(node), node)
        path = [self._root]
        for key in self._order:
            if path[-1][key] != node[key]:
                path.append((*path[-1][:key], node[key], *path[-1][key + 1 :]))
        at = len(path) - 1
        while at > 0 and path[at] not in self._tables:
            at -= 1
        current = self._base if at == 0 else self._tables[path[at]]
        if at:
            self._tables.move_to_end(path[at])
        for source, target in zip(path[at:], path[at + 1 :], strict=False):
            current = self._roll(current, source, target)
            self._hold(target, current)
        return current

    def _roll(self, table: tuple[Int64, Int64], source: Node, target: Node) -> tuple[Int64, Int64]:
        changed = [i for i in range(len(source)) if source[i] != target[i]]
        if not changed:
            return table
        maps = [self._steps.map(i, source[i], target[i]) for i in changed]
        starts = np.cumsum([0, *(len(part) for part in maps[:-1])])
        field = self.layout
        self.rolled += len(table[1])
        return roll_up(
            *table, field.where[changed], field.shifts[changed], field.masks[changed], starts, np.concatenate(maps)
        )

    def _hold(self, node: Node, table: tuple[Int64, Int64]) -> None:
        self._tables[node] = table
        self._held += _bytes(table)
        while self._held > self._memory and len(self._tables) > 1:
            _, old = self._tables.popitem(last=False)
            self._held -= _bytes(old)


def _bytes(table: tuple[Int64, Int64]) -> int:
    return table[0].nbytes + table[1].nbytes


def _below(finer: Node, coarser: Node) -> bool:
    return all(a <= b for a, b in zip(finer, coarser, strict=True))
