"""Can the columns of Parquet files be read without a loss? Asked of their schemas, before an engine casts in silence.

An engine takes the types of the first part for all of them: 1.6 and 2.4 become 2 where the first part has whole
numbers. It leaves out columns that only a later part has, gives a second column of one name another name, and reads
decimals of more than 38 digits as floating-point numbers. Here such files are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from incrowd.errors import InputError
from incrowd.machine.paths import must_be_file
from incrowd.rows.dialect import refuse_twice

#: Digits of a decimal that engines keep.
DIGITS = 38
ONE_SCHEMA = "Write all parts with one schema, or as one file."


def refuse_lossy(files: Sequence[Path], partitions: Sequence[str], place: str) -> None:
    """Every part must have the same columns of the same types, each name once, and no type that an engine rounds."""
    first: dict[str, pa.DataType] = {}
    for number, file in enumerate(files, 1):
        schema = _schema(file, place)
        refuse_twice([*schema.names, *partitions], place)
        types = {field.name: _plain(field.type) for field in schema}
        where = f"part {number} of {len(files)} of {place}"
        if number == 1:
            first = types
            refuse_wide(types, place)
        elif types.keys() != first.keys():
            raise InputError("D273", f"{where} has not the columns of the first part.", ONE_SCHEMA)
        for column, name in enumerate(first, 1):
            if types[name] != first[name]:
                one, other = _said(types[name]), _said(first[name])
                message = f"{where} holds {one} in column {column}, and the first part holds {other}."
                raise InputError("D272", message, ONE_SCHEMA)


def _schema(file: Path, place: str) -> pa.Schema:
    must_be_file(file)
    found = None
    try:
        with pa.parquet.ParquetFile(file) as opened:
            found = opened.schema_arrow
            physical = [opened.schema.column(i) for i in range(len(opened.schema))]
            nano = [column.path for column in physical if column.physical_type == "INT96"]
            exact = not nano or _is_exact(opened, nano)
    except (pa.ArrowException, OSError):
        pass  # its message may quote the file
    if found is None:
        raise InputError("D001", f"the engine cannot read {place} (Parquet).", "Is it the file it is said to be?")
    if not exact:
        raise InputError(
            "D274",
            f"{place} holds times as INT96 that are finer than a microsecond or after 2262, and would be rounded.",
            "Write them as TIMESTAMP_MICROS, or as texts.",
        )
    return found


def _is_exact(file: pa.parquet.ParquetFile, columns: Sequence[str]) -> bool:
    """Engines keep microseconds of a time that is stored as INT96, and Arrow all of it, up to 2262."""
    for batch in file.iter_batches(columns=list(columns)):
        for column in batch.columns:
            if pa.types.is_timestamp(column.type) and (_numbers(column) % 1000).any():
                return False
    return True


def _numbers(column: pa.Array) -> np.ndarray:
    return np.asarray(column.cast(pa.timestamp("ns")).cast(pa.int64()).fill_null(0))


def refuse_wide(types: dict[str, pa.DataType], place: str) -> None:
    """Refuse decimals that engines would round."""
    for number, kind in enumerate(types.values(), 1):
        if pa.types.is_decimal(kind) and kind.precision > DIGITS:
            raise InputError(
                "D274",
                f"column {number} of {place} holds decimals of more than {DIGITS} digits, which would be rounded.",
                "Write them as texts.",
            )


def refuse_compound(odd: Sequence[bool], place: str) -> None:
    """Refuse columns that the verbs cannot carry: each one is odd or not."""
    if any(odd):
        # By its number: names are data until something proves that they are names.
        message = f"column {odd.index(True) + 1} of {len(odd)} of {place} holds lists, structures or bytes."
        raise InputError("D066", message, "Keep plain values: texts, numbers, dates.")


def _plain(kind: pa.DataType) -> pa.DataType:
    """What the values are, however they are stored."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return pa.timestamp(kind.unit, "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


def _said(kind: pa.DataType) -> str:
    return "lists or structures" if pa.types.is_nested(kind) else f"the type {kind}"
