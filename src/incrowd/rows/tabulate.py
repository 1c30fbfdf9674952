"""Rows to KeyTable: one pass of the engine, codes and packing here.

The one rule for missing values (see keys/table.py) is applied here.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.packing import add_up, count_rows, group, pack
from incrowd.keys.table import Domain, Histogram, Int32, Int64, KeyTable, Pairs
from incrowd.rows.engine import too_many
from incrowd.rows.frame import Rows
from incrowd.rows.header import refuse_unknown
from incrowd.rows.packed import PackedCounter, TooMany, TooWide
from incrowd.rows.summary import WHOLE

#: So many records are looked at before it is decided who counts: the engine, or the sort here.
PEEK = 1 << 17
#: Below this share of distinct combinations the engine's group by leaves so little that it is the quicker way.
DISTINCT_ENOUGH = 0.3


def tabulate(rows: Rows, keys: Sequence[str], sensitive: Sequence[str] = (), unit: str | None = None) -> KeyTable:
    """Which combinations of the keys occur, how often, and how is each sensitive variable spread in them?

    One pass of the engine for each sensitive variable (one pass in all without any, or with one): the counts of the
    classes are the sums over the first variable's values.

    >>> ic.tabulate(ic.open_source("people.csv"), ["gender"]).classes
    2
    """
    refuse_unknown(rows, [*keys, *sensitive, *([unit] if unit else [])])
    if len(set(keys)) < len(keys):
        raise InputError("D061", "a key is named twice.", "Name each once.")
    # Same rows, same keys, classes in the same (byte) order: the tables number the classes alike.
    passes: list[str | None] = [*sensitive] or [None]
    tables = [_count(rows, keys, name, unit) for name in passes]
    return replace(tables[0], histograms={name: h for table in tables for name, h in table.histograms.items()})


def tabulate_population(rows: Rows, keys: Sequence[str], count: str | None = None) -> KeyTable:
    """The combinations of the keys in a population: a person a line, or a table of counts with its column `count`."""
    if count is None:
        return tabulate(rows, keys)
    refuse_unknown(rows, [*keys, count])
    columns = {f"k{i}": rows.text(name) for i, name in enumerate(keys)}
    text = rows.text(count).strip()
    # The pattern first: an engine rounds 1.5 to 2 people.
    whole = ibis.cases((text.re_search(WHOLE), text.try_cast("int64")))
    picked = rows.table.select(**columns, n=whole)
    found = rows.collect(picked.aggregate(bad=picked["n"].isnull().sum(), low=picked["n"].min()))
    if found["bad"][0].as_py() or (found["low"][0].as_py() or 0) < 0:
        raise InputError("D027", f"{count!r} of {rows.place} is not a whole number of people in every line.")
    summed = picked.group_by(list(columns)).aggregate(n=picked["n"].sum().cast("int64"))
    return _build(_Coded().add(rows.collect(summed)).columns(), keys, None, None)


def _count(rows: Rows, keys: Sequence[str], sensitive: str | None, unit: str | None) -> KeyTable:
    """One pass, on the way that suits the file (docs/decisions/0007): who counts, the engine or we?

    Where classes are few the engine's group by leaves little to fetch. Where nearly every record is its own class a
    group by saves nothing and costs a hash table of texts; then the engine only scans, and packed numbers are counted
    here. Missing and empty are one value of a sensitive variable.
    """
    columns = {f"k{i}": rows.text(name) for i, name in enumerate(keys)}
    if sensitive is not None:
        columns["s"] = rows.text(sensitive).nullif("")
    if unit:
        columns["u"] = rows.text(unit)
    picked = rows.table.select(**columns)
    if not rows.engine.scans:
        return _build(_grouped(rows, picked, keys), keys, sensitive, unit)
    if unit is None and columns:
        counter = PackedCounter([*keys, *([sensitive] if sensitive is not None else [])], rows.engine.limit)
        try:
            if not _few(counter, rows.stream(picked, PEEK)):
                return counter.table(len(keys), sensitive)
        except TooWide:
            pass  # many values or wide keys: the columns are kept apart
        except TooMany:
            raise _too_many(rows, keys) from None
        else:
            return _build(_grouped(rows, picked, keys), keys, sensitive, unit)
    coded = _Coded()
    for batch in rows.stream(picked, PEEK):
        coded.add(batch)
    columns_found = coded.columns() if coded.parts else _Coded().add(rows.collect(picked)).columns()
    table = _build(columns_found, keys, sensitive, unit)
    if rows.engine.limit is not None and table.classes > rows.engine.limit:
        raise _too_many(rows, keys)
    return table


def _few(counter: PackedCounter, stream: Generator[pa.RecordBatch, None, None]) -> bool:
    """Count a stream to its end; or stop after the first batch, and say so, when its combinations are few."""
    with closing(stream):
        for number, batch in enumerate(stream):
            counter.add(batch)
            if number == 0 and batch.num_rows == PEEK and counter.distinct() < DISTINCT_ENOUGH * PEEK:
                return True
    return False


def _grouped(rows: Rows, picked: ibis.Table, keys: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    counted = picked.group_by(list(picked.columns)).aggregate(n=picked.count())
    found = rows.collect(counted, f"the classes of {', '.join(keys)}")
    if rows.engine.limit is not None and found.num_rows > rows.engine.limit:
        raise _too_many(rows, keys)
    return _Coded().add(found).columns()


def _too_many(rows: Rows, keys: Sequence[str]) -> InputError:
    return too_many(f"the classes of {', '.join(keys)}", rows.place, rows.engine.limit or 0)


class _Coded:
    """Text columns as codes and dictionaries, batch by batch: the texts of a large file are never all here."""

    def __init__(self) -> None:
        self.parts: dict[str, list[pa.Array]] = {}
        self.pool = ThreadPoolExecutor()

    def add(self, batch: pa.Table | pa.RecordBatch) -> _Coded:
        """Encode one more batch. It is Arrow's work, which needs no interpreter lock."""
        names = batch.schema.names
        run = self.pool.map if batch.num_rows >= PEEK else map  # threads are not worth it for a small batch
        for name, arrays in zip(names, run(_encode_chunks, [batch.column(name) for name in names]), strict=True):
            self.parts.setdefault(name, []).extend(arrays)
        return self

    def columns(self) -> dict[str, pa.ChunkedArray]:
        """All batches, with one dictionary for each column."""
        self.pool.shutdown()
        # A file without records comes in no chunks, and Arrow then wants to be told the type.
        kinds = {name: pa.int64() if name == "n" else pa.dictionary(pa.int32(), pa.string()) for name in self.parts}
        whole = {name: pa.chunked_array(arrays, None if arrays else kinds[name]) for name, arrays in self.parts.items()}
        return {name: column if name == "n" else column.unify_dictionaries() for name, column in whole.items()}


