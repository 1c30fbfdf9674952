"""Choose among records by a keyed order: who is drawn, who moves, whose number is exchanged.

Records are numbered within their class in a keyed order of the whole record and its number among equal ones. Which of
several equal records has which number does not matter, since they are the same bytes; but each is drawn for itself, so
that equal records are not chosen all or none. Every engine gives the same file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ibis
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import OURS, Rows, encode_rows
from incrowd.rows.summary import NUMBER

#: A record's number in its class from 0 on, and its class as one text.
RANK, CLASS = f"{OURS}rank", f"{OURS}class"
#: Whose record it is, where records are chosen together.
WHO = f"{OURS}who"
#: In a cell of a swap: its lines (records, or people and households), and the records of the largest.
LINES, RECORDS = f"{OURS}lines", f"{OURS}records"


def ranked(rows: Rows, by: Sequence[str], orders: Sequence[OnBatch]) -> Rows:
    """Every record with its class (equal in `by`) and its number in it."""
    made, names = _ordered(rows, orders)
    coded = made.table.mutate(**{CLASS: made.encoded(by)})
    number = ibis.row_number().over(ibis.window(group_by=CLASS, order_by=names))
    return replace(rows, table=coded.mutate(**{RANK: number.cast("int64")}).drop(*names))


def first_of_each(rows: Rows, by: Sequence[str], quotas: Mapping[str, int], orders: Sequence[OnBatch]) -> Rows:
    """The first so many records of each class, in a keyed order. `quotas` goes by the encoded class."""
    known = pa.table(
        {
            f"{OURS}known": pa.array(list(quotas), pa.string()),
            f"{OURS}quota": pa.array(list(quotas.values()), pa.int64()),
        }
    )
    numbered = ranked(rows, by, orders).table
    joined = numbered.inner_join(rows.engine.lookup(known), [(CLASS, f"{OURS}known")])
    kept = joined.filter(joined[RANK] < joined[f"{OURS}quota"])
    return replace(rows, table=kept.select(*rows.columns))


def count_classes(rows: Rows, by: Sequence[str]) -> dict[str, int]:
    """How many records are in each class, by its encoded text?"""
    picked = rows.table.select(**{CLASS: rows.encoded(by)})
    found = rows.collect(picked.group_by(CLASS).aggregate(n=picked.count()), f"the classes of {', '.join(by)}")
    return dict(sorted(zip(found[CLASS].to_pylist(), found["n"].to_pylist(), strict=True)))


def one_each(rows: Rows, who: str, what: str, same: Sequence[str], members: Mapping[str, ibis.Value]) -> Rows:
    """A line for each person or household (`who`), with the columns that all its records have the same value in.

    `members` are texts of its records: they are sorted and joined, so that two lines are equal where their members
    are. Refuses records that belong to nobody, and lines whose records differ in `same`.
    """
    table = rows.table.mutate(**{WHO: rows.text(who), f"{OURS}same": rows.encoded(same), **members})
    grouped = table.group_by(WHO).aggregate(
        **{f"{OURS}low": table[f"{OURS}same"].min(), f"{OURS}high": table[f"{OURS}same"].max()},
        **{f"{OURS}size": table.count().cast("int64")},
        # Missing stays missing: where all records have the same value, so has the smallest of them.
        **{f"{OURS}s{i}": rows.text(name).min() for i, name in enumerate(same)},
        **{name: table[name].collect().sort().join("|") for name in members},
    )
    nobody = grouped[WHO].isnull()
    differ = grouped[f"{OURS}low"] != grouped[f"{OURS}high"]
    size = grouped[f"{OURS}size"]
    found = rows.collect(grouped.aggregate(nobody=size.sum(where=nobody), differ=(differ & ~nobody).sum())).to_pylist()[
        0
    ]
    if found["nobody"]:
        message = f"{found['nobody']} records have no {what} in {who!r}, so nobody can tell whose they are."
        raise InputError("D110", message, "Fill it in, or drop those records before the run.")
    if found["differ"]:
        message = f"the records of one {what} differ in {', '.join(same)} ({found['differ']} times)."
        raise InputError("D111", message, "Use variables that are the same for all of them.")
    picked = {WHO: grouped[WHO], f"{OURS}size": grouped[f"{OURS}size"]}
    picked |= {name: grouped[f"{OURS}s{i}"] for i, name in enumerate(same)}
    picked |= {name: grouped[name] for name in members}
    return replace(rows, table=grouped.select(**picked))


def of_those(rows: Rows, who: str, chosen: Rows) -> Rows:
    """The records of the chosen people or households (a column WHO)."""
    table = rows.table.mutate(**{WHO: rows.text(who)})
    return replace(rows, table=table.semi_join(chosen.table.select(WHO), WHO).select(*rows.columns))


def marked(rows: Rows, name: str, combinations: pa.Table | None) -> Rows:
    """With a column that is '1' for records in these combinations of values, else '0'."""
    if combinations is None or not combinations.num_rows:
        return replace(rows, table=rows.table.mutate(**{name: ibis.literal("0")}))
    known = pa.table({f"{OURS}known": encode_rows(combinations)}).append_column(
        f"{OURS}hit", pa.array(["1"] * combinations.num_rows, pa.string())
    )
    coded = rows.table.mutate(**{f"{OURS}coded": rows.encoded(combinations.column_names)})
    joined = coded.left_join(rows.engine.lookup(known), [(f"{OURS}coded", f"{OURS}known")])
    hit = joined[f"{OURS}hit"].fill_null("0")
    return replace(rows, table=joined.select(*rows.columns, **{name: hit}))


def count_swap_cells(rows: Rows, geography: Sequence[str], like: str, target: str, size: str | None) -> pa.Table:
    """How many lines (LINES) there are in each cell, sorted; without those who live nowhere. `size` is a line's
    records, RECORDS the most of them in a cell.
    """
    names = [*geography, like, target]
    table = rows.table.filter([rows.table[name].notnull() for name in geography])
    records = ibis.literal(1) if size is None else table[size]
    # Counted under names of ours: a variable may be called `n`, and Arrow takes `.a` for a path.
    ours = {f"c{i}": table[name] for i, name in enumerate(names)}
    picked = table.select(**ours, records=records.cast("int64"))
    cells = picked.group_by(list(ours)).aggregate(**{LINES: picked.count(), RECORDS: picked["records"].max()})
    found = rows.collect(cells, "the cells of a swap").sort_by([(name, "ascending") for name in ours])
    return found.rename_columns([*names, LINES, RECORDS])


def moved(rows: Rows, columns: Sequence[str], numbered: Rows, moves: pa.Table, who: str | None) -> Rows:
    """Give records new values in `columns`: `moves` has the class, the number in it, and the new values.

    `numbered` are the records themselves (`who` is None), or a line for each person or household.
    """
    new = [f"{OURS}new{i}" for i in range(len(columns))]
    named = moves.rename_columns([f"{OURS}from", f"{OURS}at", *new])
    on = [(CLASS, f"{OURS}from"), (RANK, f"{OURS}at")]
    if who is None:
        joined = numbered.table.left_join(rows.engine.lookup(named), on)
    else:
        chosen = numbered.table.inner_join(rows.engine.lookup(named), on).select(WHO, *new)
        table = rows.table.mutate(**{f"{OURS}whose": rows.text(who)})
        joined = table.left_join(chosen, [(f"{OURS}whose", WHO)])
    picked = dict(zip(columns, new, strict=True))
    values = [
        (joined[picked[name]].fill_null(joined[name]) if name in picked else joined[name]).name(name)
        for name in rows.columns
    ]
    return replace(rows, table=joined.select(values))


def exchange_near(rows: Rows, column: str, reach: int, offset: int, orders: Sequence[OnBatch]) -> Rows:
    """Exchange the numbers of pairs of records whose ranks differ by at most `reach`; missing ones stay.

    The ranks are cut into blocks of reach + 1, the first one shorter by `offset`, and in each block the records are
    paired in a keyed order. With an odd number one stays as it is.
    """
    made, names = _ordered(rows, orders)
    text = made.text(column)
    there = text.strip().re_search(NUMBER).fill_null(False)
    # The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which then stumbles over texts.
    number = ibis.cases((there, text.strip().try_cast("float64")))
    table = made.table.mutate(**{f"{OURS}text": text, f"{OURS}there": there.ifelse("1", "0"), f"{OURS}number": number})
    sort = ibis.window(group_by=f"{OURS}there", order_by=[f"{OURS}number", *names])
    table = table.mutate(**{RANK: ibis.row_number().over(sort).cast("int64")})
    table = table.mutate(**{f"{OURS}block": ((table[RANK] + offset) // (reach + 1)).cast("int64")})
    pairs = ibis.window(group_by=[f"{OURS}there", f"{OURS}block"], order_by=names)
    value = table[f"{OURS}text"]
    table = table.mutate(
        **{
            f"{OURS}place": ibis.row_number().over(pairs).cast("int64"),
            f"{OURS}next": value.lead().over(pairs),
            f"{OURS}last": value.lag().over(pairs),
        }
    )
    even = table[f"{OURS}place"] % 2 == 0
    partner = even.ifelse(table[f"{OURS}next"], table[f"{OURS}last"]).fill_null(table[f"{OURS}text"])
    new = (table[f"{OURS}there"] == "1").ifelse(partner, table[f"{OURS}text"])
    return replace(rows, table=table.select([new.name(n) if n == column else table[n] for n in rows.columns]))


def split_values(rows: Rows, column: str, parts: pa.Table, orders: Sequence[OnBatch]) -> Rows:
    """Give the records of each value one of two new values: the first so many in a keyed order get `first`.

    `parts` has the columns value, first, rest, number. Missing stays missing.
    """
    named = parts.rename_columns([f"{OURS}{n}" for n in ("value", "first", "rest", "quota")])
    text = replace(rows, table=rows.table.mutate(**{column: rows.text(column)}))
    numbered = ranked(text, [column], orders).table
    joined = numbered.left_join(rows.engine.lookup(named), [(column, f"{OURS}value")])
    new = (joined[RANK] < joined[f"{OURS}quota"]).ifelse(joined[f"{OURS}first"], joined[f"{OURS}rest"])
    return replace(rows, table=joined.select([new.name(n) if n == column else joined[n] for n in rows.columns]))


def count_numbers(rows: Rows, column: str) -> tuple[int, int]:
    """How many records have a number in a column, and how many have a text that is none?"""
    text = rows.text(column).strip()
    there = text.re_search(NUMBER).fill_null(False)
    found = rows.collect(rows.table.aggregate(good=there.sum(), filled=text.count()))
    good = found["good"][0].as_py() or 0
    return good, found["filled"][0].as_py() - good


def _ordered(rows: Rows, orders: Sequence[OnBatch]) -> tuple[Rows, list[str]]:
    """With the columns to order by: a keyed hash of a hash of the whole record and of its number among equal ones."""
    first, second = orders
    hashed, copy, order = (f"{OURS}{name}" for name in ("hash", "copy", "order"))
    table = rows._with(hashed, rows.told, first, "int64").table
    number = ibis.row_number().over(ibis.window(group_by=hashed, order_by=[hashed, *rows.ties])).cast("int64")
    table = table.mutate(**{copy: number})
    text = table[copy].cast("string") + ":" + table[hashed].cast("string")
    made = rows.engine.apply(table, order, [text], second, "int64")
    return replace(rows, table=made), [order, hashed, copy]
