"""noise: add normal noise to numbers, plain or correlated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.keys.noise import LEAST, MOST, Floats, as_texts, correlated, factor
from incrowd.plan.steps.perturb import Noise
from incrowd.protect.methods import carries_out
from incrowd.protect.perturbing import decimals, recount_changed, told
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.rows import Rows
from incrowd.rows.engine import OnBatch
from incrowd.rows.numbers import check_numbers, covariance
from incrowd.rows.numbers import number as number_of
from incrowd.rows.people import count_varying, draw_by, draw_by_amount, draw_homes
from incrowd.rows.records import DRAW, OLD, add_to, draw, keep_old

#: A copy of a record's own number, while a household's stands in its place.
OWN = f"{DRAW}_own"


@carries_out(Noise)
def noise(step: Noise, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Add e = L w to each record, where w are points on the record's paths of noise. Missing stays missing.

    Plain: each variable has a path of its own, and w has the variance (share * sd of the variable)^2, or sd^2 as given;
    L is 1. Correlated: w has the variance share^2, and L L' = S, the covariance of the records that have all variables;
    then the covariance grows by 1 + share^2 all over, and correlations stay.

    So the size of the noise goes into no key: it says how far along its path a record is (`keys.noise.path`), and a
    file with more noise is the one with less and more added. Another S makes other paths: the same ones, mixed
    otherwise, could be solved for.

    Where people have several records, the paths are a person's: all their records get the same noise, so that no
    average of them is nearer to the truth; and in the variances each person counts once. With `apart`, each value of a
    person has a second path of its own, so that no difference is exact either. Where the release shows who lives
    together, a number that all of a household have gets the household's noise, for the same reason.
    """
    names, rows = step.variables, state.rows
    written = check_numbers(rows, names)
    places = decimals(written, step.decimals, 0)
    unit = UNIT if context.has_unit else None
    spreads = _spreads(step, rows, unit)
    several = () if unit is None else (_several(step, rows),)
    kept = keep_old(rows, names)
    rows = draw(kept, context.order("record")) if unit is None else draw_by(kept, [unit], context.order("person"))
    if step.correlated:
        shape = [*names, *(float(value).hex() for value in spreads[0].ravel())]
        subkeys = [context.subkey("path", name, *shape) for name in names]
        lines = [(weights, subkeys, float(step.share or 0) ** 2) for weights in factor(spreads[0]).tolist()]
    else:
        sizes = [_size(step, spread) for spread in spreads]
        lines = [([1.0], [context.subkey("path", name)], size**2) for name, size in zip(names, sizes, strict=True)]
    if (home := context.home(rows)) is not None:
        rows = replace(rows, table=rows.table.mutate(**{OWN: rows.table[DRAW]}))
    for name, line in zip(names, lines, strict=True):
        if home is not None:
            # Correlated noise is of all variables together, and so is a household's.
            alike = [number_of(rows, f"{OLD}{one}") for one in (names if step.correlated else [name])]
            rows = draw_homes(rows, home, alike, context.order("home"), OWN)
        rows = add_to(rows, name, _adder(*line, places[name], name))
    if step.apart and unit is not None:
        for name, (_, _, variance) in zip(names, lines, strict=True):
            rows = draw_by_amount(rows.drop([DRAW]), unit, f"{OLD}{name}", context.order("value", name))
            if home is not None:
                rows = draw_homes(rows, home, [number_of(rows, f"{OLD}{name}")], context.order("home value", name))
            rows = add_to(rows, name, _adder([1.0], [context.subkey("apart", name)], variance, places[name], name))
    # Settled: each later question would draw everybody's noise again.
    after, changed = recount_changed(rows.settled(), names, state, context)
    size = f"sd {step.sd}" if step.share is None else f"share {step.share} of the standard deviation"
    notes = (f"{'correlated' if step.correlated else 'plain'}, {size}", *several, told(changed))
    return after, Change(f"noise on {', '.join(names)}", cells_changed=sum(changed.values()), notes=notes)


def _several(step: Noise, rows: Rows) -> str:
    """What the noise of a person leaves open."""
    if step.apart:
        return "one draw for each person, and one for each value of a person"
    varying = {name: people for name, people in count_varying(rows, UNIT, step.variables).items() if people}
    told = ", ".join(f"{name} for {people:,} people" for name, people in varying.items())
    exact = f"; differences between a person's records stay exact, so that one known value tells the others ({told})"
    return f"one draw for each person{exact if varying else ''}"


def _spreads(step: Noise, rows: Rows, unit: str | None) -> list[Floats]:
    """The variance of each variable; where they vary together, one covariance of all; zeros where sd says the size."""
    names = step.variables
    if step.share is None:
        return [np.zeros((1, 1)) for _ in names]
    groups: Sequence[Sequence[str]] = [names] if step.correlated else [[name] for name in names]
    found = []
    for group in groups:
        number, spread = covariance(rows, group, unit)
        if flat := [name for name, variance in zip(group, np.diag(spread), strict=True) if not variance > 0]:
            who = "records" if unit is None else "people"
            message = f"{flat[0]!r} does not vary over the {number:,} {who} it is measured on."
            raise InputError("D136", message, "Noise in proportion to it would be none. Use sd, or leave it out.")
        for name, variance in zip(group, np.diag(spread), strict=True):
            if not LEAST <= step.share * np.sqrt(variance) <= MOST:
                message = f"noise of this share of the standard deviation of {name!r} is too large or too small."
                raise InputError("D260", message, f"It can have a standard deviation from {LEAST:g} to {MOST:g}.")
        found.append(spread)
    return found


def _size(step: Noise, spread: Floats) -> float:
    return float(step.sd or 0) if step.share is None else step.share * float(np.sqrt(spread[0, 0]))


def _adder(
    weights: Sequence[float], subkeys: Sequence[bytes], variance: float, places: int, name: str
) -> OnBatch:  # fmt: skip
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
        made = as_texts(values + correlated(numbers, weights, subkeys, variance), places)
        return pa.array([new if text else "" for new, text in zip(made, texts, strict=True)], pa.string())

    return add
