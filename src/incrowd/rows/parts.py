"""A release as a folder of Parquet files, part-00000.parquet and so on, in the order of their rows.

The parts are written where the rows are: by the executors of a cluster, or piece by piece on one machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

#: Records of one part, where one machine writes them all.
RECORDS = 1 << 22


def part_name(number: int) -> str:
    """The name of a part; names sort like numbers."""
    return f"part-{number:05d}.parquet"


def write_part(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """One part; gives its records. It carries no metadata but the schema, and nothing is left of a failed one."""
    records = 0
    try:
        with pa.parquet.ParquetWriter(path, schema.remove_metadata(), compression="zstd", store_schema=False) as out:
            for batch in batches:
                out.write_batch(batch)
                records += batch.num_rows
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return records


def write_parts(folder: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """All parts, one after the other, from one stream in order."""
    folder.mkdir()
    waiting, number = iter(batches), 0
    batch = next(waiting, None)
    while batch is not None or number == 0:
        first = batch

        def piece(batch: pa.RecordBatch | None = first) -> Iterable[pa.RecordBatch]:
            taken = 0
            while batch is not None:
                yield batch
                taken += batch.num_rows
                batch = next(waiting, None) if taken < RECORDS else None

        write_part(folder / part_name(number), schema, piece())
        batch, number = next(waiting, None), number + 1
