"""Spark behind Ibis: Ibis writes the query, Spark works, Arrow batches come back.

Nothing is fetched but results with at most `limit` lines, and the released rows, partition by partition in their order.
What Spark keeps on disk is in the run's private folder; its messages, which quote cells, are thrown away.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import ibis
import pyarrow as pa
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import DecimalType, LongType, StringType, StructField, StructType

from incrowd.errors import IncrowdError, InputError
from incrowd.rows.engine import OnBatch, Result, too_many
from incrowd.rows.engines.duckdb import DuckDB
from incrowd.rows.folder import partitions
from incrowd.rows.parts import part_name, write_part

ENGINE = {"words": "Spark", "package": "pyspark", "extra": "spark", "takes_master": True, "links": True}

# When Spark dies in the middle of a call, py4j logs a traceback: it says no more than our error, which follows.
logging.getLogger("py4j").addHandler(logging.NullHandler())

T = TypeVar("T")
#: So many lines of one result are fetched from a cluster, unless the plan says otherwise.
FETCHED = 20_000_000
MASTER = "local[2]"
_TYPES = {"string": StringType(), "int64": LongType(), "decimal(38, 0)": DecimalType(38, 0)}
#: Spark says so when a part of it is gone, and not when it dislikes the data.
_LOST = re.compile(
    r"ExecutorLost|executor.{0,40}(lost|exited)|worker exited unexpectedly|SparkContext (was|has been) shut ?down|"
    r"stopped SparkContext|cancelled because SparkContext|Connection re(set|fused)",
    re.IGNORECASE,
)


class Spark:
    """A Spark session. The one of this process is used when there is one; else one is started, and stopped at the end.

    `master` is a Spark master URL. `spill` must be a folder that all executors see when the source is not Parquet.
    """

    scans = False

    def __init__(self, master: str | None, spill: Path | None, memory: str | None, limit: int) -> None:
        self.limit: int | None = limit
        self._most = limit
        self._made = None if spill else Path(tempfile.mkdtemp(prefix="incrowd-"))  # mode 0700
        self.spill: Path = spill or self._made  # type: ignore[assignment]
        self._memory = memory
        self._views = 0
        running = SparkSession.getActiveSession()
        self._ours = running is None
        conf = _settings(master or MASTER, self.spill, memory)
        builder = SparkSession.builder.config(conf=conf)
        self.session: Any = running.newSession() if running else safely("Spark", builder.getOrCreate)
        # With two sessions in one process, views of one run must not be seen by the other; these settings are theirs.
        for name, value in _SESSION.items():
            self.session.conf.set(name, value)
        self.connection: Any = ibis.pyspark.connect(self.session)

    def read_parquet(self, path: Path) -> ibis.Table:
        """A Parquet file or a folder of them; partition columns are text, and come last."""
        files = [path] if path.is_file() else partitions(path)[0]
        # Not as glob patterns: a file's name may hold brackets.
        names = [re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.resolve())) for file in files]
        base = str((path if path.is_dir() else path.parent).resolve())
        return self._view(safely(path.name, lambda: self.session.read.option("basePath", base).parquet(*names)))

    def lookup(self, table: pa.Table) -> ibis.Table:
        """A table from memory, to join with."""
        if not table.num_rows:
            table = table.cast(pa.schema([(f.name, f.type) for f in table.schema]))
        return self._view(safely("a lookup", lambda: self.session.createDataFrame(table)))

    def apply(
        self, table: ibis.Table, name: str, arguments: Sequence[ibis.Value], function: OnBatch, result: Result
    ) -> ibis.Table:
        """One more column, by a function on Arrow batches that is sent to the executors in memory."""
        texts = {f"incrowd_text{i}": argument for i, argument in enumerate(arguments)}
        frame, given = self._frame(table.mutate(**texts)), len(texts)

        def on_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                made = function(*batch.columns[-given:])
                yield pa.RecordBatch.from_arrays(
                    [*batch.columns[:-given], made], names=[*batch.schema.names[:-given], name]
                )

        made = StructField(name, _TYPES[result])
        return self._view(frame.mapInArrow(on_batches, StructType([*frame.schema.fields[:-given], made])))

    def collect(self, expression: ibis.Table, place: str, what: str) -> pa.Table:
        """Work, and fetch the result, unless it has more lines than may be fetched."""
        frame = self._frame(expression)
        found = safely(place, lambda: frame.limit(self._most + 1).toArrow())
        if found.num_rows > self._most:
            raise too_many(what, place, self._most)
        return found.cast(expression.schema().to_pyarrow())

    def stream(self, expression: ibis.Table, size: int, place: str) -> Generator[pa.RecordBatch, None, None]:
        """Work, and fetch the result partition by partition."""
        frame = self._frame(expression)
        schema = expression.schema().to_pyarrow()
        parts = safely(place, lambda: frame.mapInArrow(_packed, "batch binary").toLocalIterator(True))
        while (part := safely(place, lambda: next(parts, None))) is not None:
            for batch in pa.ipc.open_stream(part["batch"]):
                yield pa.RecordBatch.from_arrays(
                    [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)],
                    schema=schema,
                )

    def write(self, table: ibis.Table, path: Path, kind: str, place: str) -> None:
        """A folder of parts; or one file, by DuckDB's writer: the same rows in the same order are the same bytes."""
        if kind == "parts":
            self._write_parts(table, path, place)
            return
        # An error inside a stream that another engine pulls comes out in that engine's words, so it is kept here.
        faults: list[IncrowdError] = []

        def batches() -> Iterator[pa.RecordBatch]:
            try:
                yield from self.stream(table, 0, place)
            except IncrowdError as fault:
                faults.append(fault)
                raise

        reader = pa.RecordBatchReader.from_batches(table.schema().to_pyarrow(), batches())
        try:
            DuckDB(self.spill, self._memory).write_batches(reader, path, kind, place)
        except IncrowdError as fault:
            faults.append(fault)
        if faults:
            path.unlink(missing_ok=True)
            raise faults[0]

    def _write_parts(self, table: ibis.Table, folder: Path, place: str) -> None:
        """The executors write the parts, each its own, to a folder that all of them see; nothing passes here."""
        schema, home = table.schema().to_pyarrow(), str(folder.resolve())
        folder.mkdir()

        def on_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            number = TaskContext.get().partitionId()
            typed = (batch.cast(schema) for batch in batches)
            records = write_part(Path(home) / part_name(number), schema, typed)
            yield pa.record_batch({"part": [number], "records": [records]})

        frame = self._frame(table)
        found = safely(place, lambda: frame.mapInArrow(on_batches, "part long, records long").toArrow())
        for number, records in zip(found["part"].to_pylist(), found["records"].to_pylist(), strict=True):
            if not records and found.num_rows > 1:  # a range of the order in which nobody is
                (folder / part_name(number)).unlink()

    def keep(self, table: ibis.Table, place: str) -> ibis.Table:
        """On the executors, cut off from where it came from. When one of them is lost, so is the run."""
        return self._view(safely(place, lambda: self._frame(table).localCheckpoint(eager=True)))

    def progress(self) -> float | None:
        """It does not say."""
        return None

    def close(self) -> None:
        """Stop Spark if it was started here."""
        session, self.session = self.session, None
        if session is not None and self._ours:
            with suppress(Py4JError, OSError):  # it may be gone already
                session.stop()
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def _frame(self, expression: ibis.Table) -> Any:
        return safely("Spark", lambda: self.session.sql(self.connection.compile(expression)))

    def _view(self, frame: Any) -> ibis.Table:
        self._views += 1
        name = f"incrowd_{self._views}"
        safely("Spark", lambda: frame.createOrReplaceTempView(name))
        return self.connection.table(name)


