"""PostgreSQL: count there, stream the rows out, and let another engine change them.

The role needs the right to read one table or view, and nothing else. All of it happens in one read-only transaction
that sees one state of the table: what was counted is what is streamed. Messages of the database quote cells, so none
leaves this file.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import ibis
import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from psycopg import sql

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.engine import Engine, OnBatch, Result
from incrowd.rows.scan import LONGEST_LINE

T = TypeVar("T")
SOURCE = "incrowd_source"
PIECE = 1 << 16
#: So that a value has one text whatever the server, the role or the environment prefer.
_SESSION = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
}


class Postgres:
    """One table or view, every column as the text that the database writes, in one transaction that only reads.

    Host, port and database come from the address; role, password and everything else as for any program that uses
    libpq: PGUSER, PGPASSWORD, .pgpass, PGSSLMODE. `home` is the engine that gets the rows.
    """

    scans = False
    limit: int | None = None

    def __init__(self, address: str, home: Engine) -> None:
        self.spill, self.home = home.spill, home
        self._connection, self.place = open_database(address, read_only=True)
        name = sql.Identifier(*self.place.split("."))
        columns = safely(self.place, lambda: self._columns(name))
        cells = sql.SQL(", ").join(
            sql.SQL('{0}::text COLLATE "C" AS {0}').format(sql.Identifier(column)) for column in columns
        )
        # Collation C: the database must tell apart what differs in bytes, however the column compares its texts.
        base = sql.SQL("SELECT {} FROM {}").format(cells, name)
        self._base = safely(self.place, lambda: base.as_string(self._connection))
        self.table = ibis.table(dict.fromkeys(columns, "string"), name=SOURCE)

    def collect(self, expression: ibis.Table, place: str, what: str) -> pa.Table:
        """Let the database work, and fetch the result."""
        schema = expression.schema().to_pyarrow()
        return pa.Table.from_batches(list(self.stream(expression, PIECE, place)), schema)

    def stream(self, expression: ibis.Table, size: int, place: str) -> Generator[pa.RecordBatch, None, None]:
        """Let the database work, and fetch the result piece by piece: COPY as CSV, read by Arrow."""
        query = ibis.to_sql(expression, dialect="postgres")
        rest = f", {query[5:]}" if query.startswith("WITH ") else f" {query}"
        copy = f'COPY (WITH "{SOURCE}" AS ({self._base}){rest}) TO STDOUT (FORMAT csv)'
        yield from copied(self._connection, copy, expression.schema().to_pyarrow(), place)

    def bring_in(self, table: ibis.Table, place: str) -> tuple[Engine, ibis.Table]:
        """Stream the rows to the private folder of the other engine, and let go of the database."""
        if self.spill is None:
            raise IncrowdError(
                "X022", "rows from a database need a private folder to be brought to.", "Name one: spill."
            )
        copy = self.spill / f"{secrets.token_hex(8)}.parquet"
        schema = table.schema().to_pyarrow()
        with pa.parquet.ParquetWriter(copy, schema, compression="zstd") as out:
            for batch in self.stream(table, PIECE, place):
                out.write_batch(batch)
        self.close()
        return self.home, self.home.read_parquet(copy)

    def progress(self) -> float | None:
        """It does not say."""
        return None

    def close(self) -> None:
        """End the transaction and the connection."""
        self._connection.close()

    def read_parquet(self, path: Path) -> ibis.Table:
        """A database that may only be read reads no files."""
        raise _only_counts()

    def keep(self, table: ibis.Table, place: str) -> ibis.Table:
        """It keeps nothing of ours."""
        raise _only_counts()

    def lookup(self, table: pa.Table) -> ibis.Table:
        """Nor does it take tables."""
        raise _only_counts()

    def apply(
        self, table: ibis.Table, name: str, arguments: Sequence[ibis.Value], function: OnBatch, result: Result
    ) -> ibis.Table:
        """Nor functions, least of all with a secret in them."""
        raise _only_counts()

    def write(self, table: ibis.Table, path: Path, kind: str, place: str) -> None:
        """Nor does it write releases."""
        raise _only_counts()

    def _columns(self, name: sql.Composable) -> list[str]:
        found = self._connection.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(name)).description or []
        columns = [column.name for column in found]
        if len({column.lower() for column in columns}) < len(columns):
            raise InputError(
                "D011",
                f"{self.place} has two columns whose names differ in case only.",
                "Read a view that renames one.",
            )
        return columns


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
    """What COPY sends, as a file that Arrow can read."""

    def __init__(self, data: Any) -> None:
        self._data, self._rest = iter(data), b""

    def is_empty(self) -> bool:
        """Whether nothing comes (any more)."""
        while not self._rest:
            piece = next(self._data, None)
            if piece is None:
                return True
            self._rest = bytes(piece)
        return False

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


def _only_counts() -> IncrowdError:
    return IncrowdError("X022", "a database only counts and sends its rows.", "Bring them in first.")
