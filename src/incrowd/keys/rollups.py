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
from incrowd.keys.kernels import recode_word, recode_words
from incrowd.keys.table import Int64

Node = tuple[int, ...]
Table = tuple[Int64, Int64]
_WORD = 63  # bits of a word that are used: the sign stays clear


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each field lies in the words: its word, its shift, its mask."""

    where: Int64
    shifts: Int64
    masks: Int64

    @staticmethod
    def of(spans: Sequence[int], lowest_first: Sequence[int]) -> Layout:
        """Fields wide enough for these numbers of codes, laid from the lowest bits of the last word upwards."""
        bits = [max(int(span) - 1, 1).bit_length() for span in spans]
        where, shifts = [0] * len(bits), [0] * len(bits)
        word, used = 0, 0
        for i in lowest_first:
            if used + bits[i] > _WORD:
                word, used = word + 1, 0
            where[i], shifts[i] = word, used
            used += bits[i]
        where = [word - at for at in where]
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
        self._base = self._origin = in_order((words, counts))
        self._root: Node = (0,) * len(steps.levels)
        fields = zip(layout.where.tolist(), layout.shifts.tolist(), layout.masks.tolist(), strict=True)
        self._fields = tuple(fields)
        rows = len(counts)
        self._scratch = np.empty(4 * rows + 16, np.int32), np.empty(rows, np.int64), np.empty(rows, np.int64)
        self._tables: OrderedDict[Node, Table] = OrderedDict()

    @property
    def root(self) -> Node:
        """The node all others are counted from."""
        return self._root

    def raise_root(self, root: Node) -> None:
        """From now on mostly nodes at or above `root` will be asked for: start from its table."""
        if root == self._root:
            return
        # In order, because the blocks that recode_word counts on are those of a sorted table.
        self._base = in_order(self.table(root))
        self._root = root
        stays = [(node, kept) for node, kept in self._tables.items() if _below(root, node)]
        self._tables = OrderedDict(stays)
        self._held = sum(_bytes(kept) for _, kept in stays)

    def table(self, node: Node) -> Table:
        """The classes of a node (words, counts), in no particular order; valid until the next call."""
        table = self.table_unless(node, 0, 0)
        assert table is not None
        return table

    def table_unless(self, node: Node, k: int, allowed: int) -> Table | None:
        """The same, or None where more than `allowed` records are in classes below k and it was seen early."""
        if not _below(self._root, node):
            return self._roll(self._origin, node)
        if node == self._root:
            return self._base
        here, path = self._root, []
        for key in self._order:
            if here[key] != node[key]:
                here = (*here[:key], node[key], *here[key + 1 :])
                path.append((here, key))
        at = len(path)
        while at > 0 and path[at - 1][0] not in self._tables:
            at -= 1
        current = self._base
        if at:
            current = self._tables[path[at - 1][0]]
            self._tables.move_to_end(path[at - 1][0])
        for target, key in path[at:-1]:
            raised = self._raise(current, key, self._root[key], node[key])
            assert raised is not None
            current = raised[0].copy(), raised[1].copy()
            self._hold(target, current)
        if at == len(path):
            return current
        key = path[-1][1]
        return self._raise(current, key, self._root[key], node[key], k, allowed)

    def _roll(self, table: Table, node: Node) -> Table:
        """From level 0 of all keys to a node, nothing kept."""
        for key in self._order:
            if node[key]:
                raised = self._raise(table, key, 0, node[key])
                assert raised is not None
                table = raised[0].copy(), raised[1].copy()
        return table

    def _raise(self, table: Table, key: int, level: int, to: int, k: int = 0, allowed: int = 0) -> Table | None:
        """Raise one key; the result lies in scratch memory."""
        words, counts = table
        step, (where, shift, mask) = self._steps.map(key, level, to), self._fields[key]
        self.rolled += len(counts)
        if len(words) == 1:
            number = recode_word(words[0], counts, shift, mask, step, k, allowed, *self._scratch)
            return None if number < 0 else (self._scratch[1][None, :number], self._scratch[2][:number])
        result: Table = recode_words(words, counts, where, shift, mask, step)
        return result

    def _hold(self, node: Node, table: Table) -> None:
        self._tables[node] = table
        self._held += _bytes(table)
        while self._held > self._memory and len(self._tables) > 1:
            _, old = self._tables.popitem(last=False)
            self._held -= _bytes(old)


def in_order(table: Table) -> Table:
    """The table sorted by its words."""
    words, counts = table
    order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
    return np.ascontiguousarray(words[:, order]), counts[order]


def _bytes(table: Table) -> int:
    return table[0].nbytes + table[1].nbytes


def _below(finer: Node, coarser: Node) -> bool:
    return all(a <= b for a, b in zip(finer, coarser, strict=True))
