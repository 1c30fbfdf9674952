"""verify against one bare DuckDB `group by` of the same columns of the same file, and against pycanon."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

import duckdb

from benchmarks.files import KEYS, SENSITIVE, write_people
from incrowd.keys.requirements import DistinctL, K
from incrowd.rows import open_source
from incrowd.rows.engine import connect
from incrowd.tasks.verify import verify_rows

SIZES = (30_000, 300_000, 3_000_000)
LIMIT = 1.3
PEER_LIMIT = 200
PYCANON = "1.3.6"

_PEER = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
data = pd.read_csv(sys.argv[1], dtype=str)
keys, sensitive = sys.argv[2].split(","), sys.argv[3]
begun = time.perf_counter(); k = anonymity.k_anonymity(data, keys); first = time.perf_counter() - begun
begun = time.perf_counter(); l = anonymity.l_diversity(data, keys, [sensitive]); second = time.perf_counter() - begun
print(json.dumps({"k": int(k), "l": int(l), "seconds_k": first, "seconds_l": second}))
"""


def best(work: Callable[[], object], repeats: int) -> float:
    """The quickest of a few runs: what the work costs when nothing else disturbs it."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def against_duckdb(folder: Path) -> list[dict[str, object]]:
    rows, bare, ours = [], duckdb.connect(), connect()
    requirements = [K(2), DistinctL(SENSITIVE, 2)]
    columns = ", ".join([*KEYS, SENSITIVE])
    for size in SIZES:
        for file in write_people(folder, size):
            query = f"SELECT {columns}, count(*) AS n FROM '{file}' GROUP BY ALL"
            repeats = 5 if size > 1_000_000 else 11
            group_by = best(lambda q=query: bare.sql(q).to_arrow_table(), repeats)  # type: ignore[misc]
            verify = best(lambda f=file: verify_rows(open_source(f, engine=ours), KEYS, requirements), repeats)  # type: ignore[misc]
            rows.append({
                "file": file.name, "group_by_s": round(group_by, 4), "verify_s": round(verify, 4),
                "ratio": round(verify / group_by, 2), "limit": LIMIT,
            })  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    return rows


def against_pycanon(folder: Path, environment: Path) -> dict[str, object]:
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"pycanon=={PYCANON}"], check=True)
    # pycanon has the frame in memory already; ours reads it, from Parquet, within the time.
    file, parquet = write_people(folder, 300_000)
    ran = subprocess.run(
        [python, "-c", _PEER, file, ",".join(KEYS), SENSITIVE], capture_output=True, text=True, check=True
    )
    peer = json.loads(ran.stdout.splitlines()[-1])
    engine, requirements = connect(), [K(2), DistinctL(SENSITIVE, 2)]
    found = verify_rows(open_source(file), KEYS, requirements)
    ours = best(lambda: verify_rows(open_source(parquet, engine=engine), KEYS, requirements), 15)
    assert (found.k, found.findings[1].achieved) == (peer["k"], peer["l"]), "the two must agree before they race"
    theirs = peer["seconds_k"] + peer["seconds_l"]
    return {
        "peer": f"pycanon {PYCANON}", "classes": found.classes, "pycanon_s": round(theirs, 2),
        "verify_s": round(ours, 4), "times_faster": round(theirs / ours), "limit": PEER_LIMIT,
    }  # fmt: skip


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = against_duckdb(folder)
        peer = against_pycanon(folder, Path(__file__).parent / ".venv-pycanon")
        print(json.dumps(peer))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    missed = [row for row in rows if float(str(row["ratio"])) > LIMIT]
    return 1 if missed or int(str(peer["times_faster"])) < PEER_LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
