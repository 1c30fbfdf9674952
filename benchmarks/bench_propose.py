"""What does a search for a plan cost? CPU of propose against that of one run of the plan it recommends, as a ratio.

    python -m benchmarks.bench_propose [rows ...]        a table: as records grow, and as keys grow

The demo's people, for the open tier: keys and sensitive variables with their roles, one use case, no steps. The run
attacks the file as the search did, so that the ratio says how many runs by hand the search may take to be worth it.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import yaml

from incrowd.demo import write_demo
from incrowd.tasks.propose import propose
from incrowd.tasks.run import run

SIZES = (5_000, 20_000, 100_000)
KEYS = ("area", "age", "gender", "marital_status", "qualifications", "num_children", "occupation")
USUAL, NUMBERS = 5, (3, 5, 7)  # keys while records grow, and as they grow
SENSITIVE = ("income", "on_benefits")
GONE = ("name", "postcode", "dob", "home_ownership", "credit_score")
TIER = "open"
#: Runs of the plan that a search may cost.
LIMIT = 40
COLUMNS = ("records", "keys", "propose_s", "run_s", "ratio", "attacked", "proposals", "information")


def write_goal(folder: Path, rows: int, keys: int) -> Path:
    """The demo's people, and a plan that has no steps but to leave out what is not asked about here."""
    file = folder / f"people-{rows}.csv"
    if not file.exists():
        write_demo(file, rows=rows, seed=1)
    roles = dict.fromkeys(GONE, "identifier") | dict.fromkeys(KEYS[:keys], "key")
    roles |= dict.fromkeys(KEYS[keys:], "other") | dict.fromkeys(SENSITIVE, "sensitive")
    plan: dict[str, Any] = {
        "title": "People",
        "data": {"source": file.name, "kind": "survey"},
        "variables": {name: {"role": role, "reason": "It is measured here."} for name, role in roles.items()},
        "steps": [{"step": "drop", "variables": [*GONE, *KEYS[keys:]], "reason": "Not asked about here."}],
        "use_cases": [
            {"name": "Pay of men and women", "test": "t_test", "of": "income",
             "between": {"gender": ["Male", "Female"]}, "alpha": 0.05},
        ],
        "attest": {
            name: {"role": "Lead", "date": "2026-01-12", "text": "There is no other release of these people."}
            for name in ("no_other_release", "no_tables")
        },
    }  # fmt: skip
    path = folder / f"plan-{rows}-{keys}.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
    return path


def measured(folder: Path, rows: int, keys: int) -> dict[str, Any]:
    """One search, and one run of what it recommends."""
    path, out = write_goal(folder, rows, keys), folder / f"proposals-{rows}-{keys}"
    begun = process_time()
    found = propose(path, TIER, out=out)
    searched = process_time() - begun
    best = found.recommended
    if best is None or best.file is None:
        return {"records": rows, "keys": keys, "propose_s": searched, "proposals": 0}
    begun = process_time()
    run(best.file)
    once = process_time() - begun
    told = re.search(r"([\d,]+) (?:of them|plans were) carried out", found.search[0])
    return {
        "records": rows, "keys": keys, "propose_s": searched, "run_s": once, "ratio": searched / once,
        "attacked": told[1] if told else None, "proposals": len(found), "information": best.information,
    }  # fmt: skip


def main() -> int:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    os.environ["INCROWD_SECRET"] = "5a" * 4 + "0123456789abcdef" * 3 + "f00dfeed"
    cases = [*((size, USUAL) for size in sizes), *((sizes[min(1, len(sizes) - 1)], n) for n in NUMBERS if n != USUAL)]
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        measured(Path(name), 1_000, 3)  # warm up: imports and compiled loops
        print(" ".join(f"{column:>11}" for column in COLUMNS), flush=True)
        for rows, keys in cases:
            found = measured(Path(name), rows, keys)
            worst = max(worst, found.get("ratio", 0.0))
            print(" ".join(f"{_text(found.get(column)):>11}" for column in COLUMNS), flush=True)
    print(f"worst ratio {worst:.1f}, limit {LIMIT}", flush=True)
    return 1 if worst > LIMIT else 0


def _text(value: object) -> str:
    return "-" if value is None else f"{value:,.2f}" if isinstance(value, float) else f"{value}"


if __name__ == "__main__":
    sys.exit(main())
