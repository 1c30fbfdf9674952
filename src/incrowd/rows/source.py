"""Open records: a file of any kind, PostgreSQL, a table in memory. Values stay text until a step needs numbers."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TypeAlias, TypedDict, Unpack

import ibis
import pyarrow as pa

from incrowd.errors import InputError, missing_extra
from incrowd.keys.codebook import Codebook
from incrowd.machine.paths import must_be_file
from incrowd.rows.dialect import INDEX, index_found, sniff
from incrowd.rows.engine import Engine, connect
from incrowd.rows.engines.duckdb import DuckDB
from incrowd.rows.excel import read_excel
from incrowd.rows.folder import partitions
from incrowd.rows.formats import kind_of
from incrowd.rows.frame import OURS, Rows
from incrowd.rows.json_lines import read_json
from incrowd.rows.schemas import refuse_compound, refuse_lossy
from incrowd.rows.statistical import read_statistical
from incrowd.rows.tables import PLACE, Tabular, is_tabular, read_arrow, read_table

DATABASE = "postgresql://"
#: What pandas calls an index without a name in a Parquet file.
OF_PANDAS = "__index_level_0__"

#: Where records may come from: a file or a database by its name, a table in memory, or rows that are open already.
Source: TypeAlias = str | Path | Tabular | Rows


class Reading(TypedDict, total=False):
    """How a file of records is to be read, where it does not tell itself. A plan's `data` gives it, and whoever names
    a file may: `ic.verify("people.csv", ["age"], delimiter=";")`.
    """

    delimiter: str | None  # what separates the fields of a CSV file
    encoding: str | None  # utf-8, latin-1 or cp1252: of a CSV file, or of one of SPSS, Stata or SAS
    sheet: str | int | None  # of an Excel file: its name, or its number from 1 on
    drop_index: bool  # leave out a first column without a name, which pandas writes


def open_source(
    source: Source,
    *,
    spill: Path | None = None,
    memory: str | None = None,
    engine: Engine | None = None,
    **reading: Unpack[Reading],
) -> Rows:
    """Which records are in this file, folder or table? Opens it lazily: nothing is read but the header until somebody
    counts.

    CSV (also .gz) with any common delimiter, Parquet (a file or a folder), Excel, SPSS, Stata, SAS, JSON lines,
    Arrow, `postgresql://host/database?table=schema.table`, and a table in memory: pandas, polars, Arrow. `delimiter`,
    `encoding`, `sheet` and `drop_index` say how it is read. Files opened on one `engine` (see `rows.engine.connect`)
    share it.

    >>> ic.open_source("people.csv").count()
    5000
    """
    if isinstance(source, Rows):
        return source
    engine = engine or connect(spill=spill, memory=memory)
    if is_tabular(source):
        _refuse_unused(reading, (), PLACE)
        return _checked(Rows(engine, _taken(read_table(source), engine, memory, PLACE), PLACE))
    if not isinstance(source, str | Path):
        raise InputError("D316", f"records cannot be read from a {type(source).__name__}.", "Name a file, or a table.")
    if str(source).startswith(DATABASE):
        _refuse_unused(reading, (), "the database")
        return _database(str(source), engine)
    path = Path(source)
    must_be_file(path, folder=True, hint="Paths in a plan start from the plan's own folder.")
    return _checked(_file(path, engine, memory, reading))


#: Which kinds of files each way of reading is for.
_FOR = {
    "delimiter": ("csv",),
    "encoding": ("csv", "statistical"),
    "sheet": ("excel",),
    "drop_index": ("csv", "excel", "parquet", "arrow"),
}


def _file(path: Path, engine: Engine, memory: str | None, reading: Reading) -> Rows:
    """A file, or a folder of Parquet files, by its kind."""
    kind = "parquet" if path.is_dir() else kind_of(path)
    _refuse_unused(reading, [name for name, kinds in _FOR.items() if kind in kinds], path.name)
    drop, book = reading.get("drop_index", False), Codebook()
    if kind == "parquet":
        refuse_lossy(*(partitions(path) if path.is_dir() else ([path], ())), path.name)
        table = engine.read_parquet(path)
    elif kind == "csv":
        home = _parser(engine, memory)
        dialect = sniff(path, reading.get("delimiter"), reading.get("encoding"), drop)
        table = _passed(home, home.read_csv(path, dialect), engine, path.name)
    else:
        if kind == "excel":
            held = read_excel(path, reading.get("sheet"), drop)
        elif kind == "statistical":
            held, book = read_statistical(path, reading.get("encoding"))
        elif kind == "json":
            held = read_json(path)
        else:
            held = read_arrow(path)
        table = _taken(held, engine, memory, path.name)
    index = [name for name in (INDEX, OF_PANDAS) if name in table.columns]
    if index == [OF_PANDAS] and not drop:
        raise index_found(f"{path.name} holds the index of a table of pandas.")
    notes = (
        (f"The first column of {path.name} has no name, as the index of a table, and is left out.",) if index else ()
    )
    named = kind in ("csv", "excel")
    return Rows(engine, table.drop(*index) if index else table, path.name, book, notes, first_line=named)


def _refuse_unused(reading: Reading, used: Sequence[str], place: str) -> None:
    """What somebody says of a file must be of use for it: else the file is not what they think."""
    unused = [name for name, value in reading.items() if value not in (None, False) and name not in used]
    if unused:
        raise InputError("D337", f"{unused[0]!r} says nothing of {place}, which is no such file.", "Leave it out.")


def _taken(table: pa.Table, engine: Engine, memory: str | None, place: str) -> ibis.Table:
    """A table from memory, where the engine finds it."""
    home = _parser(engine, memory)
    return _passed(home, home.lookup(table), engine, place)


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


def open_released(file: Path, spill: Path | None = None, memory: str | None = None) -> Rows:
    """A file that a run has released, or a folder of its parts: how it is written is known, and not guessed."""
    reading = Reading(delimiter=",", encoding="utf-8") if file.suffix == ".csv" else Reading()
    return open_source(file, spill=spill, memory=memory, **reading)


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


def columns_of(source: str | Path, **reading: Unpack[Reading]) -> tuple[tuple[str, ...], str]:
    """Which columns do these records have, and what are they called? Nothing else is read."""
    if str(source).startswith(DATABASE):
        found: tuple[tuple[str, ...], str] = _postgres().database_columns(str(source))
        return found
    path = Path(source)
    stamp = (path.stat().st_mtime_ns, path.stat().st_size, path.stat().st_ino) if path.is_file() else None
    known = (
        str(path.resolve()),
        str(source),
        stamp,
        tuple(sorted((name, str(value)) for name, value in reading.items())),
    )
    if stamp is None or known not in _columns:
        rows = open_source(source, **reading)  # a text is read to its end, to see whether all of it can be
        rows.close()
        if stamp is None:
            return rows.columns, rows.place
        if len(_columns) >= MOST_KNOWN:
            _columns.clear()
        _columns[known] = rows.columns, rows.place
    return _columns[known]


#: The columns of files that were asked for before, as long as those do not change: every edit of a plan asks for them.
_columns: dict[tuple[object, ...], tuple[tuple[str, ...], str]] = {}
MOST_KNOWN = 50


def _database(source: str, engine: Engine) -> Rows:
    """The records of a database, copied to where the engine finds them: they are read once, in one state."""
    reader, folder = _postgres(), engine.spill
    if folder is None:
        private = TemporaryDirectory(prefix="incrowd-")  # mode 0700
        weakref.finalize(engine, private.cleanup)
        folder = Path(private.name)
    file, place = reader.read_database(source, folder)
    return _checked(Rows(engine, engine.read_parquet(file), place))


def _postgres() -> ModuleType:
    try:
        from incrowd.rows.engines import postgres
    except ImportError:
        raise missing_extra("the driver for PostgreSQL", "postgres") from None
    return postgres
