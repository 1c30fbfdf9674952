"""Open a file of records: CSV, Parquet or Excel. Values stay text as they are written until a step needs numbers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.rows.dialect import sniff
from incrowd.rows.engine import LONGEST_LINE, connect, safely
from incrowd.rows.frame import OURS, Rows


def open_source(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    spill: Path | None = None,
    memory: str | None = None,
    connection: Any = None,
) -> Rows:
    """Which records are in this file? Opens it lazily: nothing is read but the header until somebody counts.

    CSV (also .gz) with any common delimiter, Parquet, and the first sheet of an Excel file. Files opened on one
    `connection` (see `rows.engine.connect`) share its engine.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("D000", f"there is no file {path}.", "Paths in a plan start from the plan's own folder.")
    connection = connection or connect(spill, memory)

    def read() -> ibis.Table:
        match path.suffix.lower():
            case ".parquet":
                return connection.read_parquet(path)
            case ".xlsx" | ".xlsm":
                return ibis.memtable(_excel(path))
            case _:
                return _csv(connection, path, delimiter, encoding)

    rows = Rows(connection, safely(path.name, read), path.name)
    if any(name.lower().startswith(OURS) for name in rows.columns):
        raise InputError(
            "D065", f"a column of {path.name} begins with {OURS!r}.", "Rename it: incrowd uses such names."
        )
    odd = [name for name, kind in rows.table.schema().items() if kind.is_nested() or kind.is_binary()]
    if odd:
        message = f"column {odd[0]!r} of {path.name} holds lists, structures or bytes."
        raise InputError("D066", message, "Keep plain values: texts, numbers, dates.")
    return rows


def _csv(connection: Any, path: Path, delimiter: str | None, encoding: str | None) -> ibis.Table:
    dialect = sniff(path, delimiter, encoding)
    return connection.read_csv(
        path,
        auto_detect=False,
        header=True,
        columns=dict.fromkeys(dialect.columns, "VARCHAR"),
        delim=dialect.delimiter,
        quote='"',
        escape='"',
        encoding=dialect.encoding,
        nullstr="",
        # A quoted empty field is an empty text, an unquoted one is missing; they go out as they came in.
        allow_quoted_nulls=False,
        strict_mode=True,
        max_line_size=LONGEST_LINE,
    )


def _excel(path: Path) -> pa.Table:
    """The first sheet, each cell as its text: whole numbers without a decimal point, dates as ISO."""
    import openpyxl  # only here: Excel is rare and the import is slow

    lines: list[list[Any]] | None = None
    # openpyxl raises whatever zip and XML raise, with cell texts in it; none of that gets out.
    with suppress(Exception):
        sheet = openpyxl.load_workbook(path, read_only=True, data_only=True).worksheets[0]
        lines = [list(line) for line in sheet.iter_rows(values_only=True)]
    if lines is None:
        raise InputError("D001", f"{path.name} cannot be read as an Excel file.", "Save it again, or as CSV.")
    if not lines or not any(lines[0]):
        raise InputError("D002", f"{path.name} has no header line.", "The first line must name the columns.")
    header = ["" if name is None else str(name) for name in lines[0]]
    if "" in header or len({name.lower() for name in header}) < len(header):
        raise InputError("D011", f"line 1 of {path.name} leaves a column unnamed or names one twice.", "Rename it.")
    body = [line for line in lines[1:] if any(cell is not None for cell in line)]  # blank rows are no records
    columns = {name: [_cell(line[i]) if i < len(line) else None for line in body] for i, name in enumerate(header)}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "isoformat"):
        text: str = value.isoformat()
        return text.removesuffix("T00:00:00")
    return str(value)
