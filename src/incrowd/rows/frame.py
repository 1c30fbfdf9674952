"""Rows: a table of records that waits in an engine, and the few verbs that the steps need of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa

from incrowd.rows.engine import safely

#: Columns that the verbs add for a moment begin like this; a source with such a column is refused.
OURS = "incrowd_"

#: A function on a batch of encoded records: texts in, texts or whole numbers out. It may hold a secret.
OnBatch = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class Rows:
    """A lazy table of records. Every verb gives new Rows; the engine works only in `collect` and `write`."""

    connection: Any
    table: ibis.Table
    place: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.table.columns)

    def text(self, column: str) -> ibis.Value:
        """A column as text, as it would stand in a CSV file."""
        value = self.table[column]
        return value if value.type().is_string() else value.cast("string")

    def count(self) -> int:
        """How many records?"""
        return int(safely(self.place, lambda: self.connection.execute(self.table.count())))

    def collect(self, expression: ibis.Table) -> pa.Table:
        """Let the engine work, and fetch the (small) result."""
        return safely(self.place, lambda: self.connection.to_pyarrow(expression))

    def stream(self, expression: ibis.Table, size: int) -> Generator[pa.RecordBatch, None, None]:
        """Let the engine work, and fetch a large result piece by piece. Closing it early stops the engine."""
        # Not to_pyarrow_batches: in Ibis 12 it calls a method that DuckDB 2 no longer has.
        reader = safely(self.place, lambda: self.connection._to_duckdb_relation(expression).to_arrow_reader(size))
        try:
            while (batch := safely(self.place, lambda: next(reader, None))) is not None:
                yield batch
        finally:
            reader.close()

    def value_counts(self, column: str) -> dict[str | None, int]:
        """The distinct values of a column with their number of records."""
        picked = self.table.select(value=self.text(column))
        found = self.collect(picked.group_by("value").aggregate(n=picked.count()))
        return dict(zip(found["value"].to_pylist(), found["n"].to_pylist(), strict=True))

    def compare_distinct(self, columns: Sequence[str], made: str) -> tuple[int, int, int]:
        """Is a made column as distinct as the columns it was made from? The two numbers of distinct values, and
        the number of records that share the made value with another record.
        """
        picked = self.table.filter(self.table[made].notnull())
        given = replace(self, table=picked).encoded(columns)
        by_value = picked.group_by(made).aggregate(n=picked.count())
        first = self.collect(picked.aggregate(given=given.nunique(), made=picked[made].nunique()))
        shared = self.collect(by_value.filter(by_value["n"] > 1).aggregate(n=by_value["n"].sum()))
        return first["given"][0].as_py(), first["made"][0].as_py(), shared["n"][0].as_py() or 0

    def drop(self, columns: Sequence[str]) -> Rows:
        """Without these columns."""
        return replace(self, table=self.table.drop(*columns)) if columns else self

    def as_text(self, columns: Sequence[str]) -> Rows:
        """These columns as text, as the engine writes them: whoever counts them later reads the same."""
        typed = [name for name in columns if not self.table[name].type().is_string()]
        return replace(self, table=self.table.mutate(**{name: self.text(name) for name in typed})) if typed else self

    def copy(self, column: str, name: str) -> Rows:
        """With a copy of a column, as text, under another name."""
        return replace(self, table=self.table.mutate(**{name: self.text(column)}))

    def flag(self, name: str, where: Mapping[str, Sequence[str]]) -> Rows:
        """With a column that is '1' where every variable of the condition has one of its values, else '0'."""
        met = ibis.literal(True)
        for column, values in where.items():
            met = met & self.text(column).isin(list(values)).fill_null(False)
        return replace(self, table=self.table.mutate(**{name: met.ifelse("1", "0")}))

    def select(self, columns: Sequence[str]) -> Rows:
        """Only these columns."""
        return replace(self, table=self.table.select(*columns))

    def relabel(self, column: str, labels: Mapping[str, str | None], missing: str | None = None) -> Rows:
        """Every value of a column by its new label; missing becomes `missing`. The labels go in as a table to join."""
        old, new = list(labels), list(labels.values())
        lookup = ibis.memtable(
            pa.table({"incrowd_old": pa.array(old, pa.string()), "incrowd_new": pa.array(new, pa.string())})
        )
        joined = self.table.mutate(incrowd_text=self.text(column)).left_join(lookup, [("incrowd_text", "incrowd_old")])
        value = joined["incrowd_new"]
        if missing is not None:
            value = ibis.ifelse(joined["incrowd_text"].isnull(), missing, value)
        picked = [value.name(name) if name == column else joined[name] for name in self.columns]
        return replace(self, table=joined.select(picked))

    def without(self, combinations: pa.Table, unit: str | None = None) -> Rows:
        """Without the records in these combinations of keys; with a unit, without all records of those people."""
        if not combinations.num_rows:
            return self
        gone = ibis.memtable(pa.table({"incrowd_class": encode_rows(combinations)})).distinct()
        coded = self.table.mutate(incrowd_class=self.encoded(combinations.column_names))
        if unit is None:
            return replace(self, table=coded.anti_join(gone, "incrowd_class").drop("incrowd_class"))
        people = coded.semi_join(gone, "incrowd_class").select(unit).distinct()
        return replace(self, table=self.table.anti_join(people, unit))

    def reassign(self, keys: Sequence[str], parts: pa.Table, function: OnBatch) -> Rows:
        """Give records new keys, class by class: `parts` has the old keys, `low` and `high`, and the new keys.

        Of the records of a class, numbered in the order of a keyed hash, those from `low` up to below `high` get the
        part's new keys. Records in no part are suppressed. Nothing but the hash decides who is in which part.
        """
        old, rest = parts.select(range(len(keys))), parts.select(range(len(keys), parts.num_columns))
        new = [f"incrowd_new{i}" for i in range(len(keys))]
        plan = rest.rename_columns(["incrowd_low", "incrowd_high", *new]).append_column(
            "incrowd_part", encode_rows(old)
        )
        coded = self.table.mutate(
            incrowd_class=self.encoded(keys),
            incrowd_order=self._call(self.columns, function, "int64"),
            incrowd_tie=self.encoded(self.columns),
        )
        window = ibis.window(group_by="incrowd_class", order_by=["incrowd_order", "incrowd_tie"])
        ranked = coded.mutate(incrowd_rank=ibis.row_number().over(window))
        joined = ranked.inner_join(ibis.memtable(plan), [("incrowd_class", "incrowd_part")])
        inside = joined.filter(
            joined["incrowd_rank"] >= joined["incrowd_low"], joined["incrowd_rank"] < joined["incrowd_high"]
        )
        chosen = dict(zip(keys, new, strict=True))
        return replace(self, table=inside.select([inside[chosen.get(n, n)].name(n) for n in self.columns]))

    def add_text(self, name: str, columns: Sequence[str], function: OnBatch) -> Rows:
        """A new first column, made by a function of the encoded columns; an empty result is missing."""
        # Engines do not let a function on batches return missing values itself.
        value = self._call(columns, function, "string").nullif("").name(name)
        return replace(self, table=self.table.select([value, *(self.table[column] for column in self.columns)]))

    def shuffled(self, columns: Sequence[str], *functions: OnBatch) -> Rows:
        """In the order of keyed hashes of these columns: the first decides, the next where the first is equal.

        Two of 64 bits tell any two records apart (a chance of 2^-69 that they do not, for a billion records), and a
        sort by numbers spills far less than one by texts. Records that are equal in all columns are the same bytes,
        so their order does not exist.
        """
        orders = {f"incrowd_order{i}": self._call(columns, function, "int64") for i, function in enumerate(functions)}
        return replace(self, table=self.table.mutate(**orders).order_by(list(orders)).drop(*orders))

    def encoded(self, columns: Sequence[str]) -> ibis.Value:
        """Columns as one text that tells every difference: '3:abc' for a value, '-' for a missing one."""
        parts = []
        for column in columns:
            text = self.text(column)
            # The head is short and the body is not copied before the end: half the cost of one text per column.
            parts += [(text.length().cast("string") + ":").fill_null("-"), text.fill_null("")]
        # Joined in one go: a chain of additions copies the beginning again with every part.
        return ibis.literal("").join(parts)

    def _call(self, columns: Sequence[str], function: OnBatch, result: str) -> ibis.Value:
        """Apply a Python function on Arrow batches. What it knows stays in its closure: no secret is ever in SQL."""

        def on_batch(record):  # type: ignore[no-untyped-def]
            return function(record)

        # Ibis finds user functions by name, so each gets its own.
        on_batch.__name__ = f"on_batch_{id(function):x}"
        on_batch.__annotations__ = {"record": str, "return": str if result == "string" else int}
        call = ibis.udf.scalar.pyarrow(on_batch, signature=((("string"),), result))
        return call(self.encoded(columns))

    def write(self, path: Path, kind: str) -> None:
        """Write the records to a new file. Parquet carries no metadata but the schema."""
        if kind == "parquet":
            safely(self.place, lambda: self.connection.to_parquet(self.table, path, compression="zstd"))
        else:
            options = {"header": True, "delimiter": ",", "quote": '"', "escape": '"'}
            safely(self.place, lambda: self.connection.to_csv(self.table, path, **options))


def encode_rows(table: pa.Table) -> pa.Array:
    """Rows of texts as `Rows.encoded` writes them: one text that tells every difference, missing values too.

    Joins compare these: plain equality of one text does what 'is not distinct from' on many columns does.
    """
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return pa.array(["".join("-" if v is None else f"{len(v)}:{v}" for v in row) for row in rows], pa.string())
