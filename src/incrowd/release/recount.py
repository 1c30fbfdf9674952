"""Count a written file again, with code that shares nothing with what wrote it: Arrow reads, Arrow groups.

DuckDB and the KeyTable made the release; neither is used here, so a mistake in them does not vouch for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

Combination = tuple[str | None, ...]
UNIT = "\0unit"
#: Records of a Parquet file read at once.
BATCH = 1 << 19
#: Counted rows that wait before they are counted together.
MOST_WAITING = 1 << 21
_PARSE = pa.csv.ParseOptions(newlines_in_values=True)


@dataclass(frozen=True)
class Known:
    """What the gate must be told, because the released file alone does not hold it.

    How each sensitive variable was spread before anything was suppressed, the population's people by combination of
    the released keys, and the paths of hierarchies by leaf.
    """

    spread: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    population: Mapping[Combination, int] | None = None
    paths: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Recount:
    """A file to be read again and again, each time as a stream of texts: it may be larger than memory.

    `units` gives each record's person, in row order, where a person may have several records.
    """

    path: Path
    kind: str
    columns: tuple[str, ...]
    units: Path | None = None
    condition: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def records(self) -> int:
        """How many records there are, counted by reading one column to its end."""
        return sum(batch.num_rows for batch in _read(self.path, self.kind, self.columns[:1]))

    def people(self, keys: Sequence[str]) -> dict[Combination, int]:
        """People in each class."""
        counted = self._count(keys)
        texts = [counted[name].to_pylist() for name in keys]
        return dict(zip(zip(*texts, strict=True), counted["n"].to_pylist(), strict=True))

    def smallest(self, keys: Sequence[str]) -> int | None:
        """People in the smallest class; None without any. Stays in Arrow, for files with millions of classes."""
        smallest: int | None = pc.min(self._count(keys)["n"]).as_py()
        return smallest

    def spread(self, keys: Sequence[str], sensitive: str) -> Iterator[tuple[Combination, int, Counter[str | None]]]:
        """Class by class: its people, and how a sensitive variable is spread in it; missing and empty are one value."""
        people = None if self.units is None else self.people(keys)
        counted = self._count([*keys, sensitive]).sort_by([(key, "ascending") for key in keys])
        for combination, rows in groupby(_lines(counted), key=lambda row: row[:-2]):
            values: Counter[str | None] = Counter()
            for row in rows:
                values[row[-2] or None] += row[-1]
            yield combination, values.total() if people is None else people[combination], values

    def where(self, condition: Mapping[str, Sequence[str]]) -> Recount:
        """Only the records that meet a condition."""
        return replace(self, condition=condition)

    def _count(self, columns: Sequence[str]) -> pa.Table:
        """Distinct rows and their people in 'n': each batch is counted, and the counts are counted together."""
        by = [*columns, UNIT] if self.units is not None else list(columns)
        parts, waiting = [], 0
        for batch in self._batches(columns):
            part = batch.group_by(by).aggregate([([], "count_all")]).rename_columns([*by, "n"])
            parts.append(part.cast(pa.schema([*((name, pa.string()) for name in by), ("n", pa.int64())])))
            waiting += part.num_rows
            if waiting > MOST_WAITING and len(parts) > 1:
                parts = [_together(parts, by)]
                # Where nothing falls together any more, what is counted may as well double before the next time.
                waiting = -parts[0].num_rows
        counted = _together(parts, by)
        if self.units is None:
            return counted
        return counted.group_by(list(columns)).aggregate([([], "count_all")]).rename_columns([*columns, "n"])

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        wanted = list(dict.fromkeys([*columns, *self.condition]))
        units = None if self.units is None else _in_row(_read(self.units, "parquet"))
        empty = True
        for batch in _read(self.path, self.kind, wanted):
            table = pa.table(batch)
            if units is not None:
                table = table.append_column(UNIT, units(table.num_rows))
            for name, values in self.condition.items():
                table = table.filter(pc.is_in(table[name].cast(pa.string()), pa.array(values, pa.string())))
            empty = False
            yield table
        if empty:
            yield pa.table({name: pa.array([], pa.string()) for name in [*wanted, *([UNIT] if units else [])]})


def read_back(path: Path, kind: str, units: Path | None = None) -> Recount:
    """Read a release as a stranger would, every column as text."""
    if kind == "parquet":
        return Recount(path, kind, tuple(pa.parquet.read_schema(path).names), units)
    with path.open("rb") as file:
        return Recount(path, kind, tuple(pa.csv.open_csv(file, parse_options=_PARSE).schema.names), units)


def _read(path: Path, kind: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The file piece by piece. Parquet's texts stay dictionaries, as they are stored: counting those is quick."""
    if kind == "parquet":
        schema = pa.parquet.read_schema(path)
        texts = [name for name in schema.names if pa.types.is_string(schema.field(name).type)]
        with pa.parquet.ParquetFile(path, read_dictionary=texts) as file:
            yield from file.iter_batches(BATCH, columns=columns)
        return
    with path.open("rb") as stream:
        header = pa.csv.open_csv(stream, parse_options=_PARSE).schema.names
    reader = pa.csv.open_csv(
        path,
        read_options=pa.csv.ReadOptions(block_size=1 << 24),
        parse_options=_PARSE,
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()),
            include_columns=columns,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    yield from reader


def _in_row(batches: Iterator[pa.RecordBatch]) -> Callable[[int], pa.ChunkedArray]:
    """A function that gives the next so many values of the first column."""
    left = pa.chunked_array([], pa.string())

    def following(number: int) -> pa.ChunkedArray:
        nonlocal left
        while len(left) < number:
            left = pa.chunked_array([*left.chunks, next(batches).column(0).cast(pa.string())])
        found, left = left.slice(0, number), left.slice(number)
        return found

    return following


def _together(parts: Sequence[pa.Table], by: Sequence[str]) -> pa.Table:
    return pa.concat_tables(parts).group_by(list(by)).aggregate([("n", "sum")]).rename_columns([*by, "n"])


def _lines(counted: pa.Table) -> Iterator[tuple[Any, ...]]:
    """The rows, as Python has them, never many at once."""
    for batch in counted.to_batches(max_chunksize=1 << 16):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
