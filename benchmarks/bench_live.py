"""How soon does the workbench answer? Seconds of the functions behind the pages Risk and Protect, against a limit.

    python -m benchmarks.bench_live [rows ...]        a table: a key ticked, a recoding switched, for each size

People with eight keys, most of them alone in their class. A key is ticked: the classes by the keys that are left, their
sizes and uniques, which the page shows before anything else. A recoding is switched: the steps after it are done again.
The limit is a second for 100,000 rows and five for 5 million; beside it what the same answer takes from the file.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from incrowd.audit.log import Snapshot
from incrowd.pipeline.check import load_plan
from incrowd.pipeline.live import Live, open_live
from incrowd.plan import Plan
from incrowd.tasks.verify import verify

LIMITS = {100_000: 1.0, 5_000_000: 5.0}
VALUES = {"age": 100, "sex": 2, "status": 5, "children": 8, "job": 12, "education": 9, "district": 300, "tenure": 6}
COLUMNS = ("records", "open_s", "tick_s", "tables_s", "switch_s", "limit_s", "again_s", "ratio")


def write_people(folder: Path, rows: int) -> Path:
    """A file of people and a plan with a recoding for each of some keys; gives the plan."""
    draw = np.random.default_rng(7)
    columns = {
        name: pa.array(
            np.char.add(f"{name} ", np.minimum((draw.random(rows) ** 1.7 * many).astype(int), many - 1).astype(str))
        )
        if name != "age"
        else pa.array((draw.random(rows) * many).astype(int))
        for name, many in VALUES.items()
    }
    pq.write_table(pa.table(columns), folder / "people.parquet")
    districts = {f"district {i}": f"region {i // 30}" for i in range(VALUES["district"])}
    plan: dict[str, Any] = {
        "title": "People",
        "data": {"source": "people.parquet", "kind": "survey"},
        "tier": "open",
        "variables": {name: {"role": "key", "reason": "It is measured here."} for name in VALUES},
        "steps": [
            {"step": "recode", "variable": "age", "bands": [0, 16, 30, 45, 60]},
            {"step": "recode", "variable": "district", "mapping": districts},
            {"step": "recode", "variable": "children", "mapping": {f"children {i}": "some" for i in range(1, 8)}},
            {"step": "suppress_records"},
        ],
        "requirements": [{"model": "k", "k": 3}],
    }
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
    return path


def switched(plan: Plan, number: int) -> Plan:
    """The plan with one step switched."""
    steps = [
        step.model_copy(update={"off": not step.off}) if i == number else step for i, step in enumerate(plan.steps)
    ]
    return plan.model_copy(update={"steps": steps})


def tick(live: Live, keys: list[str]) -> Snapshot:
    """What the page shows at once."""
    return Snapshot.of(live.by(keys))


def measured(folder: Path, rows: int) -> dict[str, Any]:
    """The slowest of several answers of each kind, once all that is compiled is."""
    path = write_people(folder, rows)
    plan = load_plan(path)
    begun = perf_counter()
    with open_live(plan, folder, folder / "private") as live:
        opened = perf_counter() - begun
        live.after(plan)
        tick(live, list(VALUES)[:3])
        ticks, tables = [], []
        for left_out in VALUES:
            keys = [name for name in VALUES if name != left_out]
            begun = perf_counter()
            tick(live, keys)
            ticks.append(perf_counter() - begun)
        begun = perf_counter()
        live.measure(list(VALUES)[:6], ["tables"])
        tables.append(perf_counter() - begun)
        switches = []
        for number in (2, 0, 1, 0):
            plan = switched(plan, number)
            begun = perf_counter()
            live.verdicts(live.after(plan))
            switches.append(perf_counter() - begun)
    begun = perf_counter()
    verify(folder / "people.parquet", list(VALUES)[1:])
    again = perf_counter() - begun
    return {
        "records": rows, "open_s": opened, "tick_s": max(ticks), "tables_s": max(tables), "switch_s": max(switches),
        "limit_s": LIMITS.get(rows), "again_s": again, "ratio": max(ticks) / again,
    }  # fmt: skip


def main() -> int:
    """The table. Exit code 1 when a limit is missed."""
    sizes = [int(one) for one in sys.argv[1:]] or list(LIMITS)
    worst = 0
    print("\t".join(COLUMNS))
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "private").mkdir()
            line = measured(Path(folder), rows)
        print("\t".join(f"{line[name]:.3g}" if isinstance(line[name], float) else str(line[name]) for name in COLUMNS))
        limit = line["limit_s"]
        worst |= limit is not None and max(line["tick_s"], line["switch_s"]) > limit
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
