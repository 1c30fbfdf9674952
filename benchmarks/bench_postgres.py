"""A table of PostgreSQL, verified and profiled, against a CSV file of the same. Skipped where there is no server."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import incrowd as ic
from benchmarks.bench_verify import best
from benchmarks.files import KEYS, write_people

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
SIZE = 300_000
LIMIT = 2.0


def main() -> int:
    """Exit code 1 when it takes more than twice as long as the file."""
    import pytest
    from servers import Cluster

    try:
        cluster = Cluster()
    except pytest.skip.Exception as reason:
        print(reason)
        return 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _measure(cluster, next(f for f in write_people(Path(folder), SIZE) if f.suffix == ".csv"))
    finally:
        cluster.stop()


def _measure(cluster: object, file: Path) -> int:
    import psycopg

    names = file.open(encoding="utf-8").readline().strip().split(",")
    with psycopg.connect(**cluster.owner(), autocommit=True) as connection:  # type: ignore[attr-defined]
        connection.execute(f"CREATE TABLE people ({', '.join(f'{name} text' for name in names)})".encode())
        with connection.cursor().copy("COPY people FROM STDIN (FORMAT csv, HEADER)") as copy:
            copy.write(file.read_bytes())
    os.environ.update(PGUSER="owner", PGPASSWORD="throw-away")
    place = f"postgresql://127.0.0.1:{cluster.port}/postgres?table=public.people"  # type: ignore[attr-defined]
    worst = 0.0
    for what, work in (("verify", lambda at: ic.verify(at, KEYS)), ("profile", lambda at: ic.profile(at, header=True))):
        csv, table = (best(lambda at=at, work=work: work(at), 3) for at in (file, place))  # type: ignore[misc]
        ratio = round(table / csv, 2)
        worst = max(worst, ratio)
        print(json.dumps({"what": what, "csv_s": round(csv, 2), "table_s": round(table, 2), "ratio": ratio}))
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
