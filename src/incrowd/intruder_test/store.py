"""Where an intruder test is kept: one private file of SQLite, or a schema of PostgreSQL."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, inspect, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from incrowd.errors import IncrowdError, InputError, missing_extra
from incrowd.intruder_test import schema
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.schema import TRUTH

FORM = "postgresql://host/database?schema=name"
#: What the authorizer of SQLite is asked about: https://www.sqlite.org/c3ref/c_alter_table.html
_ATTACH = 24
#: Milliseconds to wait, when erasing, for others who have the file open.
WAIT = 3000


class Store:
    """A test's database. With `desk`, what tells the truth cannot be read, not even by mistake."""

    def __init__(self, place: str, *, desk: bool = False, clock: Callable[[], float] = time.time) -> None:
        self.place = place
        self.clock = clock
        self._schema = None if is_file(place) else _parse(place)[1]
        self.engine = _open_file(Path(place), desk) if self._schema is None else _open_server(place)

    @property
    def now(self) -> int:
        """Seconds since 1970."""
        return int(self.clock())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state."""
        with self._connected(False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: what is inside happened, and is on the disk, or did not happen."""
        with self._connected(True) as connection:
            yield connection

    @contextmanager
    def _connected(self, writes: bool) -> Iterator[Connection]:
        mapped = {TRUTH: None} if self._schema is None else {None: self._schema, TRUTH: f"{self._schema}_truth"}
        options: dict[str, Any] = {"schema_translate_map": mapped, "incrowd_writes": writes}
        try:
            with self.engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except DBAPIError as error:
            # Its text may quote what somebody wrote.
            kind = type(error.orig).__name__
            raise IncrowdError("X027", f"the intruder test's database failed ({kind}).", "Try again.") from None

    @cached_property
    def facts(self) -> Facts:
        """What the test is."""
        return self._state[0]

    @property
    def erased(self) -> bool:
        """Whether everything about people was deleted, at least from the tables."""
        return self._state[1] is not None

    @property
    def half_erased(self) -> bool:
        """Whether the tables are empty, and the file may still hold what was in them."""
        return (self._state[1] or 0) < 0

    @property
    def _state(self) -> tuple[Facts, int | None]:
        try:
            with self.reading() as connection:
                found = connection.execute(
                    select(schema.test.c.format, schema.test.c.facts, schema.test.c.erased)
                ).one()
        except (IncrowdError, SQLAlchemyError) as error:
            if self._schema is not None and "UndefinedTable" not in str(error):
                raise
            found = None
        if found is None:
            raise InputError(
                "D216", f"{said(self.place)} is not an intruder test.", "Make one: incrowd intruder-test new"
            )
        if found.format != schema.FORMAT:
            message = f"{said(self.place)} was made by another version of incrowd."
            raise InputError("D255", message, "Score and erase it with that version, or delete it as a whole.")
        return Facts.parse(found.facts), found.erased

    @cached_property
    def records(self) -> Table:
        """The table of the released records."""
        return schema.record_table(self.facts.columns)

    def create(self, connection: Connection, facts: Facts) -> Table:
        """All tables, empty. In PostgreSQL in schemas of their own, which must not be there."""
        if self._schema is not None:
            there = inspect(connection).get_schema_names()
            for name in (self._schema, f"{self._schema}_truth"):
                if name in there:
                    raise taken(self.place)
                connection.exec_driver_sql(f'CREATE SCHEMA "{name}"')
        records = schema.record_table(facts.columns)
        schema.meta.create_all(connection, checkfirst=False)
        records.create(connection, checkfirst=False)
        return records

    def tidy(self) -> str:
        """After erasing: nothing of it stays in free pages or in the log of SQLite, or this fails. Says how."""
        if self._schema is not None:
            return self._rewrite()
        raw = self.engine.raw_connection()
        try:
            cursor = raw.cursor()
            cursor.execute(f"PRAGMA busy_timeout={WAIT}").fetchall()
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                answer = cursor.execute(statement).fetchall()
                if answer and answer[0][0]:  # busy: somebody still reads what the log holds
                    raise _still_open(self.place)
        except sqlite3.OperationalError:
            raise _still_open(self.place) from None
        finally:
            raw.invalidate()  # it does not wait as long as the others do
            raw.close()
        return (
            "The file was written anew without them (VACUUM); deleted pages were overwritten, and its log was emptied."
        )

    def _rewrite(self) -> str:
        """Have PostgreSQL write the emptied tables anew: their old files go."""
        tables = [*schema.ERASED, self.records]
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"SET lock_timeout = {WAIT}")
                for table in tables:
                    home = self._schema if table.schema is None else f"{self._schema}_{TRUTH}"
                    connection.exec_driver_sql(f'VACUUM (FULL) "{home}"."{table.name}"')
                connection.exec_driver_sql("RESET lock_timeout")
        except DBAPIError:
            raise _still_open(said(self.place)) from None
        return (
            "PostgreSQL wrote the tables anew without them (VACUUM FULL). What its write-ahead log, replicas and "
            "backups still hold is for those who run the server."
        )

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()


