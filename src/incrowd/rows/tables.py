"""Tables that are in memory already: pandas, polars, Arrow. Their values are read as those of a file would be.

Arrow and polars say what a value is, so a table of theirs is read as its Parquet file would be. pandas has no whole
numbers with gaps and no dates: its floating-point column of whole numbers and missing values is read as whole numbers
(1.0 is the 1 that stood in the file), and its column of moments that are all midnight as dates. A table of pandas with
an index that has a name is refused: nobody can tell whether that is a column of the file.
"""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.rows.dialect import refuse_twice
from incrowd.rows.schemas import refuse_wide

#: What messages call it: it has no name.
PLACE = "the table"
#: Beyond this, floating-point numbers leave out whole numbers.
EXACT = 2**53


class Tabular(Protocol):
    """A table that others may read without a copy: of pandas, polars, Arrow, DuckDB and more (Arrow's C stream)."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream of record batches."""


def is_tabular(source: object) -> bool:
    """Is this a table in memory?"""
    return _of_pandas(source) or hasattr(source, "__arrow_c_stream__") or hasattr(source, "to_arrow")


def read_table(source: Any) -> pa.Table:
    """A table in memory as an Arrow table whose values are what they would be in a file."""
    pandas = _of_pandas(source)
    if pandas and any(name is not None for name in source.index.names):
        raise InputError("D314", "the table has an index with a name.", "Say reset_index(), or reset_index(drop=True).")
    if pandas:
        refuse_twice([str(name) for name in source.columns], PLACE)
    table = None
    try:
        if pandas:
            table = pa.Table.from_pandas(source, preserve_index=False)
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source)
        else:
            table = source.to_arrow()
        table = pa.table([_plain(column, pandas) for column in table.columns], names=table.column_names)
    except (pa.ArrowException, TypeError, ValueError):
        pass  # its message may quote a value
    if not isinstance(table, pa.Table) or not table.num_columns:
        message = "the table cannot be read: it has no columns, or one that holds values of several kinds."
        raise InputError("D315", message, "Keep plain values, of one kind in each column: texts, numbers, dates.")
    refuse_twice(table.column_names, PLACE)
    refuse_wide({field.name: field.type for field in table.schema}, PLACE)
    return table.replace_schema_metadata(None)


def _of_pandas(source: object) -> bool:
    return type(source).__module__.partition(".")[0] == "pandas" and type(source).__name__ == "DataFrame"


def _plain(column: pa.ChunkedArray, pandas: bool) -> pa.ChunkedArray:
    """Categories as their values, texts as texts; what pandas cannot say, as it was meant."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type), pandas)
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if pandas and pa.types.is_floating(kind) and column.null_count and _is_whole(column):
        return column.cast(pa.int64())
    if pandas and pa.types.is_timestamp(kind) and kind.tz is None and _is_midnight(column):
        return column.cast(pa.date32())
    return column


def _is_whole(column: pa.ChunkedArray) -> bool:
    there = column.drop_null()
    whole = pc.and_(pc.equal(pc.floor(there), there), pc.less(pc.abs(there), EXACT))
    return len(there) > 0 and bool(pc.all(whole).as_py())


def _is_midnight(column: pa.ChunkedArray) -> bool:
    there = column.drop_null()
    return len(there) > 0 and bool(pc.all(pc.equal(pc.floor_temporal(there, unit="day"), there)).as_py())
