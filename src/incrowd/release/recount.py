"""Count a written file again, with code that shares nothing with what wrote it: Arrow reads, Arrow groups.

DuckDB and the KeyTable made the release; neither is used here, so a mistake in them does not vouch for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from incrowd.errors import NotReleasable
from incrowd.rows.excel import read_excel

Combination = tuple[str | None, ...]
# Names that no column of a file can have.
UNIT, PEOPLE = "\0unit", "\0people"
#: Records of a Parquet file read at once.
BATCH = 1 << 19
#: Counted rows that wait before they are counted together.
MOST_WAITING = 1 << 21
#: Decimals with more places may be written with an exponent.
PLACES = 6
_PARSE = pa.csv.ParseOptions(newlines_in_values=True)


@dataclass(frozen=True)
class GateInputs:
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
    sheet: pa.Table | None = field(default=None, repr=False)  # of an Excel file, which cannot be read in part
    #: What was counted already, by keys and sensitive variable: a file of millions is not read twice for the same.
    counted: dict[tuple[tuple[str, ...], str | None], pa.Table] = field(default_factory=dict, repr=False)

    @cached_property
    def records(self) -> int:
        """How many records there are, counted by reading one column to its end."""
        return sum(batch.num_rows for batch in self._read(self.columns[:1]))

    def people(self, keys: Sequence[str]) -> dict[Combination, int]:
        """People in each class."""
        return {line[:-1]: line[-1] for line in _lines(self._count(keys))}

    def smallest(self, keys: Sequence[str]) -> int | None:
        """People in the smallest class; None without any. Stays in Arrow, for files with millions of classes."""
        smallest: int | None = pc.min(self._count(keys)[PEOPLE]).as_py()
        return smallest

    def spread(self, keys: Sequence[str], sensitive: str) -> Iterator[tuple[Combination, int, Counter[str | None]]]:
        """Class by class: its people, and how a sensitive variable is spread in it; missing and empty are one value."""
        people = None if self.units is None else self.people(keys)
        counted = self._count(keys, sensitive)
        counted = counted.sort_by([(name, "ascending") for name in counted.column_names[: len(keys)]])
        for combination, rows in groupby(_lines(counted), key=lambda row: row[:-2]):
            values: Counter[str | None] = Counter()
            for row in rows:
                values[row[-2]] += row[-1]
            yield combination, values.total() if people is None else people[combination], values

    def where(self, condition: Mapping[str, Sequence[str]]) -> Recount:
        """Only the records that meet a condition."""
        return replace(self, condition=condition, counted={})

    def one_text(self, columns: Sequence[str]) -> bool:
        """Is there only one way to write the values of these columns as text? Two readers of a floating point number
        may write it in two ways; of an integer, a date, or a decimal without exponents they cannot.
        """
        if self.kind in ("csv", "xlsx"):
            return True
        schema = pa.parquet.read_schema(_files(self.path)[0])
        return all(_plain(schema.field(name).type) for name in columns)

    def _count(self, keys: Sequence[str], sensitive: str | None = None) -> pa.Table:
        """Distinct rows and their people; added up from a finer count where there is one."""
        wanted = (tuple(keys), sensitive)
        if wanted in self.counted:
            return self.counted[wanted]
        finer = [table for (by, _), table in self.counted.items() if by == wanted[0]]
        # A person with two values is in two rows of the finer count, so it does not add up.
        if sensitive is None and finer and self.units is None:
            by = finer[0].column_names[: len(keys)]
            found = _together([finer[0].select([*by, PEOPLE])], by)
        else:
            found = self._count_file(keys, sensitive)
        self.counted[wanted] = found
        return found

    def _count_file(self, keys: Sequence[str], sensitive: str | None) -> pa.Table:
        """Each batch is counted, and the counts are counted together.

        Under plain names, for a column may be asked for twice, and Arrow reads a name like '.a' as a path.
        """
        columns = [*keys, *([] if sensitive is None else [sensitive])]
        plain = [f"c{i}" for i in range(len(columns))]
        by = [*plain, UNIT] if self.units is not None else plain
        schema = pa.schema([*((name, pa.string()) for name in by), (PEOPLE, pa.int64())])
        parts, waiting = [schema.empty_table()], 0
        for batch in self._batches(columns):
            if sensitive is not None:
                # Before people are counted: one who has both an empty and a missing value has one value.
                last = len(keys)
                batch = batch.set_column(last, sensitive, _blank_as_missing(batch.column(last)))
            part = batch.rename_columns(by).group_by(by).aggregate([([], "count_all")])
            parts.append(part.rename_columns([*by, PEOPLE]).cast(schema))
            waiting += part.num_rows
            if waiting > MOST_WAITING:
                parts = [_together(parts, by)]
                # Where nothing falls together any more, what is counted may as well double before the next time.
                waiting = -parts[0].num_rows
        counted = _together(parts, by)
        if self.units is None:
            return counted
        return counted.group_by(plain).aggregate([([], "count_all")]).rename_columns([*plain, PEOPLE])

    def _read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        if self.sheet is not None:
            return iter(self.sheet.select(list(columns)).to_batches(BATCH))
        return _read(self.path, self.kind, columns)

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """The columns of the records that meet the condition and, last, their person."""
        wanted = list(dict.fromkeys([*columns, *self.condition]))
        units = None if self.units is None else _in_row(_read(self.units, "parquet"))
        for batch in self._read(wanted):
            found = [batch.column(name) for name in columns]
            if units is not None:
                found.append(units(batch.num_rows))
            table = pa.table(found, names=[str(i) for i in range(len(found))])
            tests = [
                pc.is_in(batch.column(name).cast(pa.string()), pa.array(values, pa.string()))
                for name, values in self.condition.items()
            ]
            yield table.filter(reduce(pc.and_, tests)) if tests else table


def read_back(path: Path, kind: str, units: Path | None = None) -> Recount:
    """Read a release as a stranger would, every column as text."""
    if kind == "xlsx":
        sheet = read_excel(path)
        return Recount(path, kind, tuple(sheet.column_names), units, sheet=sheet)
    names = _header(path) if kind == "csv" else _one_schema(_files(path)).names
    return Recount(path, kind, tuple(names), units)


def _read(path: Path, kind: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The file piece by piece. Parquet's texts stay dictionaries, as they are stored: counting those is quick."""
    if kind != "csv":
        for part in _files(path):
            schema = pa.parquet.read_schema(part)
            texts = [name for name in schema.names if pa.types.is_string(schema.field(name).type)]
            with pa.parquet.ParquetFile(part, read_dictionary=texts) as file:
                yield from file.iter_batches(BATCH, columns=columns)
        return
    header = _header(path)
    yield from pa.csv.open_csv(
        path,
        read_options=pa.csv.ReadOptions(block_size=1 << 24),
        # In a file of one column an empty line is a record.
        parse_options=pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()),
            include_columns=columns,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _plain(kind: pa.DataType) -> bool:
    plain = pa.types.is_string(kind) or pa.types.is_int64(kind) or pa.types.is_date32(kind)
    return bool(plain or (pa.types.is_decimal128(kind) and 0 < kind.scale <= PLACES))


def _files(path: Path) -> list[Path]:
    """A Parquet file, or every file of a folder of parts: nothing may hide there."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def _one_schema(files: Sequence[Path]) -> pa.Schema:
    """The schema that all parts have."""
    first, *others = (pa.parquet.read_schema(file).remove_metadata() for file in files)
    if any(other != first for other in others):
        raise NotReleasable("R002", "the parts of the written release do not have the same columns.")
    return first


def _header(path: Path) -> list[str]:
    with path.open("rb") as stream:
        names: list[str] = pa.csv.open_csv(stream, parse_options=_PARSE).schema.names
    return names


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


def _blank_as_missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    text = column.cast(pa.string())
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _together(parts: Sequence[pa.Table], by: Sequence[str]) -> pa.Table:
    return pa.concat_tables(parts).group_by(list(by)).aggregate([(PEOPLE, "sum")]).rename_columns([*by, PEOPLE])


def _lines(counted: pa.Table) -> Iterator[tuple[Any, ...]]:
    """The rows, as Python has them, never many at once."""
    for batch in counted.to_batches(max_chunksize=1 << 16):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
