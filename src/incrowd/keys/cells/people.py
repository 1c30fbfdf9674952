"""Few blanks where people have several records: every class has k people, and nobody is put together from their own.

A *line* is what a person has in a class. Round by round, the classes that too few people share are settled as if every
line were a person of its own (strict.py, wildcard.py). Then what the decision forgot is put right: a value that is
blanked in one record of a person is blanked in all their records that have it, or the one would tell the other; where
the release shows which records are one person's, the key is blanked in all of them, since a value near it would tell as
well. That takes people out of classes, and several lines of one person may meet in one class, so that it is counted
again. Blanks are never taken back, and everything blanked is one class of all people: it ends, and k holds. A
heuristic: how far it is from the fewest cells is not known, but for a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from incrowd.keys.cells.patterns import Cells
from incrowd.keys.packing import group, pack
from incrowd.keys.table import Int64, KeyTable

#: Parts of classes: (class, keys to blank, people); everybody is in one.
Parts = tuple[Int64, Int64, Int64]
Decision = Callable[[Cells], Parts]


@dataclass(frozen=True, eq=False)
class Lines:
    """What people have in which class: the cells of each line, whose it is, how many records the person has in all, and
    for each key the lines that are blanked together.
    """

    cells: Cells
    units: Int64
    burden: Int64
    together: tuple[Int64, ...]

    @staticmethod
    def of(table: KeyTable, cells: Cells, linked: bool) -> Lines:
        """The lines of a table with people."""
        assert table.pairs is not None
        pairs, reach = table.pairs, int(table.pairs.units.max(initial=0)) + 1
        burden = np.bincount(pairs.units, pairs.records, reach).astype(np.int64)[pairs.units]
        together = []
        for domain, codes in zip(table.domains, table.codes, strict=True):
            one = np.zeros(len(pairs.units), np.int32) if linked else codes[pairs.classes]
            together.append(group(pack([pairs.units, one], [reach, len(domain)]))[1])
        return Lines(cells.take(pairs.classes), pairs.units, burden, tuple(together))

    def now(self, masks: Int64) -> tuple[Cells, Int64, Int64]:
        """The classes once these keys are blanked, with their people; each line's class; and one line for each person
        of each class, those with few records first: their blanks cost least.
        """
        digits = self.cells.digits.copy()
        for j in range(len(digits)):
            digits[j, masks >> j & 1 == 1] = 0
        shown = digits.sum(axis=0)
        _, first, to = np.unique(shown, return_index=True, return_inverse=True)
        one, _ = group(pack([to, self.units], [len(first), int(self.units.max(initial=0)) + 1]))
        # Units are numbered in a keyed order (protect/suppress_cells.py): between equals, chance decides.
        people = one[np.lexsort((self.units[one], self.burden[one], to[one]))]
        sizes = np.bincount(to[people], minlength=len(first)).astype(np.int64)
        missing = (self.cells.missing | masks)[first]
        cells = Cells(np.ascontiguousarray(digits[:, first]), shown[first], missing, sizes, self.cells.exact)
        return cells, to, people

    def spread(self, masks: Int64) -> Int64:
        """With what is blanked in one line of a person blanked in the others that must not show it."""
        for j, lines in enumerate(self.together):
            gone = np.zeros(int(lines.max(initial=-1)) + 1, bool)
            gone[lines[masks >> j & 1 == 1]] = True
            masks = masks | np.where(gone[lines], np.int64(1) << j, 0)
        return masks & ~self.cells.missing


def blank_people(lines: Lines, k: int, wildcards: bool, decide: Decision, strictly: Decision) -> Int64:
    """The keys to blank in each line. `decide` settles classes as if lines were people; where it sees nothing to do,
    because it takes several lines of one person for several, `strictly` does.
    """
    masks = np.zeros(len(lines.units), np.int64)
    while True:
        cells, to, people = lines.now(masks)
        fewest = fewest_people(cells, to, lines.units) if wildcards else cells.records.min(initial=k)
        if fewest >= k or not len(masks):
            return masks
        classes, more, number = decide(cells)
        if not more.any():
            classes, more, number = strictly(cells)
        # Blanked people first, class by class: parts and people are in the same order then.
        order = np.lexsort((more == 0, classes))
        chosen = np.repeat(more[order], number[order])
        assert chosen.any(), "a class is too small, and nothing was blanked"
        masks = lines.spread(masks | _of_lines(lines, to, people, chosen))


def _of_lines(lines: Lines, to: Int64, people: Int64, chosen: Int64) -> Int64:
    """What was chosen for a person in a class, for each of the lines that the person has there."""
    reach = int(lines.units.max(initial=0)) + 1
    first, at = group(pack([to, lines.units], [int(to.max(initial=0)) + 1, reach]))
    by_number = np.empty(len(first), np.int64)
    by_number[at[people]] = chosen
    return by_number[at]


def fewest_people(cells: Cells, classes: Int64, units: Int64) -> int:
    """How few people agree with a class wherever both show a value? (A missing value matches anything.)

    `classes` and `units` are the lines. Somebody with several lines that agree is one.
    """
    best = int(units.max(initial=-1)) + 1
    stamps = np.full(best, -1, np.int64)
    masks = np.unique(cells.missing).tolist()
    theirs = {mask: np.flatnonzero(cells.missing[classes] == mask) for mask in masks}
    for own in masks:
        asked = np.flatnonzero((cells.missing == own) & (cells.records > 0))
        low, high = np.empty((len(masks), len(asked)), np.int64), np.empty((len(masks), len(asked)), np.int64)
        listed, start = [], 0
        for b, mask in enumerate(masks):
            shown = cells.shown(own | mask)
            keys = shown[classes[theirs[mask]]]
            order = np.argsort(keys, kind="stable")
            low[b] = start + np.searchsorted(keys[order], shown[asked], "left")
            high[b] = start + np.searchsorted(keys[order], shown[asked], "right")
            listed.append(units[theirs[mask]][order])
            start += len(keys)
        best = _fewest(low, high, np.concatenate(listed), asked, stamps, best)
    return best


@njit(cache=True)
def _fewest(low: Any, high: Any, units: Any, asked: Any, stamps: Any, best: int) -> int:
    """The fewest different units in the ranges of a column. A column that has as many as the fewest is left."""
    for i in range(low.shape[1]):
        found = 0
        for b in range(low.shape[0]):
            for at in range(low[b, i], high[b, i]):
                if stamps[units[at]] != asked[i]:
                    stamps[units[at]] = asked[i]
                    found += 1
                    if found >= best:
                        break
            if found >= best:
                break
        best = min(best, found)
    return best
