"""People with several records: what chance does to one of them it does to all, or whoever has them takes the average.

Numbers are drawn by the person (and the value), values change by lines: one for each person, or for each value that a
person has. Whose record it is stands in the column `who`, and goes nowhere but into keyed functions and joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ibis
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import OURS, Rows, encode_rows
from incrowd.rows.records import DRAW, absent

#: A person's value, where lines stand for records that have it.
CELL = f"{OURS}cell"


def draw_by(rows: Rows, columns: Sequence[str], function: OnBatch) -> Rows:
    """Every record with a number in a new last column: the same for all records that are equal in these columns."""
    return rows._with(DRAW, columns, function, "int64")


def draw_by_amount(rows: Rows, who: str, column: str, function: OnBatch) -> Rows:
    """The same by the person and a checked number of theirs: 5, 5.0 and 05 are one."""

    def of_amounts(batch: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        parts = (text.rpartition(":") for text in batch.to_pylist())
        return function(pa.array([f"{own}:{float(x or 0) + 0.0}" for own, _, x in parts], pa.string()))

    argument = rows.encoded([who]) + ":" + rows.text(column).fill_null("")
    return replace(rows, table=rows.engine.apply(rows.table, DRAW, [argument], of_amounts, "int64"))


def draw_homes(
    rows: Rows, home: str, values: Sequence[ibis.Value], function: OnBatch, own: str = DRAW
) -> Rows:  # fmt: skip
    """Where all records of a household that have these values have the same, the household's number takes the place of
    each record's own (`own`): a tenure drawn for every member would be the one that most of them show.
    """
    window = ibis.window(group_by=home)
    same = ~absent(rows, home)
    for value in values:
        same = same & (value.min().over(window) == value.max().over(window))
    marked = replace(rows, table=rows.table.mutate(**{f"{DRAW}_same": same.fill_null(False)}))
    both = marked._with(f"{DRAW}_home", [home], function, "int64").table
    chosen = both[f"{DRAW}_same"].ifelse(both[f"{DRAW}_home"], both[own])
    return replace(rows, table=both.mutate(**{DRAW: chosen}).select(*rows.columns))


def count_differing(rows: Rows, who: str, columns: Sequence[str]) -> int:
    """How many people have records that differ in these columns? What is missing in one of them makes a difference."""
    picked = rows.table.select(who=rows.text(who), value=rows.encoded(columns))
    grouped = picked.group_by("who").aggregate(low=picked["value"].min(), high=picked["value"].max())
    found = rows.collect(grouped.aggregate(n=(grouped["low"] != grouped["high"]).sum()))
    return int(found["n"][0].as_py() or 0)


def refuse_differing(rows: Rows, who: str, columns: Sequence[str]) -> None:
    """Strata that people do not stay in: the same value of a person would be treated in two ways."""
    if columns and (people := count_differing(rows, who, columns)):
        message = f"the records of one person differ in {', '.join(columns)} ({people} times)."
        raise InputError("D111", message, "Use variables that are the same for all of them.")


def refuse_split(rows: Rows, who: str, household: str) -> None:
    """People with records in two households, where households are treated whole: they would be torn apart."""
    if people := count_differing(rows, who, [household]):
        message = f"{people} people have records in several households, and households are treated whole here."
        raise InputError("D376", message, "Treat people instead (households: false), or mend the file.")


def count_varying(rows: Rows, who: str, columns: Sequence[str]) -> dict[str, int]:
    """For each column, how many people have different values in it? A record that misses it makes no difference."""
    made = {}
    for i, name in enumerate(columns):
        there, text = ~absent(rows, name), rows.text(name)
        made[f"d{i}"] = text.min(where=there) != text.max(where=there)
    grouped = rows.table.group_by(who).aggregate(**made)
    found = rows.collect(grouped.aggregate(**{name: grouped[name].sum() for name in made})).to_pylist()[0]
    return {name: int(found[f"d{i}"] or 0) for i, name in enumerate(columns)}


def one_value(rows: Rows, who: str, columns: Sequence[str], strata: Sequence[str] = ()) -> Rows:
    """A line for each person with the one value of each column that their records have, and with the strata.

    A record may miss it. Refuses people with several values, and with records in several strata.
    """
    refuse_differing(rows, who, strata)
    for name, people in count_varying(rows, who, columns).items():
        if people:
            message = f"{people} people have records with different values of {name!r}."
            hint = "This step gives one person's value to another. Use noise, pram or microaggregate, or recode it."
            raise InputError("D375", message, hint)
    made = {f"c{i}": rows.table[name].min(where=~absent(rows, name)) for i, name in enumerate(columns)}
    same = {f"s{i}": rows.table[name].min() for i, name in enumerate(strata)}
    grouped = rows.table.group_by(who).aggregate(**made, **same)
    named = dict(zip([*columns, *strata], [grouped[name] for name in [*made, *same]], strict=True))
    return replace(rows, table=grouped.select(**{who: grouped[who]}, **named))


def give_back(rows: Rows, lines: Rows, who: str, columns: Sequence[str]) -> Rows:
    """Every record with the values that its person's line has now; a cell that is missing or empty stays."""
    named = {f"{OURS}new{i}": lines.table[name] for i, name in enumerate(columns)}
    given = lines.table.select(**{f"{OURS}whose": lines.table[who]}, **named)
    joined = replace(rows, table=rows.table.left_join(given, [(who, f"{OURS}whose")]))
    new = dict(zip(columns, named, strict=True))
    return _with_new(joined, new, rows.columns)


