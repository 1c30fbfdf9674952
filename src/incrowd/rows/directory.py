"""Postcodes of a column against a directory of real ones: a join in the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from incrowd.rows.frame import Rows
from incrowd.rows.header import refuse_unknown
from incrowd.rows.postcodes import bare, reason


@dataclass(frozen=True)
class Match:
    """Records of good form against a directory: how many are real, in no directory, and in which authority."""

    real: int
    not_real: int
    authorities: Mapping[str, int]
    no_authority: int


def match_directory(rows: Rows, column: str, known: pa.Table) -> Match:
    """Join the postcodes of a column with a directory (`incrowd_unit` without spaces, `incrowd_authority`)."""
    refuse_unknown(rows, [column])
    picked = rows.table.select(incrowd_text=rows.text(column))
    good = picked.filter(reason(picked["incrowd_text"]).isnull())
    coded = good.select(incrowd_code=bare(good["incrowd_text"]).upper())
    counted = coded.group_by("incrowd_code").aggregate(n=coded.count())
    table = known.append_column("incrowd_real", pa.array([True] * known.num_rows))
    joined = counted.left_join(rows.engine.lookup(table), [("incrowd_code", "incrowd_unit")])
    summed = joined.group_by(["incrowd_real", "incrowd_authority"]).aggregate(n=joined["n"].sum().cast("int64"))
    found = rows.collect(summed, f"the postcodes of {column!r}").to_pylist()
    real = [row for row in found if row["incrowd_real"]]
    codes = {row["incrowd_authority"]: row["n"] for row in real if row["incrowd_authority"] is not None}
    return Match(
        sum(row["n"] for row in real),
        sum(row["n"] for row in found if not row["incrowd_real"]),
        dict(sorted(codes.items())),
        sum(row["n"] for row in real if row["incrowd_authority"] is None),
    )