def _encode_chunks(column: pa.ChunkedArray | pa.Array) -> list[pa.Array]:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [chunk.dictionary_encode() if pa.types.is_string(chunk.type) else chunk for chunk in chunks]


def _build(
    counted: dict[str, pa.ChunkedArray], keys: Sequence[str], sensitive: str | None, unit: str | None
) -> KeyTable:
    """The KeyTable of counted columns: sort, find where the keys change, add up."""
    coded = {f"k{i}": encode(counted[f"k{i}"], name) for i, name in enumerate(keys)}
    if sensitive is not None:
        coded["s"] = encode(counted["s"], sensitive)
    if unit is not None:
        coded["u"] = encode(counted["u"], unit)
        _refuse_missing_unit(*coded["u"], unit)
    given = counted["n"].to_numpy() if "n" in counted else None
    columns, records = count_rows(
        [code for _, code in coded.values()] or [np.zeros(given.sum() if given is not None else 0, np.int32)],
        [len(domain) for domain, _ in coded.values()] or [1],
        given,
    )
    found = dict(zip(coded, columns, strict=False))
    starts, to = _classes([found[f"k{i}"] for i in range(len(keys))], len(records))
    people = found["u"].astype(np.int64) if unit is not None else None
    histograms = {}
    if sensitive is not None:
        ones = np.ones(len(records), np.int64)
        histograms[sensitive] = Histogram(coded["s"][0], to, found["s"], records if people is None else ones, people)
    pairs = None
    if people is not None:
        one, inverse = group(pack([to, people], [len(starts), int(people.max(initial=0)) + 1]))
        pairs = Pairs(to[one], people[one], add_up(inverse, records, len(one)))
    codes = np.empty((len(keys), len(starts)), dtype=np.int32)
    for i in range(len(keys)):
        np.take(found[f"k{i}"], starts, out=codes[i])
    summed = np.add.reduceat(records, starts) if len(starts) else np.zeros(0, np.int64)
    domains = tuple(coded[f"k{i}"][0] for i in range(len(keys)))
    return KeyTable(domains, codes, summed, histograms, pairs)


def _classes(keys: Sequence[Int32], number: int) -> tuple[Int64, Int64]:
    """In sorted rows: where each class begins, and each row's class."""
    changes = np.zeros(number, dtype=bool)
    changes[:1] = True
    for column in keys:
        changes[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changes), np.cumsum(changes, dtype=np.int64) - 1


def encode(column: pa.ChunkedArray, name: str) -> tuple[Domain, Int32]:
    """A dictionary column as codes, numbered in byte order of the values, missing first."""
    texts = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
    has_missing = column.null_count > 0
    order = pc.sort_indices(texts.cast(pa.binary())).to_numpy()
    rank = np.empty(len(texts) + 1, dtype=np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32) + has_missing
    rank[-1] = 0  # missing
    parts = [rank[_indices(chunk, len(texts))] for chunk in column.chunks]
    listed = texts.to_pylist()
    values = (*([None] if has_missing else []), *(listed[i] for i in order.tolist()))
    return Domain(name, values), np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _indices(chunk: pa.DictionaryArray, missing: int) -> NDArray[np.int32]:
    indices = chunk.indices.fill_null(missing) if chunk.null_count else chunk.indices
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _refuse_missing_unit(domain: Domain, codes: Int32, unit: str) -> None:
    # An empty text names nobody either; the two come first.
    nobody = sum(not value for value in domain.values[:2])
    if nobody:
        missing = int(np.count_nonzero(codes < nobody))
        raise InputError(
            "D013",
            f"{missing} records have no {unit!r}, so nobody can tell whose they are.",
            "Fill the unit in, or drop those records before the run.",
        )
