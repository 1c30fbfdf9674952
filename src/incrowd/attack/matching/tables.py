"""Published tables of counts against the release: who is in one and not in the other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.attack.knowledge import RELEASE, joined, knows, untried
from incrowd.attack.matching.spans import span
from incrowd.attack.situation import Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.keys.packing import group, pack

#: How a column of counts may be called.
COUNTS = ("n", "count", "counts", "records", "people", "number", "frequency")
#: How a row of totals may be labelled.
TOTALS = ("total", "all", "sum")
MOST = 2
ACTS = f"subtracts the release's own counts from a published table, and finds cells that differ by 1 to {MOST} people"


def difference(situation: Situation, name: str, table: pa.Table) -> Attacked:
    """A published table minus the release: who is in the one and not in the other?

    Its labels must be those of the release. Rows of totals, and counts that are not told (a star, 'under 5'), are left
    out. Success: people of the original who are not in the release, in cells where the table has one or two people more
    than the release and just so many were left out; of everybody. A table that counts other people, or that was
    perturbed, gives differences that are wrong: `claimed` shows how often.
    """
    counts = next((column for column in table.column_names if column.lower() in COUNTS), None)
    columns = [
        column for column in table.column_names if column in situation.released.column_names and column != counts
    ]
    if counts is None or not columns or not set(columns) <= set(situation.known.column_names):
        why = f"the table {name} needs a column of counts ({', '.join(COUNTS)}) and columns of the release."
        return untried(situation, "differencing", ACTS, why, name)
    more = [column for column in table.column_names if column not in (*columns, counts)]
    table = _without_totals(table, columns, more)
    numbers = np.array([_count(value) for value in table[counts].to_pylist()], float)
    table, numbers = table.filter(pa.array(~np.isnan(numbers))), numbers[~np.isnan(numbers)]
    coded = codes_of([situation.known, situation.released, table], columns)
    whole = [np.concatenate(parts) for parts in zip(*coded, strict=True)]
    cells, cell_of = group(pack(whole, [int(part.max(initial=0)) + 1 for part in whole]))
    everybody, records = situation.known.num_rows, situation.released.num_rows
    home = cell_of[:everybody]
    released = np.bincount(cell_of[everybody : everybody + records], minlength=len(cells))
    listed = cell_of[everybody + records :]
    published = np.bincount(listed, weights=numbers, minlength=len(cells))
    told = np.isin(np.arange(len(cells)), listed)
    if not records or not told[home].any():
        why = f"the release or the table {name} has no count of a cell that anybody is in: its labels may be others."
        return untried(situation, "differencing", ACTS, why, name)
    if situation.inside.all():
        why = "nobody was left out of the release, so that a table has nobody more."
        return untried(situation, "differencing", ACTS, why, name, RELEASE)
    gap = published - released
    left_out = np.bincount(home[~situation.inside], minlength=len(cells))
    small = told & (gap > 0) & (gap <= MOST)
    right = small & (gap == left_out)
    hit = np.flatnonzero(right[home] & ~situation.inside)
    success = Rate(len(hit), everybody)
    fewer = int((told & (gap < 0) & (gap >= -MOST)).sum())
    sentence = (
        f"The published table {name} minus the release shows cells with one or two people who were left out: "
        f"{success.hits:,} of {success.tries:,} people ({percent(success.value)})."
        if success.hits
        else f"The published table {name} minus the release shows nobody who was left out."
    )
    return Attacked(
        "differencing", situation.scenario.name, knows(situation, f"; the published table {name}"), ACTS, success, 0.0,
        None, sentence, Rate(len(hit), int(gap[small].sum())), tuple(int(line) + 1 for line in hit[:50]),
        joined("No control: the counts are of everybody.",
               f"In {fewer:,} cells the release has one or two more than the table: not judged." if fewer else "",
               "" if told[home].all() else "The table does not have the cells of everybody."),
    )  # fmt: skip


def _count(value: object) -> float:
    """A count; NaN where the table does not tell it (a dot, a star, 'under 5')."""
    found = span(None if value is None else str(value))
    return found[0] if found is not None and found[0] == found[1] else float("nan")


def _without_totals(table: pa.Table, columns: list[str], more: list[str]) -> pa.Table:
    """Without rows of totals; of a column that the release does not have, only its totals where there are any."""
    for column in columns:
        table = table.filter(pc.invert(_is_total(table[column])))
    for column in more:
        totals = _is_total(table[column])
        if pc.any(totals).as_py():
            table = table.filter(totals)
    return table


def _is_total(column: pa.ChunkedArray) -> pa.ChunkedArray:
    lowered = pc.utf8_lower(pc.cast(column, pa.string()))
    return pc.fill_null(pc.is_in(lowered, value_set=pa.array(TOTALS)), False)
