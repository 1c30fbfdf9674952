"""Count a written file again, with code that shares nothing with what wrote it: Arrow reads, Arrow groups.

DuckDB and the KeyTable made the release; neither is used here, so a mistake in them does not vouch for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

Combination = tuple[str | None, ...]
# Names that no column of a file can have.
UNIT, SENSITIVE, PEOPLE = "\0unit", "\0sensitive", "\0people"
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
    """A file read again: its columns as text, and whose each record is where a person may have several."""

    table: pa.Table
    unit: bool

    def people(self, keys: Sequence[str]) -> dict[Combination, int]:
        """People in each class."""
        return _as_dict(self._count(keys), keys)

    def smallest(self, keys: Sequence[str]) -> int | None:
        """People in the smallest class; None without any. Stays in Arrow, for files with millions of classes."""
        smallest: int | None = pc.min(self._count(keys)[PEOPLE]).as_py()
        return smallest

    def spread(self, keys: Sequence[str], sensitive: str) -> dict[Combination, Counter[str | None]]:
        """How a sensitive variable is spread in each class; missing and empty are one value."""
        column = self.table[sensitive]
        blank = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
        # Under a name of its own: a sensitive variable may be a key of the requirement, too.
        merged = Recount(self.table.append_column(SENSITIVE, blank), self.unit)
        counted = _as_dict(merged._count([*keys, SENSITIVE]), [*keys, SENSITIVE])
        classes: dict[Combination, Counter[str | None]] = {}
        for row, people in counted.items():
            classes.setdefault(row[:-1], Counter())[row[-1]] = people
        return classes

    def where(self, where: Mapping[str, Sequence[str]]) -> Recount:
        """Only the records that meet a condition."""
        parts = [pc.is_in(self.table[name], pa.array(values, pa.string())) for name, values in where.items()]
        return Recount(self.table.filter(reduce(pc.and_, parts)), self.unit)

    def _count(self, columns: Sequence[str]) -> pa.Table:
        # Under plain names: Arrow reads a name that begins with '.' or '[' as a path into the column.
        plain = [f"c{i}" for i in range(len(columns))]
        table = pa.table(dict(zip(plain, (self.table[name] for name in columns), strict=True)))
        if self.unit:
            table = table.append_column(UNIT, self.table[UNIT]).group_by([*plain, UNIT]).aggregate([])
        return table.group_by(plain).aggregate([([], "count_all")]).rename_columns([*columns, PEOPLE])


def read_back(path: Path, kind: str, units: Path | None = None) -> Recount:
    """Read a release as a stranger would. `units` gives each record's person, in row order.

    Whatever is counted must be text, so that no two readers can write a number or a date in two ways.
    """
    if kind == "parquet":
        table = pa.parquet.read_table(path)
    else:
        with path.open("rb") as file:
            header = pa.csv.open_csv(file, parse_options=_PARSE).schema.names
        table = pa.csv.read_csv(
            path,
            # In a file of one column an empty line is a record.
            parse_options=pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    if units is not None:
        table = table.append_column(UNIT, pa.parquet.read_table(units).column(0))
    return Recount(table, units is not None)


def _as_dict(counted: pa.Table, columns: Sequence[str]) -> dict[Combination, int]:
    texts = [counted[name].to_pylist() for name in columns]
    return dict(zip(zip(*texts, strict=True), counted[PEOPLE].to_pylist(), strict=True))
