"""noise: add normal noise to numbers, plain or correlated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.keys.noise import Floats, as_texts, correlated, factor
from incrowd.plan import steps
from incrowd.protect.perturbing import decimals, settle, told
from incrowd.protect.state import Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.engine import OnBatch
from incrowd.rows.numbers import check_numbers, covariance
from incrowd.rows.records import add_to, draw, keep_old


def noise(step: steps.Noise, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Add e = L z to each record, with z standard normal, from a keyed hash of the record. Missing stays missing.

    Plain: L is diagonal, with share * sd of each variable, or sd as given. Correlated: L L' = share^2 * S, where S is
    the covariance of the records that have all variables; then the covariance grows by 1 + share^2 all over, and
    correlations stay.
    """
    names, rows = step.variables, state.rows
    written = check_numbers(rows, names)
    places = decimals(written, step.decimals, 0)
    lower = _factor(step, rows)
    rows = draw(keep_old(rows, names), context.order("noise", str(number)))
    subkeys = [context.subkey("noise", str(number), name) for name in names]
    for name, weights in zip(names, lower.tolist(), strict=True):
        rows = add_to(rows, name, _adder(weights, subkeys, places[name]))
    after, changed = settle(rows, names, state, context)
    size = f"sd {step.sd}" if step.share is None else f"share {step.share} of the standard deviation"
    notes = (f"{'correlated' if step.correlated else 'plain'}, {size}", told(changed))
    return after, Change(f"noise on {', '.join(names)}", cells_changed=sum(changed.values()), notes=notes)


def _factor(step: steps.Noise, rows: Rows) -> Floats:
    names = step.variables
    if step.share is None:
        return np.eye(len(names)) * float(step.sd or 0)
    groups: Sequence[Sequence[str]] = [names] if step.correlated else [[name] for name in names]
    found = []
    for group in groups:
        records, spread = covariance(rows, group)
        if flat := [name for name, variance in zip(group, np.diag(spread), strict=True) if not variance > 0]:
            message = f"{flat[0]!r} does not vary over the {records:,} records it is measured on."
            raise InputError("D136", message, "Noise in proportion to it would be none. Use sd, or leave it out.")
        found.append(spread)
    if step.correlated:
        return step.share * factor(found[0])
    return step.share * np.diag([float(np.sqrt(spread[0, 0])) for spread in found])


def _adder(weights: Sequence[float], subkeys: Sequence[bytes], places: int) -> OnBatch:
    """A function from texts 'draw:value' to the value with its noise; nothing where there is no value."""

    def add(batch: pa.Array | pa.ChunkedArray) -> pa.Array:
        if isinstance(batch, pa.ChunkedArray):
            batch = batch.combine_chunks()
        if not len(batch):
            return pa.array([], pa.string())
        parts = pc.split_pattern(batch.cast(pa.string()), ":", max_splits=1)
        numbers = pc.list_element(parts, 0).cast(pa.int64()).to_numpy(zero_copy_only=False)
        texts = pc.list_element(parts, 1).to_pylist()
        values = np.array([float(text) if text else 0.0 for text in texts])
        made = as_texts(values + correlated(numbers, weights, subkeys), places)
        return pa.array([new if text else "" for new, text in zip(made, texts, strict=True)], pa.string())

    return add
