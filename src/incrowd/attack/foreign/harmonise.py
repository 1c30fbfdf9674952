"""The original at the categories of a release made elsewhere, and the release with its blanks as blanks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from incrowd.attack.foreign.labels import Column, blank_mark
from incrowd.attack.situation import Int64

#: How a column is read whose labels only the truth explains.
LEARNT = "by who was released under it"


def harmonised(column: Column, changed: bool) -> tuple[pa.Array, pa.Array, bool]:
    """The column as released, as the original's people are known, and whether its cells say different amounts.

    Where the value tells the label, people are known by the label. Where a value has labels of several levels, people
    are known by the value, and a label fits all that it stands for. What was changed stays as it is.
    """
    reading = column.reading
    if column.silent:  # the release says as much of everybody
        nothing = [pa.nulls(len(codes), pa.string()) for codes in (column.released, column.original)]
        return nothing[0], nothing[1], False
    if changed and column.numbers is not None:
        return _texts(column.labels, column.released), _texts(column.values, column.original), False
    own = reading.label_of(len(column.values))
    labels = [None if blank_mark(label) and reading.blank[i] else label for i, label in enumerate(column.labels)]
    values = list(column.values)
    if reading.single:
        values = [value if own[i] < 0 else labels[own[i]] for i, value in enumerate(column.values)]
    else:
        often = np.bincount(reading.label, minlength=len(labels))
        for label, value in zip(reading.label.tolist(), reading.value.tolist(), strict=True):
            if often[label] == 1:
                labels[label] = column.values[value]  # 34.0 is 34
    loose = not changed and not column.unread and not column.strict
    return _texts(labels, column.released), _texts(values, column.original), loose


def learnt(column: Column, lines: Int64) -> Column:
    """A column whose labels nothing tells the meaning of, read by the values of those who were released under each."""
    pairs = np.unique(np.stack([column.released, column.original[lines]]), axis=1)
    nothing = np.zeros(len(column.labels), bool)
    blank = column.reading.blank
    kept = ~blank[pairs[0]]
    reading = replace(column.reading, label=pairs[0][kept], value=pairs[1][kept], unread=nothing, how=LEARNT)
    return column.taking(reading)


def _texts(names: list[str | None] | tuple[str | None, ...], codes: Int64) -> pa.Array:
    return pa.array(names, pa.string()).take(pa.array(codes))
