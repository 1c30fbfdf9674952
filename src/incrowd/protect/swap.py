"""swap: exchange the geography of records that are alike otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from incrowd.keys.swapping import Swaps, choose_swaps
from incrowd.keys.table import Int32, Int64, KeyTable
from incrowd.plan.steps.swap import Swap, Targets
from incrowd.protect.methods import carries_out
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.suppress_records import combinations
from incrowd.rows import Rows
from incrowd.rows.choose import LINES, RECORDS, count_swap_cells, marked, moved, one_each, ranked
from incrowd.rows.frame import OURS, encode_rows
from incrowd.rows.people import refuse_split

LIKE, TARGET = f"{OURS}like", f"{OURS}target"


@carries_out(Swap)
def swap(step: Swap, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Who stands out by where they live, and whom could they be taken for?

    Targets, and others chosen at random, exchange all their geography with a donor who has the same values in
    `similar`: the engine counts cells (area, similar values, target or not), `choose_swaps` decides on the counts, and
    the engine moves as many of each cell, in a keyed order. Whole households move where they are known, to the place of
    a household whose members have the same values. So every other column stays as it is, and so does the number of
    people in each area with each combination of the similar values.
    """
    rows = state.rows.as_text(step.geography)
    who = context.household if step.together(context.household) else UNIT if context.has_unit else None
    if context.has_unit and who is not None and who != UNIT:
        refuse_split(rows, UNIT, who)
    flagged = marked(rows, TARGET, None if step.targets is None else _risky(state.table, step.targets))
    movers = _movers(flagged, step, who, context)
    counted = count_swap_cells(movers, step.geography, LIKE, TARGET, None if who is None else f"{OURS}size")
    found = _decide(counted, step, context)
    changed, table = _moves(counted, step, found)
    numbered = ranked(movers, [*step.geography, LIKE, TARGET], context.orders("who"))
    moved_rows = moved(rows, step.geography, numbered, table, who)
    after = context.recount(replace(state, rows=moved_rows))
    return after, Change(f"swap {' and '.join(step.geography)}", 0, changed, notes=_notes(step, found, who, counted))


def _risky(table: KeyTable, targets: Targets) -> pa.Table:
    """The combinations of the chosen keys that too few people have, in the file or in the population."""
    one, _ = table.project(targets.keys)
    people = one.sizes if targets.among == "file" else one.population
    assert people is not None  # the plan was checked
    return combinations(one, (people < targets.fewer_than) & (one.records > 0))


def _movers(rows: Rows, step: Swap, who: str | None, context: Context) -> Rows:
    """What is moved: records, or a line for each household (or person) with what its members are like."""
    if who is None:
        return replace(rows, table=rows.table.mutate(**{LIKE: rows.encoded(step.similar)}))
    what = "household" if who == context.household else "person"
    members = {LIKE: rows.encoded(step.similar), TARGET: rows.table[TARGET]}
    homes = one_each(rows, who, what, step.geography, members)
    # One target among the members makes the household one.
    return replace(homes, table=homes.table.mutate(**{TARGET: homes.table[TARGET].contains("1").ifelse("1", "0")}))


def _decide(counted: pa.Table, step: Swap, context: Context) -> Swaps:
    paths = np.array([_codes(counted[name]) for name in step.geography], np.int32)
    target = np.array([value == "1" for value in counted[TARGET].to_pylist()], bool)
    records = counted[LINES].to_numpy().astype(np.int64)
    random = round(step.rate * int(records[~target].sum()))
    alike = _codes(counted[LIKE]).astype(np.int64)
    return choose_swaps(paths, alike, target, records, random, context.draws("pairs"))


def _codes(column: pa.ChunkedArray) -> Int32:
    """Numbers for texts, by their order: the same on every engine."""
    _, codes = np.unique(np.array(column.to_pylist(), dtype=object), return_inverse=True)
    return codes.astype(np.int32)


def _moves(counted: pa.Table, step: Swap, found: Swaps) -> tuple[int, pa.Table]:
    """The moves as a table for the engine, and how many cells of the file they change.

    Who moves where within a cell is a matter of numbers: its first movers in the keyed order, one after the other.
    """
    by_cell = np.lexsort((found.to, found.cells))
    cells, to = found.cells[by_cell], found.to[by_cell]
    names = [*step.geography, LIKE, TARGET]
    places = {name: counted[name].combine_chunks() for name in step.geography}
    texts = encode_rows(counted.select(names))
    columns = {"from": texts.take(pa.array(cells)), "at": pa.array(_within(cells))}
    changed = 0
    sizes = counted[RECORDS].to_numpy()
    for name, values in places.items():
        old, new = values.take(pa.array(cells)), values.take(pa.array(to))
        columns[f"new {name}"] = new
        differs = np.array([a != b for a, b in zip(old.to_pylist(), new.to_pylist(), strict=True)], bool)
        changed += int(sizes[cells][differs].sum())
    return changed, pa.table(columns)


def _within(cells: Int64) -> Int64:
    """0, 1, 2 ... within each run of equal numbers."""
    starts = np.r_[True, cells[1:] != cells[:-1]] if len(cells) else np.zeros(0, bool)
    at = np.arange(len(cells), dtype=np.int64)
    return at - np.maximum.accumulate(np.where(starts, at, 0))


def _notes(step: Swap, found: Swaps, who: str | None, counted: pa.Table) -> tuple[str, ...]:
    """For the audit only: what was asked, what was reached, what is missing."""
    what = "records" if who is None else "people" if who == UNIT else "households"
    total = int(counted[LINES].to_numpy().sum())
    short = found.targets + found.random - found.targets_swapped - found.random_swapped
    levels = {i: f"within the same {step.geography[i - 1]}" if i else "elsewhere" for i in found.near}
    near = ", ".join(f"{levels[i]} {n:,}" for i, n in sorted(found.near.items(), reverse=True))
    return (
        f"{len(found.cells):,} of {total:,} {what} are swapped: {found.targets_swapped:,} of {found.targets:,} "
        f"targets, {found.random_swapped:,} of {found.random:,} at random, {found.donors:,} donors",
        f"exchanges by place: {near or 'none'}",
        *((f"{short:,} found no partner in another area: fewer similar variables would give more",) if short else ()),
    )
