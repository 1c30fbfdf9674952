"""The cells of a table: how many records, and the sum of their record keys."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import Rows
from incrowd.rows.records import DRAW, draw


def count_cells(rows: Rows, by: Sequence[str], function: OnBatch, keys: int) -> pa.Table:
    """For every combination of these variables that occurs: `c0`, `c1` and so on, `n` records, and `key`, the sum of
    the records' keys. A record key is a keyed hash of the whole record, below `keys`.
    """
    drawn = draw(rows, function)
    columns = {f"c{i}": drawn.text(name) for i, name in enumerate(by)}
    picked = drawn.table.select(**columns, key=drawn.table[DRAW] % keys)
    counted = picked.group_by(list(columns)).aggregate(n=picked.count(), key=picked["key"].sum().cast("int64"))
    return drawn.collect(counted, f"the cells of {', '.join(by)}")
