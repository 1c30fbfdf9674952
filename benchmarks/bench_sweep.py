"""A sweep over ten k against one run of the same plan, as a ratio (limit: 1.5), on the demo's people and plan.

The run measures the use cases too. The sweep is asked for by itself: the plan's own is left out of the run.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.bench_verify import best
from incrowd.demo import write_demo, write_example
from incrowd.pipeline import run
from incrowd.pipeline.check import load_plan
from incrowd.tasks.sweep import sweep
from incrowd.utility.settings import k_setting

ROWS = 100_000
LIMIT = 1.5


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    os.environ["INCROWD_SECRET"] = "5a" * 4 + "0123456789abcdef" * 3 + "f00dfeed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_demo(folder / "people.csv", rows=rows, seed=1)
        path = write_example(folder)
        content = yaml.load(path.read_text(), Loader=yaml.BaseLoader)
        for field in ("sweep", "alternatives"):
            del content[field]
        # Use cases that are computable from sums of classes.
        content["use_cases"] = [case for case in content["use_cases"] if case["test"] != "entropy_ratio"]
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        settings = [k_setting(load_plan(path), "2:11")]
        sweep(path, settings)  # warm up: imports and compiled loops
        run(path)
        one = best(lambda: run(path), 2)
        ten = best(lambda: sweep(path, settings), 2)
        shutil.rmtree(folder / "runs")
    found = {"what": "ten k against one run", "rows": rows, "run_s": round(one, 2), "sweep_s": round(ten, 2)}
    print(json.dumps({**found, "ratio": round(ten / one, 2), "limit": LIMIT}), flush=True)
    return 1 if ten / one > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
