"""Rows to KeyTable: one `group by` in the engine, codes and packing here. The one rule for missing values is applied
here (see keys/table.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Domain, Histogram, Int32, Int64, KeyTable, Pairs
from incrowd.rows.frame import Rows


def tabulate(
    rows: Rows, keys: Sequence[str], sensitive: Sequence[str] = (), unit: str | None = None
) -> KeyTable:
    """Which combinations of the keys occur, how often, and how is each sensitive variable spread in them?

    One pass of the engine for each sensitive variable (one pass in all without any, or with one): the counts of the
    classes are the sums over the first variable's values.
    """
    _refuse_unknown(rows, [*keys, *sensitive, *([unit] if unit else [])])
    # Same rows, same keys, classes in the same (byte) order: the tables number the classes alike.
    passes: list[str | None] = [*sensitive] or [None]
    tables = [_build(_counted(rows, keys, name, unit), keys, name, unit) for name in passes]
    return replace(tables[0], histograms={name: h for table in tables for name, h in table.histograms.items()})


def _counted(rows: Rows, keys: Sequence[str], sensitive: str | None, unit: str | None) -> pa.Table:
    """The engine's part. Missing and empty are one value of a sensitive variable."""
    columns = {f"k{i}": rows.text(name) for i, name in enumerate(keys)}
    if sensitive is not None:
        columns["s"] = rows.text(sensitive).nullif("")
    if unit:
        columns["u"] = rows.text(unit)
    picked = rows.table.select(**columns)
    return rows.collect(picked.group_by(list(columns)).aggregate(n=picked.count()))


def _build(counted: pa.Table, keys: Sequence[str], sensitive: str | None, unit: str | None) -> KeyTable:
    domains, codes = [], []
    for i, name in enumerate(keys):
        domain, code = encode(counted[f"k{i}"], name)
        domains.append(domain)
        codes.append(code)
    records = counted["n"].to_numpy().astype(np.int64)
    packed = pack(codes, [len(domain) for domain in domains]) if keys else np.zeros(len(records), np.int64)
    start, to = group(packed)
    people = _people(counted, unit)
    ones = np.ones(len(records), np.int64)
    histograms = {}
    if sensitive is not None:
        domain, values = encode(counted["s"], sensitive)
        order = np.lexsort((values, to)) if people is None else np.lexsort((people, values, to))
        counts = records if people is None else ones
        units = None if people is None else people[order]
        histograms[sensitive] = Histogram(domain, to[order], values[order], counts[order], units)
    pairs = None
    if people is not None:
        one, inverse = group(pack([to, people], [len(start), int(people.max(initial=0)) + 1]))
        pairs = Pairs(to[one], people[one], add_up(inverse, records, len(one)))
    matrix = np.array([code[start] for code in codes], dtype=np.int32).reshape(len(codes), len(start))
    return KeyTable(tuple(domains), matrix, add_up(to, records, len(start)), histograms, pairs)


def encode(column: pa.ChunkedArray, name: str) -> tuple[Domain, Int32]:
    """A text column as codes, numbered in byte order of the values, missing first."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = array.dictionary_encode()
    texts = coded.dictionary.to_pylist()
    has_missing = array.null_count > 0
    order = sorted(range(len(texts)), key=lambda i: texts[i].encode())
    rank = np.empty(len(texts) + 1, dtype=np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32) + has_missing
    rank[-1] = 0  # missing
    indices = coded.indices.fill_null(len(texts)) if has_missing else coded.indices
    values = tuple([None] * has_missing + [texts[i] for i in order])
    return Domain(name, values), rank[indices.to_numpy(zero_copy_only=False)]


def _people(counted: pa.Table, unit: str | None) -> Int64 | None:
    if unit is None:
        return None
    column = counted["u"]
    missing = int(pc.sum(pc.filter(counted["n"], pc.is_null(column))).as_py() or 0)
    if missing:
        raise InputError(
            "D013",
            f"{missing} records have no {unit!r}, so nobody can tell whose they are.",
            "Fill the unit in, or drop those records before the run.",
        )
    codes = column.combine_chunks().dictionary_encode().indices
    return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)


def _refuse_unknown(rows: Rows, names: Sequence[str]) -> None:
    import difflib

    for name in names:
        if name not in rows.columns:
            near = difflib.get_close_matches(name, rows.columns, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Its columns are: {', '.join(rows.columns)}."
            raise InputError("D012", f"{name!r} is not a column of {rows.place}.", hint)
