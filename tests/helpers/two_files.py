"""One source with known numbers and categories, files made from it by steps, and what somebody can fit to them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from people import SECRET
from pydantic import TypeAdapter
from steps import rows_of

from incrowd.plan.steps import AnyStep
from incrowd.protect import Context, State, protect
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

STEP = TypeAdapter(AnyStep)
N = 500
#: Correlations of independent draws are below this, but for 1 in 100,000.
CHANCE = 4.5 / N**0.5


@cache
def source(change=""):
    """People with distinct numbers, and categories that know nothing of them."""
    rng = np.random.default_rng(7)
    x = rng.permutation(np.round(rng.normal(3000, 400, N), 2))
    found = {
        "id": [f"p{i}" for i in range(N)],
        "id2": [f"q{i}" for i in range(N)],
        "income": [f"{value:.2f}" for value in x],
        "rent": [f"{value:.2f}" for value in 0.3 * x + rng.normal(0, 100, N)],
        "age": [str(value) for value in rng.integers(0, 100, N)],
        "sex": rng.choice(["f", "m", "x"], N).tolist(),
        "rare": ["b"] + ["a"] * (N - 1),
        "area": rng.choice(["n", "e", "s", "w"], N).tolist(),
        "job": rng.choice([f"j{i}" for i in range(9)], N, p=[0.3, 0.3, 0.3, *[0.1 / 6] * 6]).tolist(),
    }
    if change == "one gone":
        found = {name: values[1:] for name, values in found.items()}
    if change == "one mended":
        found["income"][0] = "9000.00"
    return found


def release(*made, change="", title="t", secret=SECRET, keys=("sex", "area", "job"), requirements=()):
    """The file after these steps, record by record as in the source; None for people who are not in it."""
    columns = source(change)
    rows = rows_of(columns)
    context = Context(Path("."), Secret(bytes.fromhex(secret)), (title, "open", "people"), requirements)
    state = State(rows, tabulate(rows, list(keys)))
    for number, step in enumerate(made, start=1):
        state, _ = protect(STEP.validate_python(step), number, state, context)
    found = {row["id"]: row for row in state.rows.collect(state.rows.table).to_pylist()}
    return [found.get(name) for name in source()["id"]]


def numbers(records, name):
    return np.array([np.nan if record is None else float(record[name]) for record in records])


def truth(name):
    return np.array([float(value) for value in source()[name]])


def texts(records, name):
    return np.array([None if record is None else record[name] for record in records], dtype=object)


def left(x, *seen):
    """What stays unknown of x for somebody who fits it to what is seen, with the truth at hand."""
    design = np.column_stack([np.ones(len(x)), *seen])
    best = np.linalg.lstsq(design, x, rcond=None)[0]
    return float(((x - design @ best) ** 2).sum())


def helps(x, known, *more):
    """How much better is x known with more files? The F statistic: about 1 for each where they tell nothing new."""
    both = left(x, known, *more)
    return (left(x, known) - both) / (both / (len(x) - 2 - len(more)) + 1e-9)


def found_exactly(x, *seen):
    """The share of the people whose number the best fit gives back."""
    design = np.column_stack([np.ones(len(x)), *seen])
    return float(np.mean(np.abs(design @ np.linalg.lstsq(design, x, rcond=None)[0] - x) < 0.01 * x.std()))


def correlation(one, other):
    return abs(float(np.corrcoef(one, other)[0, 1])) if one.std() and other.std() else 0.0


def guessed(x, *seen):
    """How often is the best guess of a category right, by a table of what is seen, made with the truth at hand?"""
    cells = {}
    for value, *told in zip(x, *seen, strict=True):
        cells.setdefault(tuple(told), []).append(value)
    return sum(max(values.count(v) for v in set(values)) for values in cells.values()) / len(x)


def independent_guess(x, one, other):
    """The same for two files that err by themselves, each as often as these do."""
    kinds = sorted(set(x))
    chances = [{(v, r): np.mean(seen[x == v] == r) for v in kinds for r in kinds} for seen in (one, other)]
    shares = {v: np.mean(x == v) for v in kinds}
    return sum(
        max(shares[v] * chances[0][v, a] * chances[1][v, b] for v in kinds) for a in kinds for b in kinds
    )  # fmt: skip


def assert_independent(x, one, other):
    """Two errors that know nothing of each other; the best of both is what their sizes allow."""
    assert correlation(one - x, other - x) < CHANCE
    allowed = len(x) / (1 / x.var() + 1 / (one - x).var() + 1 / (other - x).var())
    assert left(x, one, other) > 0.75 * allowed