@contextmanager
def new_store(place: str, clock: Callable[[], float] = time.time) -> Iterator[Store]:
    """A store to fill. It appears at its place when all went well, and never instead of something else."""
    if not is_file(place):
        store = Store(place, clock=clock)
        try:
            yield store
        finally:
            store.close()
        return
    path = Path(place)
    if path.exists() or path.is_symlink():
        raise taken(place)
    making = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        os.close(os.open(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise InputError("D229", f"nothing can be written to {path.parent} ({error.strerror}).") from None
    try:
        store = Store(str(making), clock=clock)
        yield store
        store.tidy()
        store.close()
        with making.open("rb") as file:
            os.fsync(file.fileno())
        _put(making, path)
    except FileExistsError:
        raise taken(place) from None
    finally:
        for suffix in ("", "-wal", "-shm"):
            making.with_name(making.name + suffix).unlink(missing_ok=True)


def _put(making: Path, path: Path) -> None:
    """Give the file its name; FileExistsError where a rename would overwrite."""
    try:
        os.link(making, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        making.replace(path)


def taken(place: str) -> InputError:
    """There is something already."""
    return InputError(
        "D215", f"there is something at {said(place)} already.", "A test is never overwritten: name another."
    )


def _still_open(place: str) -> InputError:
    message = f"not erased yet: another program reads {place}, so names and claims are still on the disk."
    return InputError("D253", message, "Close what has it open (serve, a viewer, a backup), and erase it again.")


def is_file(place: str) -> bool:
    """Whether the place is a file, and not a database server."""
    return "://" not in place


def said(place: str) -> str:
    """The place for messages: an address may hold what should not be shown."""
    return place if is_file(place) else "this schema"


def _open_file(path: Path, desk: bool) -> Engine:
    if not path.is_file():
        raise InputError("D216", f"{path} is not an intruder test.", "Make one: incrowd intruder-test new")
    if path.stat().st_mode & 0o077:
        raise InputError("D217", f"others can read {path}, and it holds the truth.", f"Run: chmod 600 {path}")
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, hide_parameters=True, pool_size=20, max_overflow=20, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def _prepare(raw: Any, _: object) -> None:
        connection: sqlite3.Connection = raw
        connection.isolation_level = None  # transactions begin when we say so
        # An acknowledged claim survives a crash, and what is deleted is overwritten.
        for pragma in (
            "busy_timeout=30000",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        if desk:
            connection.set_authorizer(_no_truth)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("incrowd_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _no_truth(action: int, first: str | None, *_: object) -> int:
    """For SQLite: whatever statement it is, the tables of the truth are closed to it, and so are other files."""
    closed = action == _ATTACH or (first or "").lower().startswith("truth_")
    return sqlite3.SQLITE_DENY if closed else sqlite3.SQLITE_OK


def _parse(place: str) -> tuple[URL, str]:
    try:
        parts = urlsplit(place)
        query = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
        names, port = query.pop("schema", ["incrowd_intruders"]), parts.port
    except ValueError:
        parts, query, names, port = urlsplit(""), {}, [], None
    wrong = parts.username or parts.password or query or parts.fragment or not re.fullmatch(r"/[^/]+", parts.path)
    if parts.scheme != "postgresql" or wrong or len(names) != 1 or not re.fullmatch(r"[a-z_][a-z0-9_]{0,50}", names[0]):
        hint = "User and password come from the environment: PGUSER, and PGPASSWORD or .pgpass."
        raise InputError("D218", f"this address cannot be used; write it as {FORM}.", hint)
    return URL.create("postgresql+psycopg", host=parts.hostname, port=port, database=parts.path[1:]), names[0]


def _open_server(place: str) -> Engine:
    try:
        return create_engine(_parse(place)[0], hide_parameters=True, pool_pre_ping=True, pool_size=20, max_overflow=20)
    except ImportError:
        raise missing_extra("the driver for PostgreSQL", "postgres") from None
