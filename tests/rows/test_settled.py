"""Rows that are worked out once and kept: the same records, in the same order, of the same kinds."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incrowd.rows import open_source


@pytest.mark.parametrize("spills", [True, False])
def test_settled_rows_are_the_same_records_in_the_same_order(tmp_path: Path, spills: bool) -> None:
    source = tmp_path / "a.csv"
    source.write_text("x,y\n" + "".join(f"{i},{(i, '', chr(34) * 2)[i % 3]}\n" for i in range(5000)))
    (tmp_path / "spill").mkdir()
    rows = open_source(source, spill=tmp_path / "spill" if spills else None)
    lazy = replace(rows, table=rows.table.order_by(rows.table["x"].desc()))
    settled = lazy.settled()
    assert settled.types == lazy.types
    assert settled.collect(settled.table).to_pydict() == lazy.collect(lazy.table).to_pydict()
    for name, one in (("lazy", lazy), ("settled", settled)):
        one.write(tmp_path / name, "csv")
    assert (tmp_path / "lazy").read_bytes() == (tmp_path / "settled").read_bytes()
    assert len(list((tmp_path / "spill").iterdir())) == int(spills)


def test_rows_are_not_settled_where_a_copy_would_be_written_otherwise(tmp_path: Path) -> None:
    """Moments in milliseconds would become microseconds: in a Parquet release those are other bytes."""
    pq.write_table(pa.table({"when": pa.array([0, 1, None], pa.timestamp("us"))}), tmp_path / "a.parquet")
    (tmp_path / "spill").mkdir()
    rows = open_source(tmp_path / "a.parquet", spill=tmp_path / "spill")
    made = replace(rows, table=rows.table.mutate(when=rows.table["when"].cast("timestamp(3)")))
    kept = replace(made, table=made.engine.keep(made.table, made.place))
    assert kept.types != made.types
    assert made.settled() is made
