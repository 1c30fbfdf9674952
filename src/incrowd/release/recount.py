"""Count a written file again, with code that shares nothing with what wrote it: Arrow reads, Arrow groups.

DuckDB and the KeyTable made the release; neither is used here, so a mistake in them does not vouch for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from incrowd.plan import model


@dataclass(frozen=True)
class Recount:
    """A file read again: its columns as text, and whose each record is where a person may have several."""

    table: pa.Table
    unit: bool

    def people(self, keys: Sequence[str], more: Sequence[str] = ()) -> pa.Table:
        """People per combination of columns: 'n' beside the columns."""
        columns = [*keys, *more]
        if not self.unit:
            return self.table.group_by(columns).aggregate([([], "count_all")]).rename_columns([*columns, "n"])
        once = self.table.group_by([*columns, UNIT]).aggregate([])
        return once.group_by(columns).aggregate([([], "count_all")]).rename_columns([*columns, "n"])


UNIT = "\0unit"


def read_back(path: Path, kind: str, units: Path | None = None) -> Recount:
    """Read a release as a stranger would, every column as text. `units` gives each record's person, in row order."""
    if kind == "parquet":
        table = pa.parquet.read_table(path)
        table = table.cast(pa.schema([(name, pa.string()) for name in table.column_names]))
    else:
        with path.open("rb") as file:
            header = pa.csv.open_csv(file, parse_options=_PARSE).schema.names
        table = pa.csv.read_csv(
            path,
            parse_options=_PARSE,
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


_PARSE = pa.csv.ParseOptions(newlines_in_values=True)


def achieved(
    count: Recount, keys: Sequence[str], requirement: model.AnyRequirement
) -> tuple[bool, float, float | None]:
    """Does a requirement hold in the file? Whether, what was asked, and what is achieved (None without classes)."""
    match requirement:
        case model.KRequirement():
            smallest = pc.min(count.people(keys)["n"]).as_py()
            return smallest is None or smallest >= requirement.k, requirement.k, smallest
        case model.DistinctLRequirement():
            pairs = _with_blank_as_missing(count, requirement.sensitive).people(keys, [requirement.sensitive])
            fewest = pc.min(pairs.group_by(list(keys)).aggregate([([], "count_all")])["count_all"]).as_py()
            return fewest is None or fewest >= requirement.l, requirement.l, fewest
        case model.OneSidedRequirement():
            return _one_sided(count, keys, requirement)


def _one_sided(
    count: Recount, keys: Sequence[str], requirement: model.OneSidedRequirement
) -> tuple[bool, float, float | None]:
    whole = count.people(keys)
    if not whole.num_rows:
        return True, requirement.alpha, None
    hit = count.table.filter(pc.fill_null(pc.equal(count.table[requirement.sensitive], requirement.value), False))
    with_value = _as_dict(Recount(hit, count.unit).people(keys), keys)
    shares = [with_value.get(combination, 0) / n for combination, n in _as_dict(whole, keys).items()]
    largest = max(shares)
    passed = largest < 1 if requirement.alpha >= 1 else largest <= requirement.alpha
    return passed, requirement.alpha, largest


def _as_dict(counted: pa.Table, keys: Sequence[str]) -> dict[tuple[str | None, ...], int]:
    columns = [counted[name].to_pylist() for name in keys]
    return dict(zip(zip(*columns, strict=True), counted["n"].to_pylist(), strict=True))


def _with_blank_as_missing(count: Recount, name: str) -> Recount:
    """Missing and empty are one value of a sensitive variable (the one rule, said again on purpose)."""
    column = count.table[name]
    blank = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    return Recount(count.table.set_column(count.table.column_names.index(name), name, blank), count.unit)
