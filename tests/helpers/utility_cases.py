"""Small files of people for the tests of utility, in memory: an original, a good and a bad release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from incrowd.keys.tally import Tally, tally_records
from incrowd.plan import Plan
from incrowd.utility.evaluate import Question
from incrowd.utility.needs import Fetched
from incrowd.utility.outcome import Outcome

Columns = dict[str, list[str | None]]


def people(rows: int = 4000, seed: int = 3) -> Columns:
    """People whose pay depends on sex within jobs, whose illness depends on area, and whose age goes with pay."""
    rng = np.random.default_rng(seed)
    job, sex, area = rng.integers(0, 3, rows), rng.integers(0, 2, rows), rng.integers(0, 6, rows)
    age = rng.integers(16, 80, rows)
    pay = np.round(20000 + 5000 * job + 900 * sex * (job > 0) + 80 * age + rng.normal(0, 3000, rows))
    ill = rng.random(rows) < 0.1 + 0.12 * area
    return {
        "job": [f"job{j}" for j in job.tolist()],
        "sex": ["fm"[s] for s in sex.tolist()],
        "area": [f"area{a}" for a in area.tolist()],
        "age": [str(a) for a in age.tolist()],
        "pay": [f"{p:.0f}" for p in pay.tolist()],
        "ill": ["yes" if i else "no" for i in ill.tolist()],
    }


def kept(columns: Columns, rows: Any) -> Columns:
    """Some of the records."""
    return {name: [values[i] for i in rows] for name, values in columns.items()}


def shuffled(columns: Columns, name: str, seed: int = 1) -> Columns:
    """One column in another order: every column by itself is as before, and nothing goes together with it."""
    order = np.random.default_rng(seed).permutation(len(columns[name]))
    return {**columns, name: [columns[name][i] for i in order]}


def good(columns: Columns) -> Columns:
    """A tenth of the records dropped at random."""
    rng = np.random.default_rng(5)
    return kept(columns, np.flatnonzero(rng.random(len(columns["pay"])) < 0.9).tolist())


def fetched(columns: Columns, question: Question) -> Fetched:
    """What a question needs, counted in memory."""
    found: dict[Any, Tally] = {}
    for need in (*question.needs(), *question.needs_at_start()):
        numbers = sorted({name for pair in need.pairs for name in pair})
        ordered = [name for pair in need.pairs for name in pair] or numbers
        found[need] = tally_records(columns, list(dict.fromkeys(ordered)))
    return Fetched(found)


def question_of(case: dict[str, Any], columns: Columns, folder: Path = Path()) -> Question:
    """A plan with one use case."""
    roles = {
        name: {"role": "key" if name in ("job", "sex", "area") else "sensitive", "reason": "-"} for name in columns
    }
    plan = Plan.model_validate({
        "title": "t", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open", "variables": roles,
        "requirements": [{"model": "k", "k": 2}], "use_cases": [{"name": "it", **case}],
    })  # fmt: skip
    return Question(plan, ("job", "sex", "area"), tuple(columns), folder, b"a key of enough bytes for a hash")


def outcome(
    case: dict[str, Any], original: Columns, released: Columns, folder: Path = Path(), at_start: Columns | None = None
) -> Outcome:
    """The verdict on one use case; `came` is the file before recoding, where it is another one."""
    question = question_of(case, original, folder)
    before, after = fetched(original, question), fetched(released, question)
    return question.evaluate(before, after, before if at_start is None else fetched(at_start, question))[0]
