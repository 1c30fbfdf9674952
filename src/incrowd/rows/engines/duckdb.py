"""DuckDB behind Ibis, embedded, and the one door through which its complaints come out.

An engine quotes the line it stumbles over. That line is somebody's record, so no message of the engine leaves this
file: what is let through is the kind of fault and the line number.
"""

from __future__ import annotations

import inspect
import re
import secrets
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import ibis
import pyarrow as pa

from incrowd.errors import IncrowdError, InputError
from incrowd.machine import stopping
from incrowd.rows.dialect import Dialect, utf8_copy
from incrowd.rows.engine import OnBatch, Result
from incrowd.rows.folder import partitions
from incrowd.rows.parts import write_parts
from incrowd.rows.scan import LONGEST_LINE

ENGINE = {"words": "DuckDB", "package": "duckdb", "on_this_machine": True, "links": True}

T = TypeVar("T")

_KINDS = (
    ("Expected Number of Columns", "D004", "has not as many fields as the header",
     "Mend the line, or name the delimiter in the plan (data: delimiter)."),
    ("Invalid unicode", "D005", "is not UTF-8 text",
     "Save the file as UTF-8, or name its encoding (data: encoding: cp1252, or latin-1)."),
    ("unterminated quote", "D006", "has a quotation mark that is not closed where it should be",
     "Double the quotation marks inside a quoted field."),
    ("Maximum line size", "D007", f"is longer than {LONGEST_LINE // 2**20} MiB",
     "A cell this large is hardly a value about a person: look for an unclosed quotation mark."),
)  # fmt: skip


class DuckDB:
    """An embedded DuckDB. It spills to a private folder, never to a shared one, and downloads nothing."""

    scans = True

    def __init__(self, spill: Path | None = None, memory: str | None = None, limit: int | None = None) -> None:
        self.spill, self.limit = spill, limit
        self.connection: Any = ibis.duckdb.connect()
        settings = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_progress_bar": "true",  # measured, not printed: see progress()
            "enable_progress_bar_print": "false",
            "temp_directory": f"'{_quoted(spill)}'" if spill else "''",
        }
        if memory:
            settings["memory_limit"] = f"'{memory}'"
        for name, value in settings.items():
            self.connection.raw_sql(f"SET {name} = {value}")

    def read_csv(self, path: Path, dialect: Dialect) -> ibis.Table:
        """A CSV file, every column as text."""
        if dialect.foreign and self.spill is not None:
            return self.read_csv(*utf8_copy(path, dialect, self.spill))
        if dialect.foreign:
            with tempfile.TemporaryDirectory(prefix="incrowd-") as folder:  # mode 0700
                table = self.read_csv(*utf8_copy(path, dialect, Path(folder)))
                return self.lookup(self.collect(table, path.name, "the records"))
        return safely(
            path.name,
            lambda: self.connection.read_csv(
                _literal(path),
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
            ),
        )

    def read_parquet(self, path: Path) -> ibis.Table:
        """A Parquet file or a folder of them; partition columns are text, and come last."""
        files, names = ([path], ()) if path.is_file() else partitions(path)
        options = {"hive_partitioning": True, "hive_types_autocast": False} if names else {"hive_partitioning": False}
        found = [_literal(file) for file in files]
        table = safely(path.name, lambda: self.connection.read_parquet(found, **options))
        # DuckDB also reads 'name=value' in folders above this one, which are no part of the data.
        above = {part.partition("=")[0] for part in path.resolve().parts if "=" in part} - set(names)
        return table.drop(*(above & set(table.columns))) if names and above else table

    def lookup(self, table: pa.Table) -> ibis.Table:
        """A table from memory, to join with."""
        return ibis.memtable(table)

    def apply(
        self, table: ibis.Table, name: str, arguments: Sequence[ibis.Value], function: OnBatch, result: Result
    ) -> ibis.Table:
        """One more column, by a user function on Arrow batches."""
        names = [f"text{i}" for i in range(len(arguments))]

        # Ibis reads the parameters off the signature, so it is written out for as many as there are.
        def on_batch(*texts):  # type: ignore[no-untyped-def]
            return function(*texts)

        on_batch.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(text, inspect.Parameter.POSITIONAL_OR_KEYWORD) for text in names]
        )
        # Ibis finds user functions by name, so each gets its own.
        on_batch.__name__ = f"on_batch_{id(function):x}"
        call = ibis.udf.scalar.pyarrow(
            on_batch, signature=(("string",) * len(names), result), null_handling="special", side_effects=False
        )
        return table.mutate(**{name: call(*arguments)})

    def collect(self, expression: ibis.Table, place: str, what: str) -> pa.Table:
        """Work, and fetch the result."""
        return safely(place, lambda: self.connection.to_pyarrow(expression))

    def stream(self, expression: ibis.Table, size: int, place: str) -> Generator[pa.RecordBatch, None, None]:
        """Work, and fetch the result piece by piece."""
        # Not to_pyarrow_batches: in Ibis 12 it calls a method that DuckDB 2 no longer has.
        reader = safely(place, lambda: self.connection._to_duckdb_relation(expression).to_arrow_reader(size))
        try:
            while (batch := safely(place, lambda: next(reader, None))) is not None:
                yield batch
        finally:
            reader.close()

    def write(self, table: ibis.Table, path: Path, kind: str, place: str) -> None:
        """Write one file, or a folder of parts. Parquet carries no metadata but the schema."""
        if kind == "parts":
            write_parts(path, table.schema().to_pyarrow(), self.stream(table, 1 << 17, place))
        elif kind == "parquet":
            safely(place, lambda: self.connection.to_parquet(table, path, compression="zstd"))
        else:
            options = {"header": True, "delimiter": ",", "quote": '"', "escape": '"'}
            safely(place, lambda: self.connection.to_csv(table, path, **options))

    def write_batches(self, batches: pa.RecordBatchReader, path: Path, kind: str, place: str) -> None:
        """Write batches that come from elsewhere, in their order, as `write` would."""
        self.connection.con.register("_batches", batches)
        try:
            self.write(self.connection.table("_batches"), path, kind, place)
        finally:
            self.connection.con.unregister("_batches")

    def keep(self, table: ibis.Table, place: str) -> ibis.Table:
        """In a file of the private folder, or in memory where there is none."""
        if self.spill is None:
            return self.lookup(self.collect(table, place, "a result"))
        copy = self.spill / f"{secrets.token_hex(8)}.parquet"
        self.write(table, copy, "parquet", place)
        return self.read_parquet(copy)

    def progress(self) -> float | None:
        """DuckDB's own estimate."""
        share: float = self.connection.con.query_progress()
        return min(share / 100, 1.0) if share > 0 else None

    def close(self) -> None:
        """Nothing outlives this object."""