def start(*, master: str | None, spill: Path | None, memory: str | None, limit: int | None) -> Spark:
    """At its master."""
    return Spark(master, spill, memory, limit or FETCHED)


def safely(place: str, work: Callable[[], T]) -> T:
    """Let Spark work; what it raises becomes an error of ours, without what Spark says of the data."""
    try:
        return work()
    except (Py4JError, PySparkException, OSError, EOFError) as error:
        complained = isinstance(error, PySparkException | Py4JJavaError)  # else it did not even answer
        lost = not complained or _LOST.search(str(error)) is not None
        kind = type(error).__name__
    # Raised here and not in an except block, so that the engine's message is not even in the chain of causes.
    if lost:
        raise IncrowdError(
            "X021", f"Spark stopped while it worked on {place} ({kind}). Nothing was released.", "Run again."
        )
    raise InputError("D001", f"the engine cannot read {place} ({kind}).", "Is it the file it is said to be?")


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each batch as one cell of bytes: so a result can be fetched partition by partition and stay Arrow."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as out:
            out.write_batch(batch)
        yield pa.record_batch({"batch": [sink.getvalue().to_pybytes()]})


#: A log without anywhere to go. Without an appender, Spark would think that nobody configured its log.
_SILENT = """\
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
_SESSION = {
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # 007 in a folder's name stays 007
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    "spark.sql.caseSensitive": "false",
    "spark.sql.ansi.enabled": "true",
}


def _settings(master: str, spill: Path, memory: str | None) -> SparkConf:
    """What a session of our own is started with: nothing listens, nothing is logged, files stay in private folders."""
    silent = spill / "log4j2.properties"
    silent.write_text(_SILENT)
    conf = {
        "spark.master": master,
        "spark.app.name": "incrowd",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "false",
        "spark.local.dir": str(spill),
        "spark.sql.warehouse.dir": str(spill / "warehouse"),
        "spark.driver.maxResultSize": "0",  # the limit in lines stands guard
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={silent.resolve().as_uri()}",
        "spark.log.level": "OFF",
    }
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
            "spark.driver.memory": re.sub(r"i?[bB]$", "", memory).lower() if memory else "2g",
        }
    return SparkConf().setAll(list(conf.items()))
