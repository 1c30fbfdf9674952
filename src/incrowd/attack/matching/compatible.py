"""Two files say the same with other labels: which of them can be about one and the same value?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.meeting import labels_of
from incrowd.attack.matching.spans import overlaps, rounded, span
from incrowd.attack.situation import Int64, codes_of
from incrowd.keys.packing import group, pack

#: Above so many pairs of labels only equal ones are taken for the same.
MOST_LABELS = 20_000_000


def compatible(ones: Sequence[str | None], others: Sequence[str | None], strict: bool = False) -> Bools:
    """For every pair of labels of two files, whether one value can stand behind both.

    Equal labels; ranges that overlap; a missing one and anything. A name that only one file uses may be anything that
    only the other uses, unless `strict`; a name that both use is only itself.

    >>> compatible(["30-39", "40-49"], ["35-44", "45+"]).tolist()
    [[True, False], [True, True]]
    >>> compatible(["NE", "NW", "London"], ["North", "London"]).tolist()
    [[True, False], [True, False], [False, True]]
    """
    place = {label: i for i, label in enumerate(others)}
    found = overlaps(ones, others)
    same = [(i, place[label]) for i, label in enumerate(ones) if label in place]
    rows, columns = [i for i, _ in same], [j for _, j in same]
    found[rows, columns] = True
    alone, strange = np.ones(len(ones), bool), np.ones(len(others), bool)
    alone[rows], strange[columns] = False, False
    named = [np.array([span(label) is None for label in labels], bool) for labels in (ones, others)]
    if strict and same:
        alone[:] = False
    found |= (alone[:, None] & strange[None, :]) & (named[0][:, None] | named[1][None, :])
    found[[i for i, label in enumerate(ones) if label is None], :] = True
    found[:, [j for j, label in enumerate(others) if label is None]] = True
    return found


def profiles(first: pa.Table, second: pa.Table, columns: Sequence[str], strict: bool) -> tuple[Int64, Int64, int]:
    """The same number for records of two files that agree in these columns, and how many numbers there are.

    Labels that are chained by compatibility are not told apart, so nothing is excluded that could be true; numbers may
    have been rounded in each file. With `strict` numbers are only themselves, and a name that only one file uses stands
    for nothing else, where the two have any name in common. Missing is a label of its own here: else it would chain
    everything.
    """
    if not columns:
        return np.zeros(first.num_rows, np.int64), np.zeros(second.num_rows, np.int64), 1
    codes = codes_of([first, second], columns)
    whole: list[Int64] = []
    for i, name in enumerate(columns):
        labels = labels_of([first, second], name)
        to = chained(labels, np.unique(codes[0][i]), np.unique(codes[1][i]), strict)
        whole.append(to[np.concatenate([codes[0][i], codes[1][i]])])
    starts, numbers = group(pack(whole, [int(column.max(initial=0)) + 1 for column in whole]))
    return numbers[: first.num_rows], numbers[first.num_rows :], len(starts)


def chained(labels: list[str | None], mine: Int64, theirs: Int64, strict: bool) -> Int64:
    """For each label the number of the labels that it is chained to."""
    number = len(labels)
    mine = mine[[labels[code] is not None for code in mine.tolist()]]
    theirs = theirs[[labels[code] is not None for code in theirs.tolist()]]
    if len(mine) * len(theirs) > MOST_LABELS or not len(mine) or not len(theirs):
        return np.arange(number)
    names = [labels[code] for code in mine.tolist()], [labels[code] for code in theirs.tolist()]
    fits = None if strict else rounded(*names)
    if fits is None:
        fits = compatible(*names, strict)
    rows, columns = np.nonzero(fits)
    links = coo_array((np.ones(len(rows)), (mine[rows], theirs[columns])), shape=(number, number))
    return np.asarray(connected_components(links, directed=False)[1], np.int64)
