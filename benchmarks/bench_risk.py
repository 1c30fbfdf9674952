"""Risk measures against one bare DuckDB `group by` of the same keys of the same file, as ratios.

All tables of two to four of six keys on 3 million rows (limit: 5), individual risk with weights on the same rows, and
SUDA on adult with six keys when it is there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import duckdb

from benchmarks.bench_verify import best
from benchmarks.files import KEYS, SENSITIVE, write_people
from incrowd.risk.record import individual_risk
from incrowd.risk.suda import suda
from incrowd.risk.tables import uniques_tables
from incrowd.rows import open_source
from incrowd.rows.engine import connect
from incrowd.rows.figures import weigh
from incrowd.rows.tabulate import tabulate

ROWS = 3_000_000
LIMIT = 5.0
SIX = [*KEYS, SENSITIVE]
ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult" / "adult.csv"
ADULT_KEYS = ["sex", "age", "race", "marital-status", "education", "native-country"]


def ratio(what: str, ours: float, group_by: float, **more: object) -> dict[str, object]:
    row = {"what": what, "group_by_s": round(group_by, 3), "ours_s": round(ours, 3), "ratio": round(ours / group_by, 2)}
    print(json.dumps({**row, **more}), flush=True)
    return row


def large(folder: Path, rows: int) -> list[dict[str, object]]:
    bare, engine = duckdb.connect(), connect()
    _, file = write_people(folder, rows)
    source = open_source(file, engine=engine)
    names = ", ".join(SIX)
    group_by = best(lambda: bare.sql(f"SELECT {names}, count(*) AS n FROM '{file}' GROUP BY ALL").to_arrow_table(), 3)
    table = tabulate(source, SIX)
    uniques_tables(tabulate(source.select(SIX), SIX[:2]), "warm up")
    tables = best(lambda: uniques_tables(table, "bench"), 2)
    count = best(lambda: tabulate(source, SIX), 2)
    found = [
        ratio("count the KeyTable of six keys", count, group_by, classes=table.classes),
        ratio("all tables of up to four of six keys, from the KeyTable", tables, group_by, limit=LIMIT),
    ]

    def individual() -> object:
        classes, weights = weigh(source, SIX, "income")
        return individual_risk(classes.records.astype(float), weights)

    found.append(ratio("individual risk: count, weigh and measure", best(individual, 2), group_by))
    return found


def adult() -> list[dict[str, object]]:
    bare, file = duckdb.connect(), ADULT
    names = ", ".join(f'"{key}"' for key in ADULT_KEYS)
    query = f"SELECT {names}, count(*) AS n FROM read_csv('{file}', all_varchar=true) GROUP BY ALL"
    group_by = best(lambda: bare.sql(query).to_arrow_table(), 7)
    table = tabulate(open_source(file), ADULT_KEYS)
    return [ratio("SUDA on adult, six keys, all sizes", best(lambda: suda(table, "bench"), 5), group_by)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = large(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
    if ADULT.exists():
        adult()
    return 1 if float(str(found[1]["ratio"])) > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
