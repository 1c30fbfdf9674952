"""Targeted swapping on a million records, beside one DuckDB pass over the file: at most 20 times as long.

    python -m benchmarks.bench_swap [rows]

The pass reads every column of the CSV file as text and counts the distinct values of each. The swap is the step as a
run does it (count the targets, decide, recount the classes), and beside it with writing the file once more.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

import duckdb

from benchmarks.bench_verify import best
from benchmarks.files import write_people
from incrowd.plan.steps.swap import Swap
from incrowd.protect import Context, State, protect
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

LIMIT = 20
STEP = {"step": "swap", "geography": ["area"], "similar": ["sex", "status"], "rate": 0.01,
        "targets": {"keys": ["area", "age", "sex"], "fewer_than": 3}}  # fmt: skip


def main() -> int:
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        csv, _ = write_people(folder, rows)
        names = open_source(csv).columns
        counts = ", ".join(f"count(DISTINCT {column})" for column in names)
        one_pass = best(
            lambda: duckdb.connect().execute(f"SELECT {counts} FROM read_csv('{csv}', all_varchar=true)").fetchall(),
            3,
        )
        source = open_source(csv)
        state = State(source, tabulate(source, ["area", "age", "sex", "status"]))
        context = Context(folder, Secret(bytes(range(32))), ("bench",), ())
        step = Swap.model_validate(STEP)
        _, change = protect(step, 1, state, context)  # compiles the kernels
        swapping = best(lambda: protect(step, 1, state, context), 2)
        out = folder / "out.csv"

        def whole() -> None:
            protect(step, 1, state, context)[0].rows.write(out, "csv")

        with_writing = best(whole, 2)
    print(f"{rows:,} records: {change.notes[0]}")
    print(f"one pass {one_pass:.2f} s; swap {swapping:.2f} s = {swapping / one_pass:.1f} passes; "
          f"with writing {with_writing:.2f} s = {with_writing / one_pass:.1f} passes (limit {LIMIT})")  # fmt: skip
    print(f"most memory of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    return 1 if swapping > LIMIT * one_pass else 0


if __name__ == "__main__":
    sys.exit(main())
