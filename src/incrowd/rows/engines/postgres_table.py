"""A new table of PostgreSQL, filled and compared inside one transaction. Messages of the database stay here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import sql

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.engines.postgres import copied, open_database


@contextmanager
def new_table(address: str, columns: Sequence[str]) -> Iterator[NewTable]:
    """The table, committed at the end; whatever goes wrong inside leaves the database as it was."""
    connection, place = open_database(address, read_only=False)
    done = False
    try:
        made = NewTable(connection, place, columns)
        yield made
        made.commit()
        done = True
    finally:
        if not done:
            # Closing without a commit takes everything back, also when the connection is gone already.
            connection.close()
    connection.close()


class NewTable:
    """A table of texts in a transaction that only this run sees."""

    def __init__(self, connection: Any, place: str, columns: Sequence[str]) -> None:
        self._connection, self._place = connection, place
        self._name = sql.Identifier(*place.split("."))
        self._schema = pa.schema([(column, pa.string()) for column in columns])
        kinds = sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(column)) for column in columns)
        self.safely(lambda: connection.execute(sql.SQL("CREATE TABLE {} ({})").format(self._name, kinds)))

    def fill(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Copy records in."""
        query = sql.SQL("COPY {} FROM STDIN").format(self._name)

        def work() -> None:
            with self._connection.cursor() as cursor, cursor.copy(query) as out:
                for batch in batches:
                    for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                        out.write_row(row)

        self.safely(work)

    def check_equal(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Read the table back, and refuse to go on unless it holds exactly these records in this order."""
        # One scan from the beginning on: a large table may otherwise be read from the middle.
        self.safely(lambda: self._connection.execute("SET LOCAL synchronize_seqscans = off"))
        query = sql.SQL("COPY {} TO STDOUT (FORMAT csv)").format(self._name).as_string(self._connection)
        found = _pieces(copied(self._connection, query, self._schema, self._place))
        if any(ours != theirs for ours, theirs in zip_longest(_pieces(batches), found)):
            message = f"the table {self._place} does not hold what was released. Nothing was published."
            raise IncrowdError("X024", message)

    def commit(self) -> None:
        """Let everybody see it."""
        failed = False
        try:
            self._connection.commit()
        except psycopg.Error:
            failed = True
        if failed:
            message = f"the release was published, but its table {self._place} was not: the database went away."
            raise IncrowdError("X023", message, "Run again.")

    def safely(self, work: Any) -> None:
        """Let the database work; what it raises becomes an error of ours, without what it says of the data."""
        try:
            work()
            return
        except psycopg.Error as error:
            state = error.sqlstate
        if state == "42P07":
            raise InputError("D086", f"there is a table {self._place} already.", "Name a new one: release: table.")
        if state in ("42501", "3F000"):
            raise InputError(
                "D087", f"the role may not make the table {self._place}.", "It needs CREATE on its schema."
            )
        raise IncrowdError("X023", f"the table {self._place} could not be written (SQLSTATE {state}).", "Run again.")


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str | None, ...]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
