"""How does cost grow? 1 to 56 million people with eight keys, against DuckDB on the same file in the same run.

Each measurement is a process of its own, so that its peak memory is its own. `--sizes 1,3` measures less,
`--folder` keeps the files for the next time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from benchmarks.scale_case import KEYS, SENSITIVE, write_case

SIZES = "1,3,10,30,56"
CAP = "8GB"
TABULATE_LIMIT, RUN_LIMIT = 1.3, 6.0
ROOT = Path(__file__).parent.parent
PLOT, TABLE = ROOT / "docs" / "images" / "scaling.svg", ROOT / "docs" / "images" / "scaling.json"


def bare(file: Path, folder: Path, query: str) -> None:
    import duckdb

    engine = duckdb.connect()
    engine.execute(f"SET memory_limit = '{CAP}'; SET temp_directory = '{folder / 'spill'}'")
    found = engine.sql(query) if query.startswith("SELECT") else engine.execute(query)
    if query.startswith("SELECT"):
        found.to_arrow_table()


def measure(what: str, file: Path, folder: Path) -> dict[str, float]:
    """One thing, in this process. Counting alone is measured warm, with imports and kernels loaded; a run is not."""
    from incrowd.demo import write_demo
    from incrowd.keys.requirements import K, OneSided
    from incrowd.pipeline import run
    from incrowd.rows import open_source
    from incrowd.rows.memory import engine_share, parse_memory
    from incrowd.rows.tabulate import tabulate
    from incrowd.tasks.verify import verify_rows

    if what == "tabulate":
        warm = write_case(folder / "warm", file).with_name("warm.parquet")
        write_demo(warm, rows=200_000)
        with patch("incrowd.rows.packed.WAITING", 1 << 16):
            tabulate(open_source(warm), KEYS, [SENSITIVE])
    columns, found = ", ".join([*KEYS, SENSITIVE]), {}
    memory, spill = engine_share(parse_memory(CAP)), folder / "spill"
    begun, worked = time.perf_counter(), time.process_time()
    if what == "group_by":
        bare(file, folder, f"SELECT {columns}, count(*) AS n FROM '{file}' GROUP BY ALL")
    elif what == "tabulate":
        table = tabulate(open_source(file, spill=spill, memory=memory), KEYS, [SENSITIVE])
        found["classes"] = table.classes
    elif what == "copy":
        bare(file, folder, f"COPY (SELECT * FROM '{file}') TO '{folder / 'copy.parquet'}' (COMPRESSION zstd)")
    else:
        done = run(write_case(folder / "case", file), memory=CAP)
        found["released"] = done.log.end.records
        found["run_alone_s"] = round(time.perf_counter() - begun, 2)
        release = open_source(done.release / "people.parquet", spill=spill, memory=memory)
        verified = verify_rows(release, KEYS, [K(9), OneSided(SENSITIVE, "Yes")])
        assert verified.passed, "what was released must verify"
    found |= {"s": round(time.perf_counter() - begun, 2), "cpu_s": round(time.process_time() - worked, 2)}
    return found | {"peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)}


def measured(what: str, file: Path, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_scale", "--measure", what, str(file), "--folder", str(folder)]
    environment = {**os.environ, "INCROWD_SECRET": secrets.token_hex(32)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    if ran.returncode:
        raise SystemExit(f"{what} of {file.name}: {ran.stderr}")
    result: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return result


def one_size(millions: float, folder: Path) -> dict[str, float]:
    file = folder / f"people-{millions:g}.parquet"
    if not file.exists():
        command = [sys.executable, "-m", "incrowd", "demo-data", "--rows", f"{millions:g}e6", "-o", str(file)]
        subprocess.run(command, check=True, capture_output=True)
    parts = {what: measured(what, file, folder) for what in ("group_by", "tabulate", "copy", "run")}
    line = {"millions": millions} | {f"{what}_{name}": v for what, found in parts.items() for name, v in found.items()}
    line["tabulate_ratio"] = round(parts["tabulate"]["s"] / parts["group_by"]["s"], 2)
    line["run_ratio"] = round(parts["run"]["s"] / parts["copy"]["s"], 2)
    print(json.dumps(line), flush=True)
    return line


def plot(lines: list[dict[str, float]]) -> None:
    """Seconds over records, both logarithmic: a straight line at 45 degrees is linear growth."""
    import altair as alt
    import vl_convert

    names = {
        "group_by_s": "DuckDB: group by", "tabulate_s": "tabulate",
        "copy_s": "DuckDB: read and write", "run_s": "run and verify",
    }  # fmt: skip
    values = [
        {"millions": x["millions"], "seconds": x[key], "what": name} for x in lines for key, name in names.items()
    ]
    ticks = [x["millions"] for x in lines]
    scale = alt.Scale(type="log")
    chart = (
        alt.Chart(alt.Data(values=values), width=420, height=300)
        .mark_line(point=True)
        .encode(
            x=alt.X("millions:Q", scale=scale, title="million records, eight keys", axis=alt.Axis(values=ticks)),
            y=alt.Y("seconds:Q", scale=scale, title="seconds"),
            color=alt.Color("what:N", title=None, sort=list(names.values()), legend=alt.Legend(orient="right")),
        )
    )
    PLOT.write_text(vl_convert.vegalite_to_svg(chart.to_dict()) + "\n", encoding="utf-8")


def table(lines: list[dict[str, float]]) -> str:
    head = "| million records | group by | tabulate | ratio | classes | read and write | run, verify | ratio | peak |"
    rows = [head, "| " + " | ".join(["---:"] * 9) + " |"]
    for x in lines:
        rows.append(
            f"| {x['millions']:g} | {x['group_by_s']:.1f} s | {x['tabulate_s']:.1f} s | {x['tabulate_ratio']:.2f} | "
            f"{x['tabulate_classes']:,} | {x['copy_s']:.1f} s | {x['run_s']:.1f} s | {x['run_ratio']:.2f} | "
            f"{max(x['run_peak_gb'], x['tabulate_peak_gb']):.2f} GB |"
        )
    return "\n".join(rows)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default=SIZES, help="million records, separated by commas")
    options.add_argument("--folder", type=Path)
    options.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help="one measurement, for this script itself")
    chosen = options.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure[0], Path(chosen.measure[1]), chosen.folder)))
        return 0
    with tempfile.TemporaryDirectory() as name:
        lines = [one_size(float(size), chosen.folder or Path(name)) for size in chosen.sizes.split(",")]
    print(table(lines))
    if chosen.sizes == SIZES:
        plot(lines)
        TABLE.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    # Below ten million, what every run costs (imports, charts) outweighs the records: only the largest is judged.
    last, cap = lines[-1], float(CAP.removesuffix("GB"))
    kept = last["tabulate_ratio"] <= TABULATE_LIMIT and last["run_ratio"] <= RUN_LIMIT
    return 0 if kept and max(x["run_peak_gb"] for x in lines) < cap else 1


if __name__ == "__main__":
    sys.exit(main())
