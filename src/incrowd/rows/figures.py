"""Figures of classes and their records: weights summed up, risks joined back, households put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.packing import pack
from incrowd.keys.table import KeyTable
from incrowd.machine.writing import private_file
from incrowd.rows.frame import LINE, Rows, encode_rows
from incrowd.rows.header import refuse_unknown
from incrowd.rows.summary import NUMBER
from incrowd.rows.tabulate import encode

Floats = NDArray[np.float64]


def weigh(rows: Rows, keys: Sequence[str], weight: str) -> tuple[KeyTable, Floats]:
    """The classes of the keys, and the sum of the sampling weights in each: one group by of the engine.

    Every record needs a weight above 0.
    """
    refuse_unknown(rows, [*keys, weight])
    columns = {f"k{i}": rows.text(name) for i, name in enumerate(keys)}
    text = rows.text(weight).strip()
    # The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which then stumbles over texts.
    picked = rows.table.select(**columns, w=ibis.cases((text.re_search(NUMBER), text.try_cast("float64"))))
    good = (picked["w"] > 0) & (picked["w"] < float("inf"))
    summed = picked.group_by(list(columns)).aggregate(
        n=picked.count(), w=picked["w"].sum(), good=good.fill_null(False).sum()
    )
    found = rows.collect(summed)
    counts, fine = found["n"].to_numpy(), found["good"].to_numpy()
    if bad := int(counts.sum() - fine.sum()):
        raise InputError("D101", f"{bad} records of {rows.place} have no weight above 0 in {weight!r}.", "Mend them.")
    coded = [encode(found[f"k{i}"].dictionary_encode().unify_dictionaries(), name) for i, name in enumerate(keys)]
    order = np.argsort(pack([codes for _, codes in coded], [len(domain) for domain, _ in coded]), kind="stable")
    codes = np.array([codes[order] for _, codes in coded], dtype=np.int32)
    table = KeyTable(tuple(domain for domain, _ in coded), codes, counts[order].astype(np.int64))
    return table, found["w"].to_numpy()[order].astype(np.float64)


def join_figures(rows: Rows, table: KeyTable, figures: Mapping[str, Floats]) -> Rows:
    """Every record with the figures of its class, one new column for each."""
    labels = pa.table({
        domain.name: pa.array(domain.values, pa.string()).take(pa.array(codes))
        for domain, codes in zip(table.domains, table.codes, strict=True)
    })  # fmt: skip
    known = pa.table(
        {"incrowd_known": encode_rows(labels), **{name: pa.array(values) for name, values in figures.items()}}
    )
    coded = rows.table.mutate(incrowd_class=rows.encoded(table.names))
    joined = coded.left_join(rows.engine.lookup(known), [("incrowd_class", "incrowd_known")]).drop(
        "incrowd_class", "incrowd_known"
    )
    return replace(rows, table=joined)


def add_household_risk(rows: Rows, household: str, log_column: str, name: str) -> Rows:
    """Every record with 1 - prod(1 - r) over its household, from a column that holds ln(1 - r) for each record.

    A record whose household is missing is a household of its own. A household with somebody at r = 1 has ln 0, minus
    infinity, and risk 1.
    """
    refuse_unknown(rows, [household])
    # Minus infinity does not add up on every engine: count who is certain, and sum the others.
    certain = rows.table[log_column] == float("-inf")
    table = rows.table.mutate(
        incrowd_home=rows.text(household),
        incrowd_sure=certain.ifelse(1, 0),
        incrowd_ln=certain.ifelse(0.0, rows.table[log_column]),
    )
    home = ibis.window(group_by="incrowd_home")
    sure, total = table["incrowd_sure"].sum().over(home), table["incrowd_ln"].sum().over(home)
    alone = table["incrowd_home"].isnull()
    risk = 1.0 - alone.ifelse(table["incrowd_ln"], total).exp()
    value = (alone.ifelse(table["incrowd_sure"], sure) > 0).ifelse(1.0, risk)
    return replace(rows, table=table.mutate(**{name: value}).drop("incrowd_home", "incrowd_sure", "incrowd_ln"))


def household_summary(rows: Rows, column: str) -> tuple[float, float]:
    """The sum and the largest of a column of figures."""
    found = rows.collect(rows.table.aggregate(total=rows.table[column].sum(), most=rows.table[column].max()))
    return float(found["total"][0].as_py() or 0.0), float(found["most"][0].as_py() or 0.0)


def number_lines(rows: Rows) -> Rows:
    """Every record with its number in the file, from 1 on, in the hidden column LINE: to find it again."""
    return replace(rows, table=rows.table.mutate(**{LINE: (ibis.row_number() + 1).cast("int64")}))


def write_records(rows: Rows, made: Mapping[str, str], kept: Sequence[str], order: str, path: Path) -> None:
    """Made columns under their names and some of the file's, in the order of one, as a CSV file for its owner only."""
    ordered = rows.table.order_by(order)
    first, *others = made.items()
    columns = [first, *((name, name) for name in kept), *others]
    table = ordered.select([ordered[column].name(name) for column, name in columns])
    with private_file(path) as draft:
        replace(rows, table=table).write(draft, "csv")
