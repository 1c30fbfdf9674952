"""Rows: a table of records that waits in an engine, and the few verbs that the steps need of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError, visible
from incrowd.keys.codebook import Codebook
from incrowd.rows.engine import Engine, OnBatch, Result
from incrowd.rows.header import refuse_unknown

#: Columns that the verbs add for a moment begin like this; a source with such a column is refused.
OURS = "incrowd_"
#: The hidden column that says on which line of the source a record stood, where an attack must know the truth. No
#: choice may depend on it, and it is never written to a release.
LINE = f"{OURS}line"


@dataclass(frozen=True, repr=False)
class Rows:
    """A lazy table of records. Every verb gives new Rows; the engine works only in `collect` and `write`."""

    engine: Engine
    table: ibis.Table
    place: str
    # What the file itself says of its values; steps do not keep it up to date.
    book: Codebook = field(default_factory=Codebook)
    notes: tuple[str, ...] = ()  # what was left out of the file when it was opened
    first_line: bool = False  # the columns are named by the first line of a text or a sheet, which may be a record

    def __repr__(self) -> str:
        # No record, and no names: they are data until something proves that they are names.
        return visible(f"Rows: {len(self.columns)} columns of {self.place}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.table.columns)

    @property
    def told(self) -> tuple[str, ...]:
        """The columns that choices may depend on: all but the hidden line."""
        return tuple(name for name in self.table.columns if name != LINE)

    @property
    def ties(self) -> tuple[str, ...]:
        """What settles which of two equal records comes first: nothing, or the hidden line, where attacks go by it.

        The release is the same bytes either way. With it, which record was whose is the same from run to run, too.
        """
        return (LINE,) if LINE in self.table.columns else ()

    @property
    def types(self) -> tuple[ibis.DataType, ...]:
        """What kind of values each column holds, missing ones aside."""
        return tuple(kind.copy(nullable=True) for kind in self.table.schema().types)

    def text(self, column: str) -> ibis.Value:
        """A column as text, as it would stand in a CSV file."""
        value = self.table[column]
        return value if value.type().is_string() else value.cast("string")

    def count(self) -> int:
        """How many records?"""
        return int(self.collect(self.table.aggregate(n=self.table.count()))["n"][0].as_py())

    def collect(self, expression: ibis.Table, what: str = "a result") -> pa.Table:
        """Let the engine work, and fetch the (small) result. `what` says in an error what was being fetched."""
        return self.engine.collect(expression, self.place, what)

    def stream(self, expression: ibis.Table, size: int) -> Generator[pa.RecordBatch, None, None]:
        """Let the engine work, and fetch a large result piece by piece. Closing it early stops the engine."""
        return self.engine.stream(expression, size, self.place)

    def close(self) -> None:
        """Let go of the engine: of its connections and processes."""
        self.engine.close()

    def value_counts(self, column: str, unit: str | None = None) -> dict[str | None, int]:
        """The distinct values of a column with their number of records; with a unit, of people who have them."""
        refuse_unknown(self, [column, *([] if unit is None else [unit])])
        picked = self.table.select(value=self.text(column))
        if unit is not None:
            picked = self.table.select(value=self.text(column), unit=self.text(unit)).distinct()
        counted = picked.group_by("value").aggregate(n=picked.count())
        found = self.collect(counted, f"the values of {column!r}")
        return dict(zip(found["value"].to_pylist(), found["n"].to_pylist(), strict=True))

    def count_of(self, column: str, values: Sequence[str]) -> int:
        """How many records have one of these values?"""
        there = self.text(column).isin(list(values)).fill_null(False)
        return int(self.collect(self.table.aggregate(n=there.sum()))["n"][0].as_py() or 0)

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

    def rename(self, names: Mapping[str, str]) -> Rows:
        """With other names for some columns, old to new, all at once; what the file says of them goes with them."""
        new = [names.get(name, name) for name in self.columns]
        picked = [self.table[old].name(name) for old, name in zip(self.columns, new, strict=True)]
        return replace(self, table=self.table.select(picked), book=self.book.renamed(names))

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
            if column not in self.columns:
                raise InputError("D012", f"{column!r} is not a column of {self.place}.", "It is named in a condition.")
            met = met & self.text(column).isin(list(values)).fill_null(False)
        return replace(self, table=self.table.mutate(**{name: met.ifelse("1", "0")}))

    def select(self, columns: Sequence[str]) -> Rows:
        """Only these columns."""
        return replace(self, table=self.table.select(*columns))

    def relabel(self, column: str, labels: Mapping[str, str | None], missing: str | None = None) -> Rows:
        """Every value of a column by its new label; missing becomes `missing`. The labels go in as a table to join."""
        old, new = list(labels), list(labels.values())
        lookup = self.engine.lookup(
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
        gone = self.engine.lookup(pa.table({"incrowd_class": encode_rows(combinations)})).distinct()
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
        made = self._with("incrowd_order", self.told, function, "int64")
        coded = made.table.mutate(incrowd_class=made.encoded(keys), incrowd_tie=made.encoded(self.told))
        window = ibis.window(group_by="incrowd_class", order_by=["incrowd_order", "incrowd_tie", *self.ties])
        ranked = coded.mutate(incrowd_rank=ibis.row_number().over(window))
        joined = ranked.inner_join(self.engine.lookup(plan), [("incrowd_class", "incrowd_part")])
        inside = joined.filter(
            joined["incrowd_rank"] >= joined["incrowd_low"], joined["incrowd_rank"] < joined["incrowd_high"]
        )
        chosen = dict(zip(keys, new, strict=True))
        return replace(self, table=inside.select([inside[chosen.get(n, n)].name(n) for n in self.columns]))

    def add_text(self, name: str, columns: Sequence[str], function: OnBatch) -> Rows:
        """A new first column, made by a function of the encoded columns; an empty result is missing."""
        # Engines do not let a function on batches return missing values itself.
        made = self._with("incrowd_made", columns, function, "string").table
        return replace(self, table=made.select([made["incrowd_made"].nullif("").name(name), *self.columns]))

    def shuffled(self, columns: Sequence[str], function: OnBatch) -> Rows:
        """In the order of numbers that a keyed function makes of these columns (`order_records` of the secret).

        No two different records have the same number. Records that are equal in all columns are the same bytes, so
        their order does not exist. A sort by numbers spills far less than one by texts.
        """
        made = self.engine.apply(
            self.table, "incrowd_order", [self.text(name) for name in columns], function, "decimal(38, 0)"
        )
        return replace(self, table=made.order_by("incrowd_order", *self.ties).drop("incrowd_order"))

    def encoded(self, columns: Sequence[str]) -> ibis.Value:
        """Columns as one text that tells every difference: '3:abc' for a value, '-' for a missing one."""
        parts = []
        for column in columns:
            text = self.text(column)
            # The head is short and the body is not copied before the end: half the cost of one text per column.
            parts += [(text.length().cast("string") + ":").fill_null("-"), text.fill_null("")]
        # Joined in one go: a chain of additions copies the beginning again with every part.
        return ibis.literal("").join(parts) if parts else ibis.literal("")

    def _with(self, name: str, columns: Sequence[str], function: OnBatch, result: Result) -> Rows:
        """With a new last column, made by a function on Arrow batches of the encoded columns."""
        return replace(self, table=self.engine.apply(self.table, name, [self.encoded(columns)], function, result))

    def settled(self) -> Rows:
        """The same records, worked out now and kept beside the engine: whatever asks for lazy rows works again.

        Not on a cluster, where a copy is lost with the one machine that has it; nor where a copy would hold values of
        another kind (moments in milliseconds become microseconds), which are written otherwise.
        """
        if not self.engine.scans:
            return self
        kept = replace(self, table=self.engine.keep(self.table, self.place))
        return kept if kept.types == self.types else self

    def write(self, path: Path, kind: str) -> None:
        """Write the records to a new file, or with 'parts' a new folder. Parquet has no metadata but the schema."""
        self.engine.write(self.table, path, kind, self.place)


def encode_rows(table: pa.Table) -> pa.Array:
    """Rows of texts as `Rows.encoded` writes them: one text that tells every difference, missing values too.

    Joins compare these: plain equality of one text does what 'is not distinct from' on many columns does.
    """
    if not table.num_columns:
        return pa.array([""] * table.num_rows, pa.string())
    joined = pc.binary_join_element_wise(*map(_encoded, table.columns), "")
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined


def _encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):  # a value that many rows share is written once
        chunks = [_encoded_texts(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
        return pc.fill_null(pa.chunked_array(chunks, pa.string()), "-")
    return _encoded_texts(column)


def _encoded_texts(texts: Any) -> Any:
    length = pc.cast(pc.utf8_length(texts), pa.string())
    return pc.fill_null(pc.binary_join_element_wise(length, texts, ":"), "-")
