"""Verbs that change single records: each gets a number from a keyed hash, and the number decides.

A hash of the record alone would treat all copies of a record alike. So equal records are numbered first, and the hash
is of the record and its number. Which copy gets which number does not matter: they are the same bytes. As a multiset
the result depends on nothing but the records and the key, on every engine and in every order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ibis
import pyarrow as pa

from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import OURS, Rows, encode_rows

#: The record's number, while a step works.
DRAW = f"{OURS}draw"
#: Before the name of a column: its values before the step.
OLD = f"{OURS}old_"


def draw(rows: Rows, function: OnBatch, name: str = DRAW) -> Rows:
    """Every record with a number in a new last column: a function of the record and its number among equal ones."""
    ours = [column for column in rows.told if not column.startswith((DRAW, OLD))]
    coded = rows.table.mutate(incrowd_record=rows.encoded(ours))
    window = ibis.window(group_by="incrowd_record", order_by=["incrowd_record", *rows.ties])
    copies = coded.mutate(incrowd_copy=ibis.row_number().over(window))
    argument = copies["incrowd_copy"].cast("string") + ":" + copies["incrowd_record"]
    made = rows.engine.apply(copies, name, [argument], function, "int64")
    return replace(rows, table=made.drop("incrowd_record", "incrowd_copy"))


def keep_old(rows: Rows, columns: Sequence[str]) -> Rows:
    """With a copy of these columns, to count later what changed."""
    return replace(rows, table=rows.table.mutate(**{f"{OLD}{name}": rows.text(name) for name in columns}))


def count_changed(rows: Rows, columns: Sequence[str]) -> dict[str, int]:
    """In how many records does each column differ from its copy? Missing is a value here."""
    changed = {}
    for i, name in enumerate(columns):
        new, old = rows.text(name), rows.table[f"{OLD}{name}"]
        differs = (new != old).fill_null(False) | (new.isnull() != old.isnull())
        changed[f"c{i}"] = differs.ifelse(1, 0).sum()
    found = rows.collect(rows.table.aggregate(**changed))
    return {name: int(found[f"c{i}"][0].as_py() or 0) for i, name in enumerate(columns)}


def forget(rows: Rows) -> Rows:
    """Without the columns that the verbs here added."""
    return rows.drop([name for name in rows.columns if name.startswith((DRAW, OLD))])


def absent(rows: Rows, column: str) -> ibis.Value:
    """Is a cell missing or empty?"""
    text = rows.text(column)
    return text.isnull() | (text == "").fill_null(False)


def exchange(rows: Rows, column: str, strata: Sequence[str], cells: pa.Table) -> Rows:
    """New values by the records' draws: `cells` has the strata and the old value, `low` and `high`, and the new value.

    Every combination of strata and value must be there, and its intervals must cover all draws.
    """
    size = len(strata) + 1
    code = encode_rows(cells.select(range(size)))
    plan = cells.select(range(size, size + 3)).rename_columns(["incrowd_low", "incrowd_high", "incrowd_new"])
    lookup = rows.engine.lookup(plan.append_column("incrowd_part", code))
    coded = rows.table.mutate(incrowd_cell=rows.encoded([*strata, column]))
    joined = coded.inner_join(lookup, [("incrowd_cell", "incrowd_part")])
    inside = joined.filter(joined[DRAW] >= joined["incrowd_low"], joined[DRAW] < joined["incrowd_high"])
    chosen = [inside["incrowd_new"].name(name) if name == column else inside[name] for name in rows.columns]
    return replace(rows, table=inside.select(chosen))


def add_to(rows: Rows, column: str, function: OnBatch) -> Rows:
    """A new number for each cell that is there, by a function of texts 'draw:value'. Missing and empty stay."""
    text = rows.text(column)
    argument = rows.table[DRAW].cast("string") + ":" + text.fill_null("")
    made = rows.engine.apply(rows.table, "incrowd_made", [argument], function, "string")
    return _put(replace(rows, table=made), {column: "incrowd_made"}, rows.columns)


def assign(rows: Rows, columns: Sequence[str], numbers: pa.Array, texts: Mapping[str, pa.Array]) -> Rows:
    """New values by the records' draws, from memory. A record whose draw is not there keeps its values; missing and
    empty cells stay.
    """
    named = {f"incrowd_new{i}": texts[name] for i, name in enumerate(columns)}
    lookup = rows.engine.lookup(pa.table({"incrowd_number": numbers, **named}))
    joined = rows.table.left_join(lookup, [(DRAW, "incrowd_number")])
    made = dict(zip(columns, named, strict=True))
    return _put(replace(rows, table=joined), made, rows.columns)


def _put(rows: Rows, made: Mapping[str, str], columns: Sequence[str]) -> Rows:
    """The made texts in place of the columns, where there are both an old and a new value."""
    picked = []
    for name in columns:
        if name not in made:
            picked.append(rows.table[name])
            continue
        old, new = rows.table[name], rows.table[made[name]]
        kind = old.type()
        if not kind.is_string():  # a column of numbers stays one; means and noise of whole numbers may have decimals
            new = new.nullif("").cast("float64")
            old = old.cast("float64")
        stays = absent(rows, name) | new.isnull()
        picked.append(stays.ifelse(old, new).name(name))
    return replace(rows, table=rows.table.select(picked))


def permute(rows: Rows, columns: Sequence[str], strata: Sequence[str], giver: OnBatch, taker: OnBatch) -> Rows:
    """Within strata, give the columns of one record to another: two keyed orders, and the i-th of one gives to the
    i-th of the other. Cells that are missing or empty stay where they are: which cells are there is a stratum, too.
    """
    made = draw(draw(rows, giver, f"{DRAW}_giver"), taker, f"{DRAW}_taker")
    there = ibis.literal("").join([absent(made, name).ifelse("-", "+") for name in columns])
    coded = made.table.mutate(
        incrowd_stratum=made.encoded(strata) + ":" + there if strata else there, incrowd_tie=made.encoded(rows.told)
    )
    ranks = {
        side: ibis.row_number().over(
            ibis.window(group_by="incrowd_stratum", order_by=[f"{DRAW}_{side}", "incrowd_tie", *rows.ties])
        )
        for side in ("giver", "taker")
    }
    ranked = coded.mutate(incrowd_give=ranks["giver"], incrowd_take=ranks["taker"])
    given = {f"incrowd_given{i}": ranked[name] for i, name in enumerate(columns)}
    givers = ranked.select(incrowd_from=ranked["incrowd_stratum"], incrowd_at=ranked["incrowd_give"], **given)
    joined = ranked.inner_join(givers, [("incrowd_stratum", "incrowd_from"), ("incrowd_take", "incrowd_at")])
    new = dict(zip(columns, given, strict=True))
    # Settled: each later question would draw and join everybody again.
    return replace(rows, table=joined.select([joined[new.get(n, n)].name(n) for n in rows.columns])).settled()
