"""The first records of a file, and how common each of their values is: what a masked preview needs of the engine."""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import pyarrow as pa

from incrowd.rows.frame import Rows

Records = tuple[tuple[str | None, ...], ...]


def first_records(rows: Rows, columns: Sequence[str], number: int) -> Records:
    """The first records, in the order of the file, as texts."""
    picked = rows.table.limit(number).select(**{f"c{i}": rows.text(name) for i, name in enumerate(columns)})
    found = rows.collect(picked, "the first records")
    return tuple(zip(*(found[f"c{i}"].to_pylist() for i in range(len(columns))), strict=True))


def holders(
    rows: Rows, columns: Sequence[str], records: Records, unit: str | None = None
) -> tuple[dict[str, int], ...]:
    """How many records of the whole file have each value of these few; with a unit, how many people. One query."""
    wanted = sorted({(f"c{i}", value) for one in records for i, value in enumerate(one) if value is not None})
    found: tuple[dict[str, int], ...] = tuple({} for _ in columns)
    if not wanted:
        return found
    texts = {f"c{i}": rows.text(name) for i, name in enumerate(columns)}
    table = rows.table.select(**texts) if unit is None else rows.table.select(**texts, u=rows.text(unit))
    long = table.pivot_longer(ibis.selectors.startswith("c"), names_to="c", values_to="v")
    asked = pa.table({"c": [column for column, _ in wanted], "v": [value for _, value in wanted]})
    there = long.semi_join(rows.engine.lookup(asked), ["c", "v"])
    # One person with twelve records is one holder. Whoever is not named counts as one, all together.
    number = there.count() if unit is None else there["u"].nunique() + there["u"].isnull().any().cast("int64")
    counted = there.group_by(["c", "v"]).aggregate(n=number)
    for line in rows.collect(counted, "how common values are").to_pylist():
        found[int(line["c"][1:])][line["v"]] = int(line["n"])
    return found
