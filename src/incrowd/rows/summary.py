"""What the profile needs of the engine: counts per column, a bounded set of values, rounded percentiles.

Each question here is one query (percentiles: two) whatever the number of columns: the columns are stacked into one
long table of (column, value) and counted by one `group by`; patterns are tried on distinct values, not on records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ibis
import pyarrow as pa

from incrowd.rows.frame import Rows

WHOLE = r"^[+-]?[0-9]+$"
NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"
LEADING_ZERO = r"^0[0-9]+$"
YES_NO = r"^(?i:yes|no|y|n|true|false|t|f|0|1)$"

_YEAR, _TWO, _CLOCK = "([12][0-9]{3})", "([0-9]{2})", "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
#: How dates are written (as strptime says it), the pattern of each, and how to turn it into year-month-day.
#: The day comes before the month where both readings fit, as it does in the United Kingdom.
DATE_FORMATS: dict[str, tuple[str, str]] = {
    "%Y-%m-%d": (f"^{_YEAR}-{_TWO}-{_TWO}$", r"\1-\2-\3"),
    "%d/%m/%Y": (f"^{_TWO}/{_TWO}/{_YEAR}$", r"\3-\2-\1"),
    "%m/%d/%Y": (f"^{_TWO}/{_TWO}/{_YEAR}$", r"\3-\1-\2"),
    "%d-%m-%Y": (f"^{_TWO}-{_TWO}-{_YEAR}$", r"\3-\2-\1"),
    "%d.%m.%Y": (f"^{_TWO}\\.{_TWO}\\.{_YEAR}$", r"\3-\2-\1"),
    "%Y/%m/%d": (f"^{_YEAR}/{_TWO}/{_TWO}$", r"\1-\2-\3"),
    "%Y%m%d": (f"^{_YEAR}{_TWO}{_TWO}$", r"\1-\2-\3"),
    "%Y-%m-%d %H:%M:%S": (f"^{_YEAR}-{_TWO}-{_TWO} {_CLOCK}$", r"\1-\2-\3"),
    "%Y-%m-%dT%H:%M:%S": (f"^{_YEAR}-{_TWO}-{_TWO}T{_CLOCK}$", r"\1-\2-\3"),
}


@dataclass(frozen=True)
class ColumnCounts:
    """What counting says about one column. `distinct` and what follows leave out missing and blank values.

    `once`: values that only one record has. `whole` to `yes_no`: distinct values of that form. `dates`:
    distinct values that are real dates, by format. `span`: largest minus smallest of the whole numbers; it is
    somebody's value, so it goes no further than the recognition of record numbers.
    """

    missing: int = 0
    empty: int = 0
    distinct: int = 0
    once: int = 0
    shortest: int | None = None
    longest: int | None = None
    whole: int = 0
    number: int = 0
    leading_zero: int = 0
    yes_no: int = 0
    span: float | None = None
    dates: Mapping[str, int] | None = None


def count_columns(rows: Rows) -> tuple[ColumnCounts, ...]:
    """How many values has each column, how many of them occur once, and of which form are they? One query."""
    counted = _distinct(rows)
    raw = counted["v"]
    value = raw.strip()
    blank, there = value == "", (value != "").fill_null(False)
    whole = there & value.re_search(WHOLE)
    as_number = ibis.cases((whole, value.try_cast("float64")))

    def number_of(which: ibis.Value) -> ibis.Value:
        return (which & there).fill_null(False).sum()

    measures = {
        "missing": counted["n"].sum(where=raw.isnull()),
        "empty": counted["n"].sum(where=blank),
        "distinct": there.sum(),
        "once": number_of(counted["n"] == 1),
        "shortest": raw.length().min(where=there),
        "longest": raw.length().max(where=there),
        "whole": whole.fill_null(False).sum(),
        "number": number_of(value.re_search(NUMBER)),
        "leading_zero": number_of(value.re_search(LEADING_ZERO)),
        "yes_no": number_of(value.re_search(YES_NO)),
        "span": as_number.max() - as_number.min(),
    }
    for i, (pattern, order) in enumerate(DATE_FORMATS.values()):
        # The text itself, not the stripped one: what reads dates later does not strip either.
        measures[f"date{i}"] = number_of(raw.re_search(pattern) & _is_date(raw, pattern, order))
    found = rows.collect(counted.group_by("c").aggregate(**measures))
    by_column = {line["c"]: line for line in found.to_pylist()}
    return tuple(_counts(by_column.get(f"c{i}")) for i in range(len(rows.columns)))


def some_values(rows: Rows, counts: Sequence[ColumnCounts], most: int = 1000) -> tuple[tuple[str, ...], ...]:
    """About `most` distinct values of each column, to try patterns on: those with the smallest hash.

    The choice depends on the values alone, so it is the same on every engine and in every order of the
    records. Values are cut at 200 characters. They never leave the profile.
    """
    full = [i for i, count in enumerate(counts) if count.distinct]
    if not full:
        return tuple(() for _ in counts)
    counted = _distinct(rows)
    branches = []
    for i in full:
        # A hexadecimal digest below this text has the chance most/distinct; 'g' is above every digest.
        share = most / counts[i].distinct
        branches.append((f"c{i}", f"{int(share * 16**8):08x}" if share < 1 else "g"))
    limit = counted["c"].cases(*branches, else_="")
    # The count in the condition keeps the engine from hashing every record's value before it groups them.
    there = (counted["n"] > 0) & (counted["v"].strip() != "")
    digest = ibis.cases((there, counted["v"].hexdigest("md5")))
    chosen = counted.filter(digest < limit)
    found = rows.collect(chosen.select(c="c", v=chosen["v"].left(200)))
    values: list[list[str]] = [[] for _ in counts]
    for name, text in zip(found["c"].to_pylist(), found["v"].to_pylist(), strict=True):
        values[int(name[1:])].append(text)
    return tuple(tuple(sorted(each)) for each in values)


def count_markers(rows: Rows, markers: Sequence[str]) -> tuple[dict[str, int], ...]:
    """Which of these texts (given in lower case) are values of each column, and how many records have them? As they are
    written in the file; other values are not fetched.
    """
    counted = _distinct(rows)
    found = rows.collect(counted.filter(counted["v"].strip().lower().isin(list(markers))))
    by_column: list[dict[str, int]] = [{} for _ in rows.columns]
    for line in found.to_pylist():
        by_column[int(line["c"][1:])][line["v"]] = int(line["n"])
    return tuple(by_column)


def rounded_percentiles(
    rows: Rows, columns: Sequence[str], beyond: int = 20
) -> dict[str, tuple[float | None, float | None]]:
    """Between which round numbers do most values of a numeric column lie? Its 5th and 95th percentile,
    rounded.

    Both are rounded inwards, to a half of the power of ten in their distance. An end is left out (None)
    unless at least `beyond` records lie at it or outside, so that it is nobody's own value. Two queries.
    """
    if not columns:
        return {}
    numbers = {name: _number(rows, name) for name in columns}
    asked = {}
    for i, value in enumerate(numbers.values()):
        asked[f"low{i}"], asked[f"high{i}"] = value.quantile(0.05), value.quantile(0.95)
    percentiles = _one_line(rows.collect(rows.table.aggregate(**asked)))
    rounded = [_round_inwards(percentiles[f"low{i}"], percentiles[f"high{i}"]) for i in range(len(columns))]
    outside = {}
    for i, value in enumerate(numbers.values()):
        if (ends := rounded[i]) is not None:
            outside[f"low{i}"], outside[f"high{i}"] = (value <= ends[0]).sum(), (value >= ends[1]).sum()
    counted = _one_line(rows.collect(rows.table.aggregate(**outside))) if outside else {}
    result: dict[str, tuple[float | None, float | None]] = {}
    for i, name in enumerate(columns):
        ends = rounded[i]
        if ends is None:
            result[name] = (None, None)
            continue
        enough = [(counted[f"{end}{i}"] or 0) >= beyond for end in ("low", "high")]
        result[name] = (ends[0] if enough[0] else None, ends[1] if enough[1] else None)
    return result


def _distinct(rows: Rows) -> ibis.Table:
    """The columns one below the other: c0, c1, ... by number, each distinct value with the records that have it."""
    short = rows.table.select(**{f"c{i}": rows.text(name) for i, name in enumerate(rows.columns)})
    stacked = short.pivot_longer(ibis.selectors.all(), names_to="c", values_to="v")
    return stacked.group_by("c", "v").aggregate(n=stacked.count())


def _is_date(value: ibis.Value, pattern: str, order: str) -> ibis.Value:
    return value.re_replace(pattern, order).try_cast("date").notnull()


def _number(rows: Rows, column: str) -> ibis.Value:
    value = rows.text(column).strip()
    return ibis.cases((value.re_search(NUMBER), value.try_cast("float64")))


def _counts(line: dict[str, object] | None) -> ColumnCounts:
    if line is None:  # no records at all
        return ColumnCounts(dates={})
    dates = {name: int(str(line[f"date{i}"] or 0)) for i, name in enumerate(DATE_FORMATS)}
    kept = {name: line[name] for name in ColumnCounts.__dataclass_fields__ if name != "dates"}
    for name in kept:
        if name not in ("shortest", "longest", "span"):
            kept[name] = int(str(kept[name] or 0))
    return ColumnCounts(**kept, dates={name: n for name, n in dates.items() if n})  # type: ignore[arg-type]


def _one_line(found: pa.Table) -> dict[str, float | None]:
    lines: list[dict[str, float | None]] = found.to_pylist()
    return lines[0]


def _round_inwards(low: float | None, high: float | None) -> tuple[float, float] | None:
    if low is None or high is None or not low < high or math.isinf(high - low):
        return None
    exponent = math.floor(math.log10(high - low))
    # Halves of a power of ten, computed in whole numbers where that is exact: 0.15, not 0.15000000000000002.
    places = 1 - exponent
    unit = 5 * 10.0**-places
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    return round(first * unit, max(places, 0)), round(last * unit, max(places, 0))
