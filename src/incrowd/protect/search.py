"""search: find the recoding of the keys that costs least, and carry it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import level_in_words
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.local import LocalRecoding, recode_locally
from incrowd.keys.search.lattice import LatticeSearch, measure_levels
from incrowd.keys.search.lattice import search as find
from incrowd.keys.table import Int64, KeyTable
from incrowd.plan.steps.search import Search
from incrowd.protect.hierarchies import make_hierarchy, no_hierarchy, people_of
from incrowd.protect.methods import carries_out
from incrowd.protect.state import Change, Context, State
from incrowd.protect.suppress_records import drop_failing
from incrowd.protect.values import relabel_original
from incrowd.rows import Rows
from incrowd.rows.engine import OnBatch


@carries_out(Search)
def search(step: Search, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Choose a level for every key (or a recoding per class), recode, and drop what may still fail."""
    state = context.bind(state)
    trees = hierarchies_of(step, state, context)
    levels = [tree.bind(domain) for tree, domain in zip(trees.values(), state.table.domains, strict=True)]
    if step.local:
        return _locally(step, state, levels, context)
    options = {"suppression": step.suppression, "objective": step.objective, "weights": step.weights}
    if step.levels is not None:
        chosen = {name: step.levels.get(name, 0) for name in state.table.names}
        found = measure_levels(state.table, levels, state.bound, chosen, **options)  # type: ignore[arg-type]
    else:
        found = find(state.table, levels, state.bound, time_limit=step.seconds, **options)  # type: ignore[arg-type]
    recoded = recode_to(state, levels, found)
    after, removed_for = drop_failing(recoded, recoded.bound, context)
    removed = int(state.table.records.sum() - after.table.records.sum())
    changed = ", ".join(f"{name} {level}" for name, level in found.levels.items() if level)
    notes = (
        f"levels: {changed or 'all keys stay as they are'}",
        *(
            f"{name}: {level_in_words(trees[name], level, book_of(name, state, context), people_of(state.table, name))}"
            for name, level in found.levels.items()
            if level
        ),
        f"loss {found.loss_arithmetic:.4f} (arithmetic), {found.loss_geometric:.4f} (geometric)",
        f"{found.counted:,} of {found.nodes:,} nodes counted; "
        + ("proven optimal" if found.proven else f"not proven: the optimum may score {found.gap:.4f} less"),
    )
    cells = _cells(state.table, levels, found)
    title = f"search: recode {len([v for v in found.levels.values() if v])} keys"
    return after, Change(title, removed, cells, removed_for, notes, {"levels": dict(found.levels)})


def recode_to(state: State, levels: Sequence[Levels], found: LatticeSearch) -> State:
    """Every key at its level, in the rows and in the table (and in the table before suppression)."""
    rows, recodes, original, leaves = state.rows, {}, state.original, dict(state.leaves)
    for key in levels:
        name = key.domain.name
        recode = key.recodes[found.levels[name]]
        if found.levels[name]:
            recodes[name] = recode
            labels = [recode.domain.values[code] for code in recode.codes]
            named = dict(zip(key.domain.values, labels, strict=True))
            rows = rows.relabel(name, {old: new for old, new in named.items() if old is not None}, named.get(None))
            leaves = state.leaves_after(name, named) | {k: v for k, v in leaves.items() if k != name}
            original = None if original is None else relabel_original(original, name, named)
    before = None if state.before is None else state.before.recode(recodes)
    table = state.table.recode(recodes)
    return replace(state, rows=rows, table=table, before=before, original=original, leaves=leaves)


def hierarchies_of(step: Search, state: State, context: Context) -> dict[str, Hierarchy]:
    """The hierarchy of each key."""
    return {name: _hierarchy(step, name, state, context) for name in state.table.names}


def _hierarchy(step: Search, name: str, state: State, context: Context) -> Hierarchy:
    rule = step.hierarchies.get(name)
    if rule is None:
        return no_hierarchy(name, state.table)
    return make_hierarchy(rule, name, state.table, context.folder, book_of(name, state, context))


def book_of(name: str, state: State, context: Context) -> Codebook:
    """What the codebook says of a key as it is now: amounts that were recoded before may be bands."""
    book = context.book
    if name not in state.leaves or book.scales.get(name) != "numeric":
        return book
    return replace(book, scales={each: scale for each, scale in book.scales.items() if each != name})


def _cells(table: KeyTable, levels: Sequence[Levels], found: LatticeSearch) -> int:
    """Cells whose text changes."""
    total = 0
    for i, key in enumerate(levels):
        recode = key.recodes[found.levels[key.domain.name]]
        new = [recode.domain.values[code] for code in recode.codes]
        differs = np.array([old != label for old, label in zip(key.domain.values, new, strict=True)])
        total += int(table.records[differs[table.codes[i]]].sum())
    return total


def _locally(step: Search, state: State, levels: Sequence[Levels], context: Context) -> tuple[State, Change]:
    if state.table.population is not None:
        raise InputError("D029", "local recoding does not go with a population.", "Search without local.")
    table = state.table
    found = recode_locally(table, levels, state.bound, suppression=step.suppression, seconds=step.seconds)
    rows = apply_local(state.rows, table, levels, found, context.order("parts"))
    after = context.recount(replace(state, rows=rows))
    notes = (
        f"loss {found.loss_arithmetic:.4f} (arithmetic), {found.loss_geometric:.4f} (geometric)",
        f"{found.classes:,} classes; a heuristic, not proven optimal",
        *(("stopped by the time limit",) if found.stopped else ()),
    )
    old = [tuple(d.values[c] for d, c in zip(table.domains, column, strict=True)) for column in table.codes.T.tolist()]
    new = found.values(levels)
    cells = sum(
        int(records) * sum(a != b for a, b in zip(old[base], new[to], strict=True))
        for base, to, records in zip(found.base, found.to, found.records, strict=True)
        if to >= 0
    )
    return after, Change("search: recode class by class", found.suppressed, cells, {}, notes)


def apply_local(rows: Rows, table: KeyTable, levels: Sequence[Levels], found: LocalRecoding, order: OnBatch) -> Rows:
    """Give the records of each base class the new keys that were decided for it."""
    stay = np.flatnonzero(found.to >= 0)
    new = found.values(levels)
    chosen = [new[i] for i in found.to[stay]]
    return reassign_parts(rows, table, found.base[stay], found.records[stay], chosen, order)


def reassign_parts(
    rows: Rows, table: KeyTable, base: Int64, records: Int64, chosen: Sequence[tuple[str | None, ...]], order: OnBatch
) -> Rows:
    """Parts of base classes with their new keys, as a table for the engine to join: who is in which part is decided
    by a keyed order alone.
    """
    by_base = np.argsort(base, kind="stable")
    low = np.zeros(len(base), np.int64)
    running = np.cumsum(records[by_base]) - records[by_base]
    starts = np.r_[True, base[by_base][1:] != base[by_base][:-1]] if len(base) else np.zeros(0, bool)
    low[by_base] = running - np.maximum.accumulate(np.where(starts, running, 0))
    columns: dict[str, pa.Array] = {}
    for i, domain in enumerate(table.domains):
        columns[f"old{i}"] = pa.array(domain.values, pa.string()).take(pa.array(table.codes[i][base]))
    columns |= {"low": pa.array(low), "high": pa.array(low + records)}
    for i, _ in enumerate(table.domains):
        columns[f"new{i}"] = pa.array([values[i] for values in chosen], pa.string())
    return rows.reassign(table.names, pa.table(columns), order)
