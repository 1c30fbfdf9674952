"""Local recoding: loss, units and growth. Run: python benchmarks/bench_local.py [--bound] [--large]

One unit is the median CPU time of np.unique(return_counts=True) over the packed 9-key table of adult, a row a record,
in the same run. The first call compiles (or loads the compiled kernels from the cache) and is not counted.
"""

from __future__ import annotations

import csv
import resource
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.mondrian import mondrian
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.local import lower_bound, recode_locally
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.requirements import DistinctL, EntropyL, K, Requirement, TCloseness
from incrowd.keys.table import Domain, KeyTable, from_records

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def read(name: str, file: str, sensitive: str | None = None) -> tuple[KeyTable, list[Levels]]:
    with (DATA / name / file).open(encoding="utf-8", newline="") as handle:
        head, *rows = csv.reader(handle, delimiter=";")
    columns = {key: [row[i] for row in rows] for i, key in enumerate(head)}
    apart = {} if sensitive is None else {sensitive: columns.pop(sensitive)}
    table = from_records(columns, apart)
    return table, [hierarchy(name, key).bind(domain) for key, domain in zip(columns, table.domains, strict=True)]


def hierarchy(name: str, key: str) -> Hierarchy:
    with (DATA / name / f"{name}_hierarchy_{key}.csv").open(encoding="utf-8", newline="") as handle:
        return Hierarchy(key, tuple(tuple(row) for row in csv.reader(handle, delimiter=";")))


def unit(adult: KeyTable) -> float:
    packed = np.repeat(pack(list(adult.codes), [len(domain) for domain in adult.domains]), adult.records)
    packed = np.random.default_rng(0).permutation(packed)
    taken = []
    for _ in range(51):
        start = time.process_time()
        np.unique(packed, return_counts=True)
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def bands(number: int, *widths: int) -> tuple[tuple[str, ...], ...]:
    return tuple((f"{i:03}", *(f"{i // w * w}+{w}" for w in widths), "*") for i in range(number))


SURVEY = {
    "year": bands(16, 4), "quarter": bands(4, 2), "region": bands(4), "person": bands(15, 5),
    "age": bands(86, 5, 10, 20), "marital": bands(10, 5), "sex": bands(2), "race": bands(16, 8),
    "education": bands(25, 5, 10),
}  # fmt: skip


def survey(number: int, keys: int = 9, *, uniform: bool = False) -> tuple[KeyTable, list[Levels]]:
    """A health survey with connected keys (25,920 nodes), or the same keys drawn without connection."""
    rng = np.random.default_rng(number)
    sizes = [len(rows) for rows in SURVEY.values()]
    if uniform:
        columns = [rng.integers(0, size, number) for size in sizes]
    else:
        age = np.clip(rng.gamma(4, 10, number), 0, 85).astype(np.int64)
        columns = [
            rng.integers(0, 16, number), rng.integers(0, 4, number), rng.integers(0, 4, number),
            np.minimum(rng.geometric(0.5, number) - 1, 14), age,
            np.where(age < 18, 0, np.minimum(rng.geometric(0.5, number), 9)), rng.integers(0, 2, number),
            np.minimum(rng.geometric(0.7, number) - 1, 15),
            np.clip(rng.normal(np.minimum(age, 25) * 0.8, 3, number), 0, 24).astype(np.int64),
        ]  # fmt: skip
    # The most identifying keys first, so that fewer keys are still a file worth recoding.
    chosen = [4, 8, 0, 7, 3, 5, 1, 2, 6][:keys]
    packed = pack([columns[i] for i in chosen], [sizes[i] for i in chosen])
    first, to = group(packed)
    names = [list(SURVEY)[i] for i in chosen]
    domains = tuple(Domain(name, tuple(row[0] for row in SURVEY[name])) for name in names)
    codes = np.array([columns[i][first] for i in chosen], np.int32)
    table = KeyTable(domains, codes, add_up(to, np.ones(number, np.int64), len(first)))
    return table, [Hierarchy(name, SURVEY[name]).bind(domain) for name, domain in zip(names, domains, strict=True)]


def report(what: str, table: KeyTable, levels: list[Levels], asked: list[Requirement], one: float) -> None:
    start = time.process_time()
    result = recode_locally(table, levels, asked)
    taken = time.process_time() - start
    below = lower_bound(table, levels, asked[0].k, result) if "--bound" in sys.argv and len(asked) == 1 else None
    print(
        f"{what:34} {table.classes:>9,} base classes {result.classes:>8,} classes  arithmetic "
        f"{result.loss_arithmetic:.5f}  geometric {result.loss_geometric:.5f}  {taken:7.2f} s {taken / one:8,.0f} units"
        + ("" if below is None else f"  bound {below:.5f}"),
        flush=True,
    )


def main() -> None:
    adult, levels = read("adult", "adult.csv")
    recode_locally(adult, levels, [K(5)])
    one = unit(adult)
    print(f"one unit: {one * 1000:.3f} ms")
    for k in (2, 5, 10, 50):
        report(f"adult, 9 keys, k = {k}", adult, levels, [K(k)], one)
    report("fars, 8 keys, k = 5", *read("fars", "fars_subset.csv"), [K(5)], one)
    eight = read("adult", "adult.csv", "occupation")
    tree = hierarchy("adult", "occupation")
    others: dict[str, Requirement] = {
        "distinct l 3": DistinctL("occupation", 3),
        "entropy l 3": EntropyL("occupation", 3),
        "0.2-closeness": TCloseness("occupation", 0.2, "hierarchical", hierarchy=tree),
    }
    for name, other in others.items():
        report(f"adult, 8 keys, k = 5, {name}", *eight, [K(5), other], one)
    for number in (12_000, 120_000, *([1_200_000] if "--large" in sys.argv else [])):
        report(f"survey, {number:,} records", *survey(number), [K(5)], one)
    report("uniform, 30,000 records", *survey(30_000, uniform=True), [K(5)], one)
    for keys in (5, 7, 9):
        report(f"survey, 30,000 records, {keys} keys", *survey(30_000, keys), [K(5)], one)
    boxes = mondrian(adult, 5)
    print(f"Mondrian on adult's codes, k = 5: arithmetic {boxes.loss_arithmetic:.5f}, {boxes.classes:,} boxes")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
