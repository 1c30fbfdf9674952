"""A release as a table of PostgreSQL: all of it or nothing, and the same rows as in the file that passed the gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from incrowd.errors import missing_extra
from incrowd.rows.frame import Rows

PIECE = 1 << 16


@contextmanager
def published_table(address: str | None, released: Rows, columns: Sequence[str]) -> Iterator[None]:
    """Fill a new table from the released file and compare the two; the table appears when what is inside succeeded.

    Without an address nothing happens. The table must not exist: a release is never mixed with another.
    """
    if address is None:
        yield
        return
    try:
        from incrowd.rows.engines.postgres_table import new_table
    except ImportError:
        raise missing_extra("the driver for PostgreSQL", "postgres") from None
    texts = released.as_text(columns).select(columns)
    with new_table(address, columns) as table:
        table.fill(texts.stream(texts.table, PIECE))
        table.check_equal(texts.stream(texts.table, PIECE))
        yield
