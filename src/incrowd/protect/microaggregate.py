"""microaggregate: replace numbers by the mean of a group of similar records.

Who is similar to whom cannot be asked of an engine record by record, so this method takes the numbers of all records
into memory: the one step that does, and it refuses files that are too large for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.grouping import group_means, mdav, person_means, standardised, univariate
from incrowd.keys.noise import Floats, as_texts
from incrowd.plan.steps.perturb import Microaggregate
from incrowd.protect.methods import carries_out
from incrowd.protect.perturbing import decimals, recount_changed, told
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.numbers import check_numbers, fetch_numbers
from incrowd.rows.people import draw_by, refuse_differing
from incrowd.rows.records import assign, draw, keep_old

#: The most numbers (records times variables) that are taken into memory: a few GB.
MOST_NUMBERS = 20_000_000


@carries_out(Microaggregate)
def microaggregate(
    step: Microaggregate, number: int, state: State, context: Context
) -> tuple[State, Change]:  # fmt: skip
    """Group records of k to 2k - 1, and give each the means of its group. Missing stays missing.

    With mdav, records that miss different variables are grouped apart; with univariate, each variable by itself. Means
    are rounded alike in a group, so the total of a variable moves by at most n / 2 times the last decimal.

    Where people have several records, people are grouped by the means of their records, and all records of a person
    get the mean over the people of the group, in which each counts once: nobody outweighs the others, and nobody is in
    two groups.
    """
    names, rows = step.variables, state.rows
    size = int(state.table.records.sum()) * len(names)
    if size > MOST_NUMBERS:
        message = f"{size:,} numbers are more than the {MOST_NUMBERS:,} that are taken into memory."
        raise InputError("D132", message, "Use noise or rounding, fewer variables, or a sample of the records.")
    places = decimals(check_numbers(rows, names), step.decimals, 2)
    if context.has_unit:
        refuse_differing(rows, UNIT, step.strata)
    rows, found = _fetch(keep_old(rows, names), step, state, context)
    several: tuple[str, ...] = ()
    if context.has_unit:
        found, differing = _people(found, step)
        several = (f"people are grouped, and {differing:,} had records that differ: they have one value now",)
    together = [list(range(len(names)))] if step.method == "mdav" else [[i] for i in range(len(names))]
    new = {name: np.full(found.num_rows, np.nan) for name in names}
    groups = 0
    for columns in together:
        groups += _replace(step, found, columns, new, "people" if context.has_unit else "records")
    texts = {name: _texts(values, places[name]) for name, values in new.items()}
    rows = assign(rows, names, found["draw"].combine_chunks(), texts)
    after, changed = recount_changed(rows, names, state, context)
    notes = (f"{step.method}, k = {step.k}, {groups:,} groups", *several, told(changed))
    return after, Change(f"microaggregate {', '.join(names)}", cells_changed=sum(changed.values()), notes=notes)


def _fetch(rows: Rows, step: Microaggregate, state: State, context: Context) -> tuple[Rows, pa.Table]:
    """The records with numbers that tell them apart, or tell whose they are. Two with one number are a chance of 1 in
    10^6 for a file as large as is allowed; then other numbers are tried.
    """
    attempt = 0
    while True:
        if context.has_unit:
            drawn = draw_by(rows, [UNIT], context.order("person", str(attempt)))
        else:
            drawn = draw(rows, context.order("record", str(attempt)))
        found = fetch_numbers(drawn, step.variables, step.strata)
        if len(np.unique(found["draw"].to_numpy())) == (state.table.people if context.has_unit else found.num_rows):
            return drawn, found
        attempt += 1


def _people(found: pa.Table, step: Microaggregate) -> tuple[pa.Table, int]:
    """A line for each person, with the means of their records; and how many have records that differ.

    The records of a person are added up in the order of their numbers, so that every engine gets the same means. With
    mdav a person must miss the same variables in all records: else one person would be in two groups.
    """
    names = [f"x{i}" for i, _ in enumerate(step.variables)]
    found = found.sort_by([(name, "ascending") for name in ("draw", *names)])
    draws = found["draw"].to_numpy()
    starts = np.flatnonzero(np.r_[True, draws[1:] != draws[:-1]][: len(draws)])
    values = np.column_stack([found[name].to_numpy() for name in names])
    means, differ, gaps = person_means(values, starts)
    if step.method == "mdav" and gaps.any():
        message = f"{int(gaps.any(axis=1).sum()):,} people miss different variables in different records."
        raise InputError("D377", message, "Use method: univariate, or one step for each variable.")
    strata = [text.partition(":")[2] for text in found["stratum"].take(pa.array(starts)).to_pylist()]
    marks = ["".join("-" if gone else "+" for gone in line) for line in np.isnan(means).tolist()]
    lines = {"draw": draws[starts], "stratum": [f"{m}:{text}" for m, text in zip(marks, strata, strict=True)]}
    columns = {name: means[:, i] for i, name in enumerate(names)}
    return pa.table({**lines, **columns}), int(differ.any(axis=1).sum())


def _replace(step: Microaggregate, found: pa.Table, columns: Sequence[int], new: dict[str, Floats], who: str) -> int:
    """The means of these columns, stratum by stratum; how many groups there are. `who` names what a line is."""
    codes = _strata(found["stratum"], columns)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    values = np.column_stack([found[f"x{i}"].to_numpy() for i in columns])
    there = ~np.isnan(values)
    parts = [part for part in parts if len(part) and there[part[0]].any()]
    if small := [len(part) for part in parts if len(part) < step.k]:
        message = f"{sum(small):,} {who} are in {len(small):,} strata of fewer than {step.k} {who}."
        hint = "Use fewer strata. Records that miss different variables are strata, too: method: univariate has fewer."
        raise InputError("D133", message, hint)
    groups = 0
    for part in parts:
        seen = np.flatnonzero(there[part[0]])
        inside = values[np.ix_(part, seen)]
        made = mdav(standardised(inside), step.k) if step.method == "mdav" else univariate(inside[:, 0], step.k)
        groups += int(made.max()) + 1
        for j, at in enumerate(seen.tolist()):
            new[step.variables[columns[at]]][part] = group_means(inside[:, j], made)
    return groups


def _strata(texts: pa.ChunkedArray, columns: Sequence[int]) -> NDArray[np.int64]:
    """A number for each stratum, counting only these variables as missing or there. A text is '+-+:strata'."""
    listed = texts.combine_chunks().dictionary_encode()
    names = [
        "".join(text.partition(":")[0][i] for i in columns) + text.partition(":")[2]
        for text in listed.dictionary.to_pylist()
    ]
    numbers = {name: i for i, name in enumerate(sorted(set(names)))}
    codes: NDArray[np.int64] = np.array([numbers[name] for name in names], np.int64)[
        listed.indices.to_numpy(zero_copy_only=False)
    ]
    return codes


def _texts(values: Floats, places: int) -> pa.Array:
    made = as_texts(np.nan_to_num(values), places)
    return pa.array(made, pa.string(), mask=np.isnan(values))
