"""Where people lie in the categories of another file: by the same text, or by the range that their number lies in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from incrowd.attack.matching.spans import span
from incrowd.attack.situation import Int64, Situation


def homes(column: pa.Array | pa.ChunkedArray, labels: Sequence[str | None]) -> Int64:
    """For each value the label that it belongs to: the same text, or the range that it lies in; else -1."""
    coded = column.dictionary_encode(null_encoding="encode")
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    same = {label: i for i, label in enumerate(labels)}
    ranges = [(i, found) for i, label in enumerate(labels) if (found := span(label)) is not None]
    to = []
    for value in coded.dictionary.to_pylist():
        if value in same or (mine := span(value)) is None:
            to.append(same.get(value, -1))
            continue
        to.append(next((i for i, (low, high) in ranges if low <= mine[0] and mine[1] <= high), -1))
    at: Int64 = np.array(to, np.int64)[coded.indices.to_numpy(zero_copy_only=False)]
    return at


def homes_of(situation: Situation, name: str, labels: Sequence[str | None]) -> Int64:
    """For everybody in the original the label of a column, by the value as it came or as the release says it; or -1."""
    found = np.full(situation.known.num_rows, -1, np.int64)
    if name in situation.columns:
        found = homes(situation.at_start([name])[name], labels)
    if name in situation.known.column_names and (found < 0).any():
        found = np.where(found >= 0, found, homes(situation.known[name], labels))
    return found
