"""Open records: CSV, Parquet, Excel or PostgreSQL. Values stay text as they are written until a step needs numbers."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.dialect import sniff
from incrowd.rows.engine import Engine, connect
from incrowd.rows.engines.duckdb import DuckDB
from incrowd.rows.frame import OURS, Rows

DATABASE = "postgresql://"


def open_source(
    source: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    spill: Path | None = None,
    memory: str | None = None,
    engine: Engine | None = None,
) -> Rows:
    """Which records are in this file, folder or table? Opens it lazily: nothing is read but the header until somebody
    counts.

    CSV (also .gz) with any common delimiter, Parquet (a file or a folder), the first sheet of an Excel file, and
    `postgresql://host/database?table=schema.table`. Files opened on one `engine` (see `rows.engine.connect`) share it.
    """
    engine = engine or connect(spill=spill, memory=memory)
    if str(source).startswith(DATABASE):
        return _database(str(source), engine)
    path = Path(source)
    if not path.exists():
        raise InputError("D000", f"there is no file {path}.", "Paths in a plan start from the plan's own folder.")
    if path.is_dir() or path.suffix.lower() == ".parquet":
        return _checked(Rows(engine, engine.read_parquet(path), path.name))
    # One parser for all engines: what is refused, and what a cell is, must not depend on who counts.
    home = engine if isinstance(engine, DuckDB) else DuckDB(engine.spill, memory)
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        table = home.lookup(_excel(path))
    else:
        table = home.read_csv(path, sniff(path, delimiter, encoding))
    if home is not engine:
        assert engine.spill is not None  # an engine of its own process always has a folder to pass files through
        copy = engine.spill / f"{secrets.token_hex(8)}.parquet"
        home.write(table, copy, "parquet", path.name)
        table = engine.read_parquet(copy)
    return _checked(Rows(engine, table, path.name))


def reopen(path: Path, engine: Engine) -> Rows:
    """A Parquet file that rows wrote for themselves: hidden columns are welcome."""
    return Rows(engine, engine.read_parquet(path), path.name)


def _checked(rows: Rows) -> Rows:
    """Refuse columns that the verbs cannot carry."""
    if any(name.lower().startswith(OURS) for name in rows.columns):
        raise InputError(
            "D065", f"a column of {rows.place} begins with {OURS!r}.", "Rename it: incrowd uses such names."
        )
    odd = [name for name, kind in rows.table.schema().items() if kind.is_nested() or kind.is_binary()]
    if odd:
        message = f"column {odd[0]!r} of {rows.place} holds lists, structures or bytes."
        raise InputError("D066", message, "Keep plain values: texts, numbers, dates.")
    return rows


def _database(source: str, home: Engine) -> Rows:
    try:
        from incrowd.rows.engines.postgres import Postgres
    except ImportError:
        raise IncrowdError(
            "X020", "the driver for PostgreSQL is not installed.", "Install it: pip install 'incrowd[postgres]'"
        ) from None
    database = Postgres(source, home)
    return _checked(Rows(database, database.table, database.place))


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
