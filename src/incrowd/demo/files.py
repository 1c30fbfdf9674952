"""How does a stream of batches become a CSV or Parquet file, or none at all?

A file appears under its name when it is whole. Until then it is a hidden file beside it, and an error, an
interrupt or a full disk removes that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from incrowd.errors import InputError

Write = Callable[[pa.RecordBatch], None]


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Where to write, so that `target` is replaced by the whole file or left alone?"""
    if not target.absolute().parent.is_dir():
        raise InputError("D092", f"The folder of {target} does not exist.", "Make it first.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, target)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


@contextmanager
def open_table(target: Path, schema: pa.Schema) -> Iterator[Write]:
    """A function that appends a batch to the table; Parquet when the name ends so, else CSV."""
    with whole_file(target) as part:
        if target.suffix.lower() == ".parquet":
            with pq.ParquetWriter(part, schema, compression="zstd") as writer:
                yield writer.write_batch
        else:
            with part.open("wb") as stream:
                stream.write((",".join(schema.names) + "\n").encode())
                yield lambda batch: _append_csv(stream.write, batch)


def _append_csv(write: Callable[[memoryview], object], batch: pa.RecordBatch) -> None:
    """Write a batch as lines of CSV, with quotes only where they are needed.

    pyarrow's own writer puts every text in quotes, which doubles the reading time of a human. Joined in one
    pass, the texts of all lines lie one after the other in one buffer, which is the file.
    """
    texts = [_as_csv(column) for column in batch.columns]
    texts[-1] = pc.binary_join_element_wise(texts[-1], "", "\n")
    lines = pc.binary_join_element_wise(*texts, ",")
    _, offsets, data = lines.buffers()
    # Offsets are 32 bits wide: a batch of 100,000 rows fills 1% of what they reach.
    ends = memoryview(offsets).cast("i")
    write(memoryview(data)[ends[lines.offset] : ends[lines.offset + len(lines)]])


def _as_csv(column: pa.Array) -> pa.Array:
    """The column as text; a text that has a comma, a quote or a line end in it goes into quotes."""
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    risky = pc.match_substring_regex(column, '[,"\r\n]')
    if not pc.any(risky).as_py():
        return column
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
    return pc.if_else(risky, quoted, column)
