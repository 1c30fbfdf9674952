"""Tables that are in memory already: pandas, polars, Arrow. Their values are read as those of a file would be.

Arrow and polars say what a value is, so a table of theirs is read as its Parquet file would be. pandas has no whole
numbers with gaps and no dates: its floating-point column of whole numbers and missing values is read as whole numbers
(1.0 is the 1 that stood in the file), and its column of moments that are all midnight as dates. Its columns of
Python objects (decimals, dates, large numbers), its intervals and periods are read as the texts that it writes into a
file: Arrow would make 1.10 and 1.1 one value, and a moment its day. A table of pandas with an index that has a name is
refused: nobody can tell whether that is a column of the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.rows.dialect import refuse_twice
from incrowd.rows.schemas import DIGITS, refuse_compound, refuse_wide

#: What messages call it: it has no name.
PLACE = "the table"
#: Beyond this, floating-point numbers leave out whole numbers.
EXACT = 2**53
#: Objects in a column of pandas (in its words) that Arrow would round, or make alike.
AS_WRITTEN = ("date", "datetime", "decimal", "integer", "interval", "period", "time")
#: What an engine counts without a loss.
_KINDS = (
    pa.types.is_null, pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal,
    pa.types.is_string, pa.types.is_large_string, pa.types.is_date, pa.types.is_time, pa.types.is_timestamp,
)  # fmt: skip


class Tabular(Protocol):
    """A table that others may read without a copy: of pandas, polars, Arrow, DuckDB and more (Arrow's C stream)."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream of record batches."""


def is_tabular(source: object) -> bool:
    """Is this a table in memory?"""
    return _of_pandas(source) or hasattr(source, "__arrow_c_stream__") or hasattr(source, "to_arrow")


def read_arrow(path: Path) -> pa.Table:
    """An Arrow file (also called Feather) as a table: its values are those of a table in memory."""
    table = None
    try:
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
            table.validate(full=True)
    except (pa.ArrowException, OSError):
        table = None  # its message may quote the file
    if table is None:
        raise InputError("D331", f"{path.name} cannot be read as an Arrow file.", "Write it again, or as Parquet.")
    return read_table(table, path.name)


def read_table(source: Any, place: str = PLACE) -> pa.Table:
    """A table in memory as an Arrow table whose values are what they would be in a file."""
    pandas = _of_pandas(source)
    if pandas and any(name is not None for name in source.index.names):
        raise InputError("D314", "the table has an index with a name.", "Say reset_index(), or reset_index(drop=True).")
    if pandas:
        refuse_twice([str(name) for name in source.columns], place)
    table = None
    try:
        if pandas:
            arrays = [pa.array(_as_written(column), from_pandas=True) for _, column in source.items()]
            given = pa.table(arrays, names=[str(name) for name in source.columns])
        elif hasattr(source, "__arrow_c_stream__"):
            given = pa.table(source)
        else:
            given = source.to_arrow()
        table = pa.table([_plain(column, pandas) for column in given.columns], names=given.column_names)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass  # its message may quote a value
    if not isinstance(table, pa.Table) or not table.num_columns:
        message = f"{place} cannot be read: it has no columns, or one that holds values of several kinds."
        raise InputError("D315", message, "Keep plain values, of one kind in each column: texts, numbers, dates.")
    if unnamed := sum(not name.strip() for name in table.column_names):
        raise InputError("D010", f"{place} leaves {unnamed} column(s) without a name.", "Name every column.")
    refuse_twice(table.column_names, place)
    refuse_compound([not any(known(kind) for known in _KINDS) for kind in table.schema.types], place)
    refuse_wide({field.name: field.type for field in table.schema}, place)
    return table.replace_schema_metadata(None)


def _of_pandas(source: object) -> bool:
    """Is it a DataFrame, or of a class made from it? (Asked without an import of pandas.)"""
    kinds = type(source).__mro__
    return any(kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame" for kind in kinds)


def _as_written(column: Any) -> Any:
    """A column of pandas; where it holds objects that Arrow would change, the texts that pandas writes of them."""
    import pandas as pd

    kind = column.cat.categories.dtype if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    if not (pd.api.types.is_object_dtype(kind) or isinstance(kind, pd.IntervalDtype | pd.PeriodDtype)):
        return column
    objects = column.astype(object)
    found = pd.api.types.infer_dtype(objects, skipna=True)
    there = objects.notna()
    if found in AS_WRITTEN:
        return pd.Series([str(one) if known else None for one, known in zip(objects, there, strict=True)], dtype=object)
    if found.startswith("mixed") and len({type(one) for one in objects[there]}) > 1:
        raise TypeError  # Arrow would make True and 1.0 one value
    return objects


def _plain(column: pa.ChunkedArray, pandas: bool) -> pa.ChunkedArray:
    """Categories as their values, texts as texts, times that last as a Parquet file has them, one kind of NaN; what
    pandas cannot say, as it was meant.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        if pa.types.is_string_view(kind.value_type):  # of polars; Arrow does not cast categories of these
            chunks = [chunk.dictionary.cast(pa.large_string()).take(chunk.indices) for chunk in column.chunks]
            return pa.chunked_array(chunks, pa.large_string())
        return _plain(column.cast(kind.value_type), pandas)
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if pa.types.is_duration(kind):
        return column.cast(pa.int64())  # an engine leaves out what is less than a microsecond
    if pa.types.is_date64(kind):
        moments = column.cast(pa.int64()).cast(pa.timestamp("ms"))
        return moments.cast(pa.date32()) if _is_midnight(moments) else moments
    if pa.types.is_decimal(kind) and kind.precision <= DIGITS and (pa.types.is_decimal256(kind) or kind.scale < 0):
        return column.cast(pa.decimal128(kind.precision if kind.scale >= 0 else DIGITS, max(kind.scale, 0)))
    if pa.types.is_float16(kind):
        return _plain(column.cast(pa.float32()), pandas)
    if pandas and pa.types.is_floating(kind) and column.null_count and _is_whole(column):
        return column.cast(pa.int64())
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_nan(column), pa.scalar(float("nan"), kind), column)  # engines write nan and -nan
    if pandas and pa.types.is_timestamp(kind) and kind.tz is None and _is_midnight(column):
        return column.cast(pa.date32())
    return column


def _is_whole(column: pa.ChunkedArray) -> bool:
    there = column.drop_null().to_numpy()
    below = np.signbit(there) & (there == 0)  # -0.0, which no whole number is
    return len(there) > 0 and bool(((np.floor(there) == there) & (np.abs(there) < EXACT) & ~below).all())


def _is_midnight(column: pa.ChunkedArray) -> bool:
    there = column.drop_null()
    return len(there) > 0 and bool(pc.all(pc.equal(pc.floor_temporal(there, unit="day"), there)).as_py())
