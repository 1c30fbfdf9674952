"""Roll-ups: the table of any node of the lattice, counted from the smallest table that leads there.

From the root, the first keys (the widest) are raised one after the other, and nodes share these tables; the other keys
are raised in one pass. So most nodes cost one pass over a table not much larger than their own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Levels
from incrowd.keys.search.kernels import recode_word, recode_words
from incrowd.keys.table import Int64

Node = tuple[int, ...]
Table = tuple[Int64, Int64]
_SHARED = 3  # keys whose tables are kept: tables of more keys are shared by too few nodes to be worth making
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

    def maps(self, root: Node) -> Int64:
        """From the codes of the root to those of each level: [key, level, code], 0 where there is none."""
        deepest = max(key.height for key in self.levels) + 1
        widest = max(len(key.recodes[level].domain) for key, level in zip(self.levels, root, strict=True))
        maps = np.zeros((len(root), deepest, widest), np.int64)
        for i, key in enumerate(self.levels):
            for level in range(root[i], key.height + 1):
                step = self.map(i, root[i], level)
                maps[i, level, : len(step)] = step
        return maps


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
        self._maps = self._origin_maps = steps.maps(self._root)
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
        self._root, self._maps = root, self._steps.maps(root)
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
            return self._raise(self._origin, self._origin_maps, [i for i in self._order if node[i]], node, k, allowed)
        changed = [key for key in self._order if self._root[key] != node[key]]
        shared = [key for key in self._order[:_SHARED] if self._root[key] != node[key]]
        here, current = self._root, self._base
        for key in shared:
            here = (*here[:key], node[key], *here[key + 1 :])
            current = self._shared(here, current, key)
        return self._raise(current, self._maps, changed[len(shared) :], node, k, allowed)

    def _shared(self, node: Node, source: Table, key: int) -> Table:
        """The table of a node that is one key above the source's, kept for others."""
        if node in self._tables:
            self._tables.move_to_end(node)
            return self._tables[node]
        raised = self._raise(source, self._maps, [key], node, 0, 0)
        assert raised is not None
        self._hold(node, (raised[0].copy(), raised[1].copy()))
        return self._tables[node]

    def _raise(
        self, table: Table, maps: Int64, changed: Sequence[int], node: Node, k: int, allowed: int
    ) -> Table | None:
        """Raise some keys at once; the result lies in scratch memory."""
        if not changed:
            return table
        words, counts = table
        keys, levels, field = np.array(changed), np.array(node), self.layout
        self.rolled += len(counts)
        if len(words) > 1:
            result: Table = recode_words(words, counts, keys, levels, field.where, field.shifts, field.masks, maps)
            return result
        number = recode_word(
            words[0], counts, keys, levels, field.shifts, field.masks, maps, k, allowed, *self._scratch
        )
        return None if number < 0 else (self._scratch[1][None, :number], self._scratch[2][:number])

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
