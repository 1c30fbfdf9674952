"""Linkage attacks on 100,000 released records, by a register of a million people, against one bare DuckDB join.

The join counts the pairs that agree in the keys and does nothing else; the attack reads both sides from memory, too,
draws, judges and tells which keys carry the success. Limit: 10 times the join.
"""

from __future__ import annotations

import json
import sys

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.bench_verify import best
from incrowd.attack.linkage import exact_linkage, nearest_linkage
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.protect import Context
from incrowd.risk.value import Scenario
from incrowd.secret import Secret

REGISTER, RELEASED = 1_000_000, 100_000
LIMIT = 10.0
#: Values of each key: seven, and fine ones, so that few pairs agree and the join is cheap.
VALUES = {"area": 300, "age": 90, "gender": 2, "status": 4, "children": 4, "schooling": 6, "work": 9}


def people(number: int) -> pa.Table:
    """Texts, some values more frequent than others, the same in every run."""
    generator = np.random.default_rng(1)
    columns = {}
    for name, values in VALUES.items():
        weights = 1 / np.arange(1, values + 1)
        codes = generator.choice(values, number, p=weights / weights.sum())
        columns[name] = pa.array([f"{name} number {i}" for i in range(values)]).take(pa.array(codes))
    return pa.table(columns)


def case(knows_who_is_in: bool) -> tuple[Situation, Auxiliary]:
    register = people(REGISTER)
    known = register.slice(0, RELEASED + RELEASED // 4)  # a fifth of the original is not released
    lines = np.arange(REGISTER)
    lines[known.num_rows :] = -1
    context = _context()
    released = known.slice(0, RELEASED)
    situation = Situation(
        released, np.arange(RELEASED), known, np.arange(known.num_rows), tuple(VALUES), (),
        Scenario("bench", tuple(VALUES), knows_who_is_in=knows_who_is_in), lambda columns: known.select(columns),
        lambda *purpose: context.draws("attack", *purpose),
    )  # fmt: skip
    return situation, Auxiliary(register, lines)


def _context() -> Context:
    from pathlib import Path

    return Context(Path(), Secret(bytes(range(32))), ("bench",), ())


def main() -> int:
    bare, worst = duckdb.connect(), 0.0
    situation, auxiliary = case(True)
    bare.register("released", situation.released)
    bare.register("register", auxiliary.register)
    bare.execute("CREATE TABLE a AS SELECT * FROM released")
    bare.execute("CREATE TABLE b AS SELECT * FROM register")
    join = best(lambda: bare.sql(f"SELECT count(*) FROM a JOIN b USING ({', '.join(VALUES)})").fetchall(), 5)
    for what, attack, knows in (
        ("exact match, who is in is known", exact_linkage, True),
        ("exact match, unique in the register", exact_linkage, False),
        ("nearest match, who is in is known", nearest_linkage, True),
    ):
        situation, auxiliary = case(knows)
        attack(situation, auxiliary)  # numba compiles
        ours = best(lambda attack=attack, s=situation, b=auxiliary: attack(s, b), 3)  # type: ignore[misc]
        worst = max(worst, ours / join)
        row = {"what": what, "join_s": round(join, 3), "ours_s": round(ours, 3), "ratio": round(ours / join, 2)}
        print(json.dumps({**row, "limit": LIMIT}), flush=True)
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
