"""Rows to Tally: one group by of the engine, with counts and the moments of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import numpy as np
import pyarrow as pa

from incrowd.keys.table import Domain, Int32
from incrowd.keys.tally import Float64, Moments, Pair, Tally
from incrowd.rows.frame import Rows
from incrowd.rows.header import refuse_unknown
from incrowd.rows.summary import NUMBER
from incrowd.rows.tabulate import encode


def tally(rows: Rows, by: Sequence[str], pairs: Sequence[Pair] = ()) -> Tally:
    """How many records have each combination of these columns, and how are numbers spread in them? One query.

    A pair of a number with itself asks for its mean and variance, of two for their covariance. Cells that are no
    number are left out of the moments, not of the counts, and so are codes that say why there is no value.
    """
    numbers = sorted({name for pair in pairs for name in pair})
    refuse_unknown(rows, [*by, *numbers])
    columns = {f"k{i}": rows.text(name) for i, name in enumerate(by)}
    values = {f"v{i}": _number(rows, name) for i, name in enumerate(numbers)}
    picked = rows.table.select(**columns, **values, incrowd_one=ibis.literal(1))
    asked = {"n": picked.count()}
    for i, (x, y) in enumerate(pairs):
        a, b = picked[f"v{numbers.index(x)}"], picked[f"v{numbers.index(y)}"]
        both = a.notnull() & b.notnull()
        asked |= {
            f"n{i}": both.sum(),
            f"x{i}": a.mean(where=both),
            f"y{i}": b.mean(where=both),
            f"xx{i}": a.var(how="pop", where=both),
        }
        if x != y:
            asked |= {f"yy{i}": b.var(how="pop", where=both), f"xy{i}": a.cov(b, how="pop", where=both)}
    grouped = picked.group_by(list(columns) or "incrowd_one").aggregate(**asked)
    found = rows.collect(grouped, "the sums for use cases")
    coded = [_coded(found[f"k{i}"], name) for i, name in enumerate(by)]
    codes = np.array([codes for _, codes in coded], dtype=np.int32).reshape(len(by), found.num_rows)
    moments = {pair: _moments(found, i, pair) for i, pair in enumerate(pairs)}
    domains, records = tuple(domain for domain, _ in coded), found["n"].to_numpy().astype(np.int64)
    return Tally(domains, codes, records, moments, rows.book.missing)


def _number(rows: Rows, name: str) -> ibis.Value:
    """A column as numbers. The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which stumbles."""
    text = rows.text(name).strip()
    there = text.re_search(NUMBER)
    if none := rows.book.missing.get(name):
        there &= rows.text(name).notin(list(none))
    return ibis.cases((there, text.try_cast("float64")))


def _coded(column: pa.ChunkedArray, name: str) -> tuple[Domain, Int32]:
    return encode(column.dictionary_encode().unify_dictionaries(), name)


def _moments(found: pa.Table, i: int, pair: Pair) -> Moments:
    count = np.nan_to_num(np.asarray(found[f"n{i}"].to_numpy(), dtype=np.float64)).astype(np.int64)

    def values(name: str) -> Float64:
        return np.nan_to_num(np.asarray(found[f"{name}{i}"].to_numpy(), dtype=np.float64))

    x, xx = values("x"), values("xx") * count
    if pair[0] == pair[1]:
        return Moments(count, x, x, xx, xx, xx)
    return Moments(count, x, values("y"), xx, values("yy") * count, values("xy") * count)
