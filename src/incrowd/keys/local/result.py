"""What local recoding decides, as a value: who goes where, under which label, at which loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.keys.hierarchy import Levels
from incrowd.keys.local.improve import Grouping
from incrowd.keys.local.labels import label_all
from incrowd.keys.local.paths import Paths
from incrowd.keys.loss import geometric
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Domain, Int32, Int64, KeyTable, Recode

#: Where suppressed records go.
SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """A recoding per class. Output class j has, in key i, the value `codes[i, j]` of level `levels[i, j]`.

    `records[p]` records of base class `base[p]` go to output class `to[p]` (-1: suppressed). A base class may be in
    several rows: then any of its records may go to either, and whoever applies it must choose without looking at
    the rest of the record. Two output classes may have the same texts on different levels; `table` and `classes`
    count them as the one class that a reader sees. `stopped` says that the time limit cut the search short.
    """

    levels: NDArray[np.int8]
    codes: Int32
    base: Int64
    to: Int64
    records: Int64
    key_losses: tuple[float, ...]
    classes: int
    suppressed: int
    stopped: bool

    @property
    def loss_arithmetic(self) -> float:
        """The mean loss over keys and records, 1 where suppressed."""
        return float(np.mean(self.key_losses))

    @property
    def loss_geometric(self) -> float:
        """prod over keys of (1 + l_i)^(1/d) - 1."""
        return float(geometric(np.array(self.key_losses)))

    def values(self, levels: Sequence[Levels]) -> list[tuple[str | None, ...]]:
        """The texts of each output class, key by key."""
        columns = [
            [key.recodes[level].domain.values[code] for level, code in zip(chosen, codes, strict=True)]
            for key, chosen, codes in zip(levels, self.levels.tolist(), self.codes.tolist(), strict=True)
        ]
        return list(zip(*columns, strict=True))

    def table(self, base: KeyTable, levels: Sequence[Levels]) -> KeyTable:
        """The released table, counted by plain equality of the texts.

        Histograms come along where no base class is divided; divided ones have no histogram of their own.
        """
        stay = self.to >= 0
        recodes = _texts(self.levels, self.codes, levels)
        codes = np.array([recode.codes[self.to[stay]] for recode in recodes], np.int32).reshape(len(recodes), -1)
        first, to = group(pack(list(codes), [len(recode.domain) for recode in recodes]))
        domains = tuple(recode.domain for recode in recodes)
        counted = KeyTable(domains, codes[:, first], add_up(to, self.records[stay], len(first)))
        if len(np.unique(self.base[stay])) < int(stay.sum()):
            return counted
        target = np.full(len(base.records), -1, np.int64)
        target[self.base[stay]] = to
        return regroup(base, target, counted)


def _texts(chosen: NDArray[np.int8], codes: Int32, levels: Sequence[Levels]) -> list[Recode]:
    """For each key the texts that occur, and each output class's text as a code: equal exactly when a reader's eye
    sees the same, on whatever level."""
    result = []
    for key, level, code in zip(levels, chosen.astype(np.int64), codes.astype(np.int64), strict=True):
        span = max(len(recode.domain) for recode in key.recodes)
        used, inverse = np.unique(level * span + code, return_inverse=True)
        texts = [key.recodes[value // span].domain.values[value % span] for value in used.tolist()]
        recode = Recode.from_values(key.domain.name, texts)
        result.append(Recode(recode.domain, recode.codes[inverse]))
    return result


def regroup(base: KeyTable, to: Int64, like: KeyTable | None = None) -> KeyTable:
    """The base table with its classes put together by number (-1: left out), histograms too.

    `like` gives the keys and codes of the new classes; without it they are just numbered.
    """
    number = int(to.max(initial=-1)) + 1
    plain = KeyTable(
        (Domain("class", tuple(str(j) for j in range(number))),),
        np.maximum(to, 0).astype(np.int32)[None, :],
        base.records,
        base.histograms,
    )
    counted, _ = plain.suppress(to < 0).project(("class",))
    if like is None:
        return counted
    return KeyTable(like.domains, like.codes, counted.records, counted.histograms)


def result_of(
    grouping: Grouping, left: tuple[Int64, Int64], paths: Paths, levels: Sequence[Levels], real: Int64, stopped: bool
) -> LocalRecoding:
    """Label the classes, put equal ones together, and add up the loss. `real` maps atoms to base classes."""
    label = np.zeros((grouping.classes, paths.keys), np.int32)
    label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
    lead = grouping.atoms[grouping.start[:-1]]
    codes = paths.codes[lead[:, None], label].T
    level = (label - paths.at[:-1]).T.astype(np.int8)
    spans = [s for i in range(paths.keys) for s in (paths.heights[i] + 1, int(codes[i].max(initial=0)) + 1)]
    columns = [c for i in range(paths.keys) for c in (level[i].astype(np.int64), codes[i].astype(np.int64))]
    first, same = group(pack(columns, spans))
    sizes = add_up(same, grouping.sizes, len(first))
    suppressed = int(left[1].sum())
    per_key = paths.losses[lead[first][:, None], label[first]] * paths.keys
    total = max(int(sizes.sum()) + suppressed, 1)
    key_losses = tuple(((sizes @ per_key + suppressed) / total).tolist())
    to = same[np.repeat(np.arange(grouping.classes), np.diff(grouping.start))]
    base = np.concatenate([real[grouping.atoms], real[left[0]]])
    to = np.concatenate([to, np.full(len(left[0]), SUPPRESSED)])
    amount = np.concatenate([grouping.weights, left[1]])
    # Pieces of one base class with one destination become one row again.
    one, row = group(pack([base, to + 1], [int(base.max(initial=0)) + 1, len(first) + 1]))
    texts = _texts(level[:, first], codes[:, first], levels)
    seen, _ = group(pack([text.codes for text in texts], [len(text.domain) for text in texts]))
    return LocalRecoding(
        np.ascontiguousarray(level[:, first]),
        np.ascontiguousarray(codes[:, first]),
        base[one],
        to[one],
        add_up(row, amount, len(one)),
        key_losses,
        len(seen),
        suppressed,
        stopped,
    )
