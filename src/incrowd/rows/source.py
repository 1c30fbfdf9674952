"""Open records: CSV, Parquet, Excel, PostgreSQL, a table in memory. Values stay text until a step needs numbers."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TypeAlias

import ibis

from incrowd.errors import InputError, missing_extra
from incrowd.machine.paths import must_be_file
from incrowd.rows.dialect import sniff
from incrowd.rows.engine import Engine, connect
from incrowd.rows.engines.duckdb import DuckDB
from incrowd.rows.excel import read_excel
from incrowd.rows.folder import partitions
from incrowd.rows.frame import OURS, Rows
from incrowd.rows.schemas import refuse_compound, refuse_lossy
from incrowd.rows.tables import PLACE, Tabular, is_tabular, read_table

DATABASE = "postgresql://"

#: Where records may come from: a file or a database by its name, a table in memory, or rows that are open already.
Source: TypeAlias = str | Path | Tabular | Rows


def open_source(
    source: Source,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    spill: Path | None = None,
    memory: str | None = None,
    engine: Engine | None = None,
) -> Rows:
    """Which records are in this file, folder or table? Opens it lazily: nothing is read but the header until somebody
    counts.

    CSV (also .gz) with any common delimiter, Parquet (a file or a folder), the first sheet of an Excel file,
    `postgresql://host/database?table=schema.table`, and a table in memory: pandas, polars, Arrow. Files opened on one
    `engine` (see `rows.engine.connect`) share it.

    >>> ic.open_source("people.csv").count()
    5000
    """
    if isinstance(source, Rows):
        return source
    engine = engine or connect(spill=spill, memory=memory)
    if is_tabular(source):
        home = _parser(engine, memory)
        return _checked(Rows(engine, _passed(home, home.lookup(read_table(source)), engine, PLACE), PLACE))
    if not isinstance(source, str | Path):
        raise InputError("D316", f"records cannot be read from a {type(source).__name__}.", "Name a file, or a table.")
    if str(source).startswith(DATABASE):
        return _database(str(source), engine)
    path = Path(source)
    must_be_file(path, folder=True, hint="Paths in a plan start from the plan's own folder.")
    if path.is_dir() or path.suffix.lower() == ".parquet":
        refuse_lossy(*(partitions(path) if path.is_dir() else ([path], ())), path.name)
        return _checked(Rows(engine, engine.read_parquet(path), path.name))
    home = _parser(engine, memory)
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        table = home.lookup(read_excel(path))
    else:
        table = home.read_csv(path, sniff(path, delimiter, encoding))
    return _checked(Rows(engine, _passed(home, table, engine, path.name), path.name))


def _parser(engine: Engine, memory: str | None) -> DuckDB:
    """One parser for all engines: what is refused, and what a cell is, must not depend on who counts."""
    return engine if isinstance(engine, DuckDB) else DuckDB(engine.spill, memory)


def _passed(home: DuckDB, table: ibis.Table, engine: Engine, place: str) -> ibis.Table:
    """The table where the engine finds it: an engine of its own process gets a copy."""
    if home is engine:
        return table
    assert engine.spill is not None  # such an engine always has a folder to pass files through
    copy = engine.spill / f"{secrets.token_hex(8)}.parquet"
    home.write(table, copy, "parquet", place)
    return engine.read_parquet(copy)


def reopen(path: Path, engine: Engine) -> Rows:
    """A Parquet file that rows wrote for themselves: hidden columns are welcome."""
    return Rows(engine, engine.read_parquet(path), path.name)


def _checked(rows: Rows) -> Rows:
    """Refuse columns that the verbs cannot carry."""
    if any(name.lower().startswith(OURS) for name in rows.columns):
        raise InputError(
            "D065", f"a column of {rows.place} begins with {OURS!r}.", "Rename it: incrowd uses such names."
        )
    refuse_compound([kind.is_nested() or kind.is_binary() for kind in rows.table.schema().types], rows.place)
    return rows


def _database(source: str, home: Engine) -> Rows:
    try:
        from incrowd.rows.engines.postgres import Postgres
    except ImportError:
        raise missing_extra("the driver for PostgreSQL", "postgres") from None
    database = Postgres(source, home)
    return _checked(Rows(database, database.table, database.place))