def each_value(rows: Rows, who: str, column: str) -> Rows:
    """A line for each value that a person has in a column, as text: `who`, the value, and CELL to join it back by."""
    text = rows.as_text([column])
    picked = text.table.select(**{who: text.table[who], column: text.table[column], CELL: text.encoded([who, column])})
    return replace(rows, table=picked.filter(picked[column].notnull()).distinct())


def give_each_back(rows: Rows, lines: Rows, who: str, column: str) -> Rows:
    """Every record with the value that its person's value has become."""
    new = f"{OURS}new0"
    given = lines.table.select(**{f"{OURS}known": lines.table[CELL], new: lines.table[column]})
    coded = rows.table.mutate(**{CELL: rows.encoded([who, column])})
    joined = replace(rows, table=coded.left_join(given, [(CELL, f"{OURS}known")]))
    return _with_new(joined, {column: new}, rows.columns)


def give_keys(rows: Rows, keys: Sequence[str], lines: pa.Table) -> Rows:
    """New keys for what people have in classes: `lines` has the old keys and a person's number (`draw_by`), and the new
    keys. Who is not there keeps theirs.
    """
    new = {name: f"{OURS}new{i}" for i, name in enumerate(keys)}
    given = lines.select(range(len(keys) + 1, lines.num_columns)).rename_columns(list(new.values()))
    given = given.append_column(f"{OURS}known", encode_rows(lines.select(range(len(keys) + 1))))
    given = given.append_column(f"{OURS}hit", pa.array(["1"] * lines.num_rows, pa.string()))
    coded = rows.table.mutate(**{CELL: rows.encoded([*keys, DRAW])})
    joined = coded.left_join(rows.engine.lookup(given), [(CELL, f"{OURS}known")])
    hit = joined[f"{OURS}hit"].notnull()
    picked = [hit.ifelse(joined[new[n]], joined[n]).name(n) if n in new else joined[n] for n in rows.columns]
    return replace(rows, table=joined.select(picked))


def _with_new(joined: Rows, new: dict[str, str], columns: Sequence[str]) -> Rows:
    """These columns, where a new value is there in its place."""
    picked: list[ibis.Value] = []
    for name in columns:
        if name not in new:
            picked.append(joined.table[name])
            continue
        value = joined.table[new[name]]
        old = joined.table[name] if joined.table[name].type() == value.type() else joined.text(name)
        stays = absent(joined, name) | value.isnull()
        picked.append(stays.ifelse(old, value).name(name))
    return replace(joined, table=joined.table.select(picked))
