"""Columns of numbers: are they all numbers, how are they written, how do they spread, and the numbers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.rows.frame import Rows
from incrowd.rows.records import DRAW, absent
from incrowd.rows.summary import NUMBER

Floats = NDArray[np.float64]
#: Sums of decimal fractions depend on their order, and engines add in different orders: figures that noise is made
#: from are cut to so many digits, so that every engine gets the same.
DIGITS = 9


@dataclass(frozen=True)
class Written:
    """How a column's numbers are written: the most decimals, and whether any is written with an exponent."""

    there: int
    decimals: int
    exponents: bool


def check_numbers(rows: Rows, columns: Sequence[str]) -> dict[str, Written]:
    """Refuse a column with cells that are no numbers; missing and empty cells are none, and no fault."""
    asked: dict[str, ibis.Value] = {}
    for i, name in enumerate(columns):
        text = rows.text(name)
        there = ~absent(rows, name)
        # In Java, $ matches before a last line end, too.
        good = (text.re_search(NUMBER) & ~text.contains("\n") & (text.length() <= 40)).fill_null(False)
        dot = text.find(".")
        asked |= {
            f"bad{i}": (there & ~good).ifelse(1, 0).sum(),
            f"there{i}": there.ifelse(1, 0).sum(),
            f"places{i}": (there & (dot >= 0)).ifelse(text.length() - dot - 1, 0).max(),
            f"exponents{i}": (there & text.lower().contains("e")).ifelse(1, 0).sum(),
        }
    found = {name: column[0].as_py() or 0 for name, column in _columns(rows.collect(rows.table.aggregate(**asked)))}
    for i, name in enumerate(columns):
        if bad := int(found[f"bad{i}"]):
            raise InputError(
                "D130",
                f"{bad} records have something in {name!r} that is not a number.",
                "Recode it first, or mend the file; missing values may stay.",
            )
    return {
        name: Written(int(found[f"there{i}"]), int(found[f"places{i}"]), bool(found[f"exponents{i}"]))
        for i, name in enumerate(columns)
    }


def number(rows: Rows, column: str) -> ibis.Value:
    """A checked column as numbers, missing where nothing is there."""
    text = rows.text(column)
    # The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which then stumbles over texts.
    return ibis.cases((text.re_search(NUMBER).fill_null(False), text.try_cast("float64")))


def covariance(rows: Rows, columns: Sequence[str], unit: str | None = None) -> tuple[int, Floats]:
    """How do checked columns vary together, over the records that have all of them? Their number, and n - 1 below.

    With a unit, people are counted: the m records of a person weigh 1/m each, so that nobody's many records hide how
    much people differ.
    """
    names = [f"x{i}" for i, _ in enumerate(columns)]
    picked = rows.table.select(
        **{name: number(rows, column) for name, column in zip(names, columns, strict=True)},
        **({} if unit is None else {"u": rows.text(unit)}),
    )
    picked = picked.filter([picked[name].notnull() for name in names])
    people = picked.count() if unit is None else picked["u"].nunique()
    first = rows.collect(picked.aggregate(n=people, **{name: picked[name].mean() for name in names}))
    n = int(first["n"][0].as_py())
    if n < 2:
        return n, np.zeros((len(names), len(names)))
    if unit is not None:
        picked = picked.mutate(w=1.0 / picked.count().over(ibis.window(group_by="u")))
    # Around a middle that all engines agree on; the second sum puts right what that misses of the mean.
    middle = [_cut(float(first[name][0].as_py())) for name in names]
    moved = [picked[name] - value for name, value in zip(names, middle, strict=True)]
    weighed = moved if unit is None else [value * picked["w"] for value in moved]
    sums = {f"s{i}": value.sum() for i, value in enumerate(weighed)}
    sums |= {f"p{i}_{j}": (weighed[i] * moved[j]).sum() for i in range(len(names)) for j in range(i + 1)}
    found = {name: float(column[0].as_py()) for name, column in _columns(rows.collect(picked.aggregate(**sums)))}
    result = np.zeros((len(names), len(names)))
    for i in range(len(names)):
        result[i, i] = max(_cut((found[f"p{i}_{i}"] - found[f"s{i}"] ** 2 / n) / (n - 1)), 0.0)
        for j in range(i):
            scale = float(np.sqrt(result[i, i] * result[j, j]))
            value = (found[f"p{i}_{j}"] - found[f"s{i}"] * found[f"s{j}"] / n) / (n - 1)
            # Cut as a correlation: of a covariance near 0 all digits are rounding.
            result[i, j] = result[j, i] = round(value / scale, DIGITS) * scale if scale else 0.0
    return n, result


def fetch_numbers(rows: Rows, columns: Sequence[str], strata: Sequence[str]) -> pa.Table:
    """The numbers of all records, in the order of their draws: `draw`, `stratum` and `x0`, `x1` and so on."""
    stratum = rows.encoded(strata) if strata else ibis.literal("")
    there = ibis.literal("").join([absent(rows, name).ifelse("-", "+") for name in columns])
    picked = rows.table.select(
        draw=rows.table[DRAW], stratum=there + ":" + stratum,
        **{f"x{i}": number(rows, name) for i, name in enumerate(columns)},
    )  # fmt: skip
    return rows.collect(picked, "the records").sort_by("draw")


def _cut(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _columns(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    return list(zip(table.column_names, table.columns, strict=True))