def start(*, master: str | None, spill: Path | None, memory: str | None, limit: int | None) -> DuckDB:
    """In this process, wherever a plan's master may be."""
    return DuckDB(spill, memory, limit)


def safely(place: str, work: Callable[[], T]) -> T:
    """Let the engine work; what it raises becomes an error of ours, without the data the engine quotes."""
    try:
        return work()
    except duckdb.OutOfMemoryException:
        fault: IncrowdError = InputError(
            "D009", f"{place} does not fit into the memory the engine may use.", "Raise --memory."
        )
    except (duckdb.Error, pa.ArrowException, OSError) as error:  # Arrow's, where the engine fails while it is streamed
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's own, such as a full disk
        fault = _translate(str(error), type(error).__name__, place)
    stopping.check()  # an interrupt in one of its callbacks comes out as any fault of the engine
    # Raised here and not in an except block, so that the engine's message is not even in the chain of causes.
    raise fault


def _translate(message: str, kind: str, place: str) -> IncrowdError:
    found = re.search(r"CSV Error on Line: (\d+)", message)
    line = f"line {found.group(1)} of {place}" if found else place
    for phrase, code, what, hint in _KINDS:
        if phrase in message:
            return InputError(code, f"{line} {what}.", hint)
    if "Out of Memory" in message:
        return InputError("D009", f"{place} does not fit into the memory the engine may use.", "Raise --memory.")
    if "No space left" in message or "Could not write" in message:
        return IncrowdError("X002", f"there is no room left on the disk while reading or writing {place}.")
    return InputError("D001", f"the engine cannot read {line} ({kind}).", "Is it the file it is said to be?")


def _literal(path: Path) -> str:
    """A path as a pattern that only it matches: brackets, stars and question marks are letters in it."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
