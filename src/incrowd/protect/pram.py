"""pram: change the values of a category by chance (post-randomisation)."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.keys.transition import Floats, bounds, given_matrix, invariant_matrix, uniform_matrix
from incrowd.plan.steps.perturb import Pram
from incrowd.protect.methods import carries_out
from incrowd.protect.perturbing import recount_changed, told
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows.people import draw_by, draw_homes, refuse_differing
from incrowd.rows.records import draw, exchange, keep_old
from incrowd.rows.tabulate import tabulate
from incrowd.secret import draw_numbers

#: More different values than this are no category, and their matrix no use.
MOST_VALUES = 500

Counts = dict[str | None, int]


@carries_out(Pram)
def pram(step: Pram, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Draw a new value for each record by the row of the matrix that belongs to its value. Missing stays missing.

    Within strata each has its own values and, where the matrix is invariant, its own matrix. Where people have several
    records, each value of a person is drawn once, for all the records that have it: else its copies would tell by
    their majority. So is the value that all of a household have, where the release shows who lives together. The matrix
    is made from records, so that their expected counts are kept.
    """
    name = step.variable
    rows = state.rows.as_text([name])
    if context.has_unit:
        refuse_differing(rows, UNIT, step.strata)
    table = tabulate(rows, [*step.strata, name])
    found: dict[tuple[str | None, ...], Counts] = defaultdict(dict)
    labels = [
        [domain.values[c] for c in codes] for domain, codes in zip(table.domains, table.codes.tolist(), strict=True)
    ]
    for *cell, count in zip(*labels, table.records.tolist(), strict=True):
        found[tuple(cell[:-1])][cell[-1]] = count
    _check(step, list(found.values()))
    lines: list[tuple[object, ...]] = []
    expected = 0.0
    matrix, values = np.ones((0, 0)), list[str]()
    for stratum, counts in found.items():
        values = sorted(step.matrix) if step.matrix else [value for value in counts if value]
        matrix = _matrix(step, values, counts)
        expected += sum(counts.get(value, 0) * (1 - matrix[i, i]) for i, value in enumerate(values))
        for value, ends in zip(values, bounds(matrix).tolist(), strict=True):
            for new, low, high in zip(values, ends, ends[1:], strict=False):
                if low < high and value in counts:
                    lines.append((*stratum, value, low, high, new))
        lines += [(*stratum, gone, 0, 1 << 53, gone) for gone in (None, "") if gone in counts]
    # Where the data have made another matrix, the same numbers cut in other places would tell on which side they lie.
    cuts = hashlib.sha3_256(json.dumps(sorted(lines, key=str)).encode()).hexdigest()
    numbers = draw_numbers(context.subkey("cuts", cuts))
    kept = keep_old(rows, [name])
    drawn = draw_by(kept, [UNIT, name], numbers) if context.has_unit else draw(kept, numbers)
    if (home := context.home(rows)) is not None:
        there = [drawn.text(name).nullif(""), *([drawn.encoded(step.strata)] if step.strata else [])]
        drawn = draw_homes(drawn, home, there, draw_numbers(context.subkey("home", cuts)))
    moved = exchange(drawn, name, step.strata, _table(lines, len(step.strata) + 1))
    after, changed = recount_changed(moved, [name], state, context)
    kind = "invariant" if step.invariant else "plain"
    origin = "a matrix" if step.rate is None else f"rate {step.rate}"
    notes = (
        f"{kind}, from {origin}, {len(found)} strata; {expected:,.1f} changes were to be expected",
        told(changed),
    )
    found_matrix = {} if step.strata else {"values": values, "matrix": matrix.round(6).tolist()}
    return after, Change(f"pram {name}", cells_changed=sum(changed.values()), notes=notes, found=found_matrix)


def _matrix(step: Pram, values: Sequence[str], counts: Counts) -> Floats:
    matrix = (
        uniform_matrix(len(values), step.rate) if step.rate is not None else given_matrix(values, step.matrix or {})
    )
    if not step.invariant:
        return matrix
    return invariant_matrix(matrix, np.array([counts.get(value, 0) for value in values], np.int64))


def _check(step: Pram, strata: Sequence[Counts]) -> None:
    values = len({value for counts in strata for value in counts})
    if values > MOST_VALUES:
        message = f"{step.variable!r} has {values:,} different values, and pram is for at most {MOST_VALUES}."
        raise InputError("D135", message, "Recode it first, or use noise or microaggregate for numbers.")
    known = step.matrix
    if known is not None and (
        unknown := sum(n for counts in strata for value, n in counts.items() if value and value not in known)
    ):
        message = f"{unknown:,} records have a value of {step.variable!r} that the matrix does not name."
        raise InputError("D134", message, "Give every value a row of the matrix.")


def _table(lines: Sequence[tuple[object, ...]], texts: int) -> pa.Table:
    columns = list(zip(*lines, strict=True)) or [()] * (texts + 3)
    kinds = [*[pa.string()] * texts, pa.int64(), pa.int64(), pa.string()]
    names = [f"c{i}" for i in range(len(kinds))]
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, kinds, strict=True)})
