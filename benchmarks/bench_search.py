"""How fast is the search? Adult in units, a health survey of 1.2 million records, and how the cost grows.

    python benchmarks/bench_search.py [adult] [models] [survey] [growth]   prints JSON; growth also draws the plot

One unit is the median CPU time of np.unique(return_counts=True) over the packed 9-key base table of adult, in the
same run. Read as the keys of the 30,162 records in the order of the file it is `units`; read as the 19,502 distinct
combinations of the KeyTable, about half as long, it is `units_distinct`. Compiling is done before the clock starts.
"""

from __future__ import annotations

import csv
import json
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from time import process_time
from unittest.mock import patch

import numpy as np

from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.requirements import K, Requirement
from incrowd.keys.requirements.parse import parse_model
from incrowd.keys.search.lattice import LatticeSearch, search
from incrowd.keys.table import Domain, KeyTable, Recode, from_records

ROOT = Path(__file__).resolve().parents[1]
ADULT = ROOT.parent / "shared" / "data" / "adult"
KEYS = "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class".split(",")  # noqa: SIM905
CONVEX = (
    "t:occupation:0.2", "t:occupation:0.2:ordered-text", "entropy_l:occupation:3", "recursive_l:occupation:4:3",
    "beta:occupation:2", "delta_disclosure:occupation:1.5",
)  # fmt: skip
PLOT = ROOT / "docs" / "images" / "search-growth.svg"


