"""Files in which two values are easily taken for one: whatever any common reader keeps apart must stay apart."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from fuzz import tables

Columns = dict[str, list[str | None]]
#: The column that is twisted.
NAME = "age"
#: Parts of a folder whose types differ: type and values of the first part, and of the others.
MIXED: dict[str, tuple[pa.DataType, list[str], pa.DataType, list[str]]] = {
    "int-float": (pa.int64(), ["1", "2", "3"], pa.float64(), ["1.6", "2.4", "0.8"]),
    "float-int": (pa.float32(), ["0.5", "1.5"], pa.int64(), ["16777217", "16777219", "3"]),
    "date-time": (pa.date32(), ["2024-01-01"], pa.timestamp("us"), ["2024-01-01 09:30:00", "2024-01-01 10:00:00"]),
    "int-text": (pa.int64(), ["1", "2"], pa.string(), ["01", "2 ", "two"]),
    "bool-int": (pa.bool_(), ["true", "false"], pa.int64(), ["2", "3"]),
}
LONG = "1234567890" * 5


def twist(rng: Random, columns: Columns, style: dict[str, Any]) -> str | None:
    """Choose one that the style allows, and put its values into the column."""
    ways = {
        "csv": ["spaced"],
        "xlsx": ["formulas"],
        "parquet": ["long", "twice"],
        "parts": [*MIXED] if style.get("cuts") else [],
    }
    if rng.random() > 0.4 or not (fitting := ways.get(style["form"])):
        return None
    way, many = rng.choice(fitting), len(columns[NAME])
    style["types"] = {name: kind for name, kind in style.get("types", {}).items() if name != NAME}
    if way in MIXED:
        _, first, _, others = MIXED[way]
        columns[NAME] = [rng.choice(first if i < style["cuts"][0] else others) for i in range(many)]
        style["cuts"] = style["cuts"][:1]
    elif way == "spaced":
        columns[NAME] = [rng.choice(["York", ' "York"', "Leeds"]) for _ in range(many)]
    elif way == "formulas":
        columns[NAME] = [rng.choice(["=1+1", "=2+2", "a"]) for _ in range(many)]
    elif way == "long":
        columns[NAME] = [LONG + rng.choice("12") for _ in range(many)]
    return way


def write(folder: Path, columns: Columns, style: dict[str, Any]) -> str:
    """Write the file, with its twist; gives its name."""
    way = style["twist"]
    if way is None:
        return tables.write(folder, "people", columns, style)
    if way in MIXED:
        return _parts(folder, columns, style, way)
    return {"spaced": _spaced, "formulas": _formulas, "long": _long, "twice": _twice}[way](folder, columns, style)


def _parts(folder: Path, columns: Columns, style: dict[str, Any], way: str) -> str:
    (folder / "people").mkdir()
    first, _, second, _ = MIXED[way]
    cut = style["cuts"][0]
    for number, (part, kind) in enumerate([(slice(None, cut), first), (slice(cut, None), second)]):
        table = _texts({name: cells[part] for name, cells in columns.items()})
        pq.write_table(_put(table, table[NAME].cast(kind)), folder / "people" / f"part-{number}.parquet")
    return "people"


def _spaced(folder: Path, columns: Columns, style: dict[str, Any]) -> str:
    """A quotation mark after a space is part of the value, by RFC 4180 and by every common reader."""
    mark = "\ue000"
    hidden = {**columns, NAME: [cell and cell.replace('"', mark) for cell in columns[NAME]]}
    text = tables.to_csv(hidden, style["delimiter"], style["ending"]).replace(mark, '"')
    (folder / "people.csv").write_text(text, newline="")
    return "people.csv"


def _formulas(folder: Path, columns: Columns, style: dict[str, Any]) -> str:
    """Formulas whose results nobody has stored."""
    tables.write(folder, "people", columns, {"form": "xlsx"})
    book = openpyxl.load_workbook(folder / "people.xlsx")
    for row in book.active.iter_rows():
        for cell in row:
            if isinstance(cell.value, str) and cell.value.startswith("="):
                cell.data_type = "f"
    book.save(folder / "people.xlsx")
    return "people.xlsx"


def _long(folder: Path, columns: Columns, style: dict[str, Any]) -> str:
    exact = pa.array([Decimal(cell or "0") for cell in columns[NAME]], pa.decimal256(60, 0))
    pq.write_table(_put(_texts(columns), exact), folder / "people.parquet")
    return "people.parquet"


def _twice(folder: Path, columns: Columns, style: dict[str, Any]) -> str:
    table = _texts(columns)
    pq.write_table(table.append_column(NAME, table[NAME].slice(0)), folder / "people.parquet")
    return "people.parquet"


def _texts(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


def _put(table: pa.Table, column: Any) -> pa.Table:
    return table.set_column(table.column_names.index(NAME), NAME, column)
