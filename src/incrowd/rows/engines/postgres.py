"""PostgreSQL: copy one table or view out, and let another engine count and change it.

The role needs the right to read it, and nothing else. It is read once, in a read-only transaction that sees one state
of the table. Messages of the database quote cells, so none leaves this file.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from psycopg import sql

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.scan import LONGEST_LINE

T = TypeVar("T")
#: So many records are passed on at once: a call of Python for each would take longer than the database.
TOGETHER = 4096
#: So that a value has one text whatever the server, the role or the environment prefer.
_SESSION = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
}


def read_database(address: str, folder: Path) -> tuple[Path, str]:
    """Copy the table or view that an address names into a Parquet file in a private folder, every column as the text
    that the database writes. Gives the file, and what the table is called.

    Host, port and database come from the address; role, password and everything else as for any program that uses
    libpq: PGUSER, PGPASSWORD, .pgpass, PGSSLMODE.
    """
    connection, place = open_database(address, read_only=True)
    file = folder / f"{secrets.token_hex(8)}.parquet"
    try:
        columns = _columns(connection, place)
        texts = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns)
        query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv)").format(texts, _name(place))
        schema = pa.schema([(column, pa.string()) for column in columns])
        copy = safely(place, lambda: query.as_string(connection))
        with pa.parquet.ParquetWriter(file, schema, compression="zstd", compression_level=1) as out:
            for batch in copied(connection, copy, schema, place):
                out.write_batch(batch)
    finally:
        connection.close()
    return file, place


def database_columns(address: str) -> tuple[tuple[str, ...], str]:
    """Which columns has the table, and what is it called? Nothing is read."""
    connection, place = open_database(address, read_only=True)
    try:
        return tuple(_columns(connection, place)), place
    finally:
        connection.close()


def _columns(connection: Any, place: str) -> list[str]:
    query = sql.SQL("SELECT * FROM {} LIMIT 0").format(_name(place))
    columns = [column.name for column in safely(place, lambda: connection.execute(query).description) or []]
    if len({column.lower() for column in columns}) < len(columns):
        raise InputError(
            "D011", f"{place} has two columns whose names differ in case only.", "Read a view that renames one."
        )
    return columns


def _name(place: str) -> sql.Identifier:
    return sql.Identifier(*place.split("."))


def safely(place: str, work: Callable[[], T]) -> T:
    """Let the database work; what it raises becomes an error of ours, without what it says of the data."""
    try:
        return work()
    except (psycopg.Error, pa.ArrowException, OSError) as error:
        state, kind = getattr(error, "sqlstate", None), type(error).__name__
    # Raised here and not in an except block, so that the database's message is not even in the chain of causes.
    raise _fault(state, kind, place)


def _fault(state: str | None, kind: str, place: str) -> IncrowdError:
    """By SQLSTATE: what the database complains of, and not what it says."""
    if state == "42501":
        return InputError("D082", f"the role may not read {place}.", "It needs SELECT on it, and USAGE on its schema.")
    if state in ("42P01", "3F000"):
        return InputError("D083", f"there is no table or view {place} in the database.", "Name it with its schema.")
    if state is None or state[:2] in ("08", "57"):
        return IncrowdError(
            "X021", f"the database was lost while {place} was read ({kind}). Nothing was released.", "Run again."
        )
    return InputError("D084", f"the database cannot read {place} (SQLSTATE {state}).", "Its own log says why.")


def copied(connection: Any, query: str, schema: pa.Schema, place: str) -> Generator[pa.RecordBatch, None, None]:
    """What a COPY TO STDOUT as CSV sends, batch by batch. Closed early, it ends the connection."""
    copy = connection.cursor().copy(query.encode())
    try:
        data = safely(place, copy.__enter__)
        yield from _batches(data, schema, place)
        safely(place, lambda: copy.__exit__(None, None, None))
    except BaseException:
        connection.close()  # not copy.__exit__: it would wait for the rest, and raise the database's own error
        raise


def open_database(address: str, *, read_only: bool) -> tuple[Any, str]:
    """A connection in one transaction that sees one state, and the name of the table that the address gives."""
    parts = urlsplit(address)
    table = parse_qs(parts.query).get("table", [""])[0]
    if parts.username is not None or parts.password is not None or not table:
        raise InputError(
            "D081", "the address of the database holds a user or a password, or no table.",
            "Write postgresql://host/database?table=schema.table, and set PGUSER and PGPASSWORD or .pgpass.",
        )  # fmt: skip
    given = {"host": parts.hostname, "port": parts.port, "dbname": unquote(parts.path.strip("/"))}
    return _connect({name: value for name, value in given.items() if value}, read_only), table


def _connect(known: dict[str, Any], read_only: bool) -> Any:
    connection = None
    try:
        connection = psycopg.connect(**known, connect_timeout=10, application_name="incrowd")
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = read_only
        for name, value in _SESSION.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        return connection
    except psycopg.Error:
        if connection is not None:
            connection.close()
    raise InputError(
        "D085",
        "the database cannot be reached, or does not let this role in.",
        "Role and password come from PGUSER, and PGPASSWORD or .pgpass; host, port and database from the plan.",
    )


def _batches(data: Any, schema: pa.Schema, place: str) -> Iterator[pa.RecordBatch]:
    """COPY's CSV as Arrow batches: an unquoted empty field is missing, a quoted one is an empty text."""
    file = _Copied(data)
    if safely(place, file.is_empty):
        return
    reader = safely(
        place,
        lambda: pa.csv.open_csv(
            file,
            read_options=pa.csv.ReadOptions(column_names=schema.names, block_size=4 * LONGEST_LINE, use_threads=False),
            # In a table of one column a missing value is an empty line.
            parse_options=pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(
                column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
            ),
        ),
    )
    while (batch := safely(place, lambda: next(reader, None))) is not None:
        yield batch


class _Copied(io.RawIOBase):
    """What COPY sends, a record at a time, as a file that Arrow can read in large pieces."""

    def __init__(self, data: Any) -> None:
        self._data, self._rest = iter(data), memoryview(b"")

    def is_empty(self) -> bool:
        """Whether nothing comes (any more)."""
        if not self._rest:
            self._rest = memoryview(b"".join(islice(self._data, TOGETHER)))
        return not self._rest

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with as much as is there."""
        if self.is_empty():
            return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