def adult() -> tuple[KeyTable, list[Levels], list[dict[str, str]]]:
    with (ADULT / "adult.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    table = from_records({key: [row[key] for row in rows] for key in KEYS})
    return table, [hierarchy(domain.name).bind(domain) for domain in table.domains], rows


def hierarchy(name: str) -> Hierarchy:
    with (ADULT / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
        return Hierarchy(name, tuple(tuple(row) for row in csv.reader(file, delimiter=";")))


def without_bound(self: Requirement, table: KeyTable) -> np.ndarray:
    """No record is doomed: the search without the bound."""
    return np.zeros(len(table.records))


def units(table: KeyTable, rows: list[dict[str, str]]) -> tuple[float, float]:
    """The unit over records, and over distinct combinations."""
    spans = [len(domain) for domain in table.domains]
    codes = [Recode.from_values(key, [row[key] for row in rows]).codes for key in KEYS]
    return _unit(pack(codes, spans)), _unit(pack(list(table.codes), spans))


def _unit(packed: np.ndarray) -> float:
    return median(seconds(lambda: np.unique(packed, return_counts=True)) for _ in range(51))


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def timed(table: KeyTable, levels: Sequence[Levels], suppression: float) -> tuple[LatticeSearch, float]:
    start = process_time()
    found = search(table, levels, [K(5)], suppression=suppression)
    return found, process_time() - start


def peak() -> float:
    """Megabytes this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def count(names: Sequence[str], columns: Sequence[np.ndarray], values: Sequence[Sequence[str]]) -> KeyTable:
    """A KeyTable of coded columns."""
    first, to = group(pack(columns, [len(value) for value in values]))
    records = add_up(to, np.ones(len(to), np.int64), len(first))
    codes = np.array([column[first] for column in columns], np.int32)
    return KeyTable(tuple(Domain(n, tuple(v)) for n, v in zip(names, values, strict=True)), codes, records)


def bands(name: str, values: Sequence[int], widths: Sequence[int], *, top: bool = True) -> Levels:
    """Equal bands, each width a multiple of the one before, and a top."""
    low = min(values)
    rows = []
    for value in values:
        row = [str(value)]
        for width in widths:
            start = low + (value - low) // width * width
            row.append(f"{start}-{start + width - 1}")
        rows.append((*row, "*") if top else tuple(row))
    return Hierarchy(name, tuple(rows)).bind(Domain(name, tuple(str(value) for value in values)))


def survey(rows: int = 1_200_000) -> tuple[KeyTable, list[Levels]]:
    """Like a health survey: 18 years, quarters, regions, person in the household, age, marital status, sex, race,
    education; 6 x 3 x 3 x 4 x 5 x 3 x 2 x 2 x 2 = 25,920 nodes."""
    rng = np.random.default_rng(20)
    person = np.minimum(rng.geometric(0.42, rows), 25)
    age = np.clip(np.where(person <= 2, rng.normal(47, 17, rows), rng.normal(16, 13, rows)), 0, 85).astype(int)
    adult_age = age >= 18
    marital = np.where(adult_age, rng.choice(10, rows, p=np.array([40, 8, 6, 4, 3, 2, 2, 15, 12, 8]) / 100), 7)
    school = np.clip(np.where(adult_age, rng.normal(14, 4, rows), age * 0.7), 0, 25).astype(int)
    race_weight = 0.55 ** np.arange(16)
    columns = [
        rng.integers(0, 18, rows),
        rng.integers(0, 4, rows),
        rng.choice(4, rows, p=[0.18, 0.22, 0.36, 0.24]),
        person - 1,
        age,
        marital,
        rng.integers(0, 2, rows),
        rng.choice(16, rows, p=race_weight / race_weight.sum()),
        school,
    ]
    levels = [
        bands("year", range(1997, 2015), [2, 4, 8, 16]),
        bands("quarter", range(1, 5), [2]),
        bands("region", range(1, 5), [2]),
        bands("person", range(1, 26), [4, 16]),
        bands("age", range(86), [5, 10, 20]),
        bands("marital status", range(10), [4]),
        bands("sex", range(2), []),
        bands("race", range(16), []),
        bands("education", range(26), []),
    ]
    return count([key.domain.name for key in levels], columns, [key.domain.values for key in levels]), levels


def grown(rows: list[dict[str, str]], times: int, keys: Sequence[str], extra: int) -> tuple[KeyTable, list[Levels]]:
    """Adult drawn with replacement, a tenth of the cells of each column replaced, so that classes grow too; `extra`
    more keys of four values, which depend on the others a little."""
    rng = np.random.default_rng(times)
    number = len(rows) * times
    drawn = rng.integers(0, len(rows), number)
    columns, levels = [], []
    for key in keys:
        made = Recode.from_values(key, [row[key] for row in rows])
        column = made.codes[drawn].astype(np.int64)
        jitter = rng.random(number) < 0.1
        column[jitter] = made.codes[rng.integers(0, len(rows), int(jitter.sum()))]
        columns.append(column)
        levels.append(hierarchy(key).bind(made.domain))
    for i in range(extra):
        column = np.minimum((rng.random(number) ** 2 * 4 + columns[i] % 2).astype(np.int64), 3)
        columns.append(column)
        levels.append(bands(f"extra {i + 1}", range(4), [2]))
    return count([key.domain.name for key in levels], columns, [key.domain.values for key in levels]), levels


def figures(found: LatticeSearch, cpu: float, one: tuple[float, float]) -> dict[str, object]:
    return {
        "levels": list(found.levels.values()),
        "score": round(found.score, 6),
        "suppressed": found.suppressed,
        "classes": found.classes,
        "nodes": found.nodes,
        "counted": found.counted,
        "proven": found.proven,
        "cpu_seconds": round(cpu, 4),
        "units": round(cpu / one[0], 1),
        "units_distinct": round(cpu / one[1], 1),
    }


def bench_adult(one: tuple[float, float]) -> dict[str, object]:
    table, levels, _ = adult()
    result: dict[str, object] = {}
    for suppression in (0.05, 0.01, 0.0):
        found, _ = timed(table, levels, suppression)
        times = [timed(table, levels, suppression)[1] for _ in range(11)]
        result[f"k=5, {suppression:.0%}"] = figures(found, median(times), one)
    result["peak_mb"] = round(peak())
    return result


def bench_models(one: tuple[float, float]) -> dict[str, object]:
    """Models with convex figures under a suppression limit, with the bound for them and without."""
    rows = adult()[2]
    keys = [key for key in KEYS if key != "occupation"]
    table = from_records(
        {key: [row[key] for row in rows] for key in keys}, {"occupation": [r["occupation"] for r in rows]}
    )
    levels = [hierarchy(domain.name).bind(domain) for domain in table.domains]
    result: dict[str, object] = {}
    for text in CONVEX:
        found = {}
        for way in ("with", "without"):
            with patch.object(Requirement, "doomed", without_bound) if way == "without" else nullcontext():
                start = process_time()
                best = search(table, levels, [parse_model(text).bind(table)], suppression=0.05)
                found[way] = figures(best, process_time() - start, one)
        result[text] = {
            **found["with"],
            "without": {name: found["without"][name] for name in ("counted", "cpu_seconds")},
        }
        assert found["with"]["score"] == found["without"]["score"]
    return result


def bench_survey(one: tuple[float, float]) -> dict[str, object]:
    table, levels = survey()
    before = peak()
    found, cpu = timed(table, levels, 0.05)
    distinct = {"distinct": len(table.records), "peak_mb": round(peak()), "peak_mb_before_search": round(before)}
    return {**figures(found, cpu, one), **distinct}


def bench_growth(one: tuple[float, float]) -> list[dict[str, object]]:
    _, _, rows = adult()
    points: list[dict[str, object]] = []
    for times in (1, 10, 100):
        for number in (5, 7, 9, 12):
            table, levels = grown(rows, times, KEYS[:number], max(number - len(KEYS), 0))
            found, cpu = timed(table, levels, 0.05)
            size = {"rows": len(rows) * times, "keys": number, "distinct": len(table.records)}
            points.append({**size, **figures(found, cpu, one)})
    return points


def draw(points: list[dict[str, object]]) -> None:
    import altair as alt

    data = [{name: point[name] for name in ("rows", "keys", "cpu_seconds")} for point in points]
    chart = (
        alt.Chart(alt.Data(values=data), title="CPU time of the proven optimum, k = 5, 5% suppression")
        .mark_line(point=True)
        .encode(
            x=alt.X("rows:Q", scale=alt.Scale(type="log"), title="records"),
            y=alt.Y("cpu_seconds:Q", scale=alt.Scale(type="log"), title="seconds"),
            color=alt.Color("keys:O", title="keys"),
        )
        .properties(width=460, height=300)
    )
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    chart.save(str(PLOT))


def main(parts: Sequence[str]) -> None:
    table, levels, rows = adult()
    compiling = seconds(lambda: search(table, levels, [K(5)], suppression=0.05))
    one = units(table, rows)
    result: dict[str, object] = {
        "unit_ms": round(one[0] * 1000, 4),
        "unit_distinct_ms": round(one[1] * 1000, 4),
        "first_call_seconds": round(compiling, 2),
    }
    if "adult" in parts:
        result["adult"] = bench_adult(one)
    if "models" in parts:
        result["models"] = bench_models(one)
    if "survey" in parts:
        result["survey"] = bench_survey(one)
    if "growth" in parts:
        points = bench_growth(one)
        draw(points)
        result["growth"] = points
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:] or ["adult", "models", "survey", "growth"])
