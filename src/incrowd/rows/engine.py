"""What incrowd asks of an engine, and which engine a plan means.

`Rows` has the verbs; an engine knows how its own kind of table is fetched, joined with small tables, given a column by
a function on Arrow batches, and written. Nothing outside `rows/` knows which engine it is.

No message of an engine leaves its file (`engines/*.py`): an engine quotes the line it stumbles over, and that line is
somebody's record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Literal, Protocol

import ibis
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.rows.engines import engine_kind

#: A function on a batch of records: columns of text in, one column of texts or numbers out. It may hold a secret.
OnBatch = Callable[..., pa.Array]
#: What such a function gives, as Ibis calls it.
Result = Literal["string", "int64", "decimal(38, 0)"]


#: The code of the error for more classes than may be held here.
TOO_MANY = "D080"


def too_many(what: str, place: str, limit: int) -> InputError:
    """The error for a result that has too many lines to be held here."""
    return InputError(
        "D080",
        f"{what} of {place} are more than the {limit:,} lines that may be held here.",
        "Drop or recode keys before this step, or raise data: limit or --memory.",
    )


class Engine(Protocol):
    """Where tables live. Expressions are Ibis expressions over tables that the engine gave out itself."""

    #: So many classes may be held here; None where nobody set a limit.
    limit: int | None
    #: Fetching all records is as cheap as counting them, because engine and Python share one machine's memory.
    scans: bool

    @property
    def spill(self) -> Path | None:
        """A private folder for what passes through the disk."""

    def read_parquet(self, path: Path) -> ibis.Table:
        """A Parquet file, or a folder of Parquet files (partitioned or not), as a lazy table."""

    def lookup(self, table: pa.Table) -> ibis.Table:
        """A table from memory, to join with."""

    def apply(
        self, table: ibis.Table, name: str, arguments: Sequence[ibis.Value], function: OnBatch, result: Result
    ) -> ibis.Table:
        """The table with one more column, made by a function on Arrow batches of some texts, missing ones among them.
        It may not give missing values. What it knows stays in its closure: no secret is ever in SQL.
        """

    def collect(self, expression: ibis.Table, place: str, what: str) -> pa.Table:
        """Work, and fetch the result. `what` says in an error what was being fetched."""

    def stream(self, expression: ibis.Table, size: int, place: str) -> Generator[pa.RecordBatch, None, None]:
        """Work, and fetch a large result piece by piece, in its order. Closing it early stops the engine."""

    def write(self, table: ibis.Table, path: Path, kind: str, place: str) -> None:
        """Write one file, in the table's order: 'csv' or 'parquet'; or a new folder of Parquet files: 'parts'."""

    def keep(self, table: ibis.Table, place: str) -> ibis.Table:
        """Work now, and keep the result inside the engine for as long as it runs."""

    def progress(self) -> float | None:
        """Which share of what it works on is done, between 0 and 1; None when it cannot tell. From any thread."""

    def close(self) -> None:
        """Let go of connections and processes. May be called twice."""


def connect(
    name: str = "duckdb",
    *,
    spill: Path | None = None,
    memory: str | None = None,
    master: str | None = None,
    limit: int | None = None,
) -> Engine:
    """Start an engine: 'duckdb' in this process, or 'spark' at a master URL (two local cores when none is named).

    `limit` is how many classes may be held here, and how many lines of one result may be fetched from a cluster.
    """
    engine: Engine = engine_kind(name).load().start(master=master, spill=spill, memory=memory, limit=limit)
    return engine
