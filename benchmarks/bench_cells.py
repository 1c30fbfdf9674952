"""Cell suppression of adult at k = 3: cells and CPU time beside sdcMicro's, and how they grow with the rows.

    python benchmarks/bench_cells.py

CPU seconds of this process, the better of two runs after one that loads the compiled kernels (given apart).
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np

from incrowd.keys.cells import CellSuppression, Reading, suppress_cells
from incrowd.keys.table import KeyTable, from_records

ADULT = Path(__file__).resolve().parents[2] / "shared/data/adult/adult.csv"
KEYS = ["sex", "age", "race", "marital-status", "native-country", "education", "occupation"]
#: Number of keys: cells and CPU seconds of sdcMicro 5.8.1 (wildcard reading).
SDCMICRO = {5: (3062, 15.0), 6: (7258, 75.0), 7: (15513, 345.0)}
READINGS: tuple[Reading, ...] = ("wildcard", "strict")


def timed(table: KeyTable, reading: Reading) -> tuple[CellSuppression, float]:
    """The result and the better CPU time of two runs."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        result = suppress_cells(table, 3, reading=reading)
        best = min(best, time.process_time() - start)
    return result, best


def grown(rows: np.ndarray, times: int) -> np.ndarray:
    """More rows like these: drawn again, age moved by up to two years, in one of five another key changed."""
    if times == 1:
        return rows
    draw = np.random.default_rng(times)
    more = rows[draw.integers(0, len(rows), len(rows) * times)].copy()
    more[:, 1] = (more[:, 1].astype(int) + draw.integers(-2, 3, len(more))).astype(str)
    column = draw.integers(2, rows.shape[1], len(more))
    changed = np.flatnonzero(draw.random(len(more)) < 0.2)
    more[changed, column[changed]] = rows[draw.integers(0, len(rows), len(changed)), column[changed]]
    return more


def table_of(rows: np.ndarray, keys: int) -> KeyTable:
    return from_records({KEYS[j]: rows[:, j].tolist() for j in range(keys)})


def main() -> None:
    if not ADULT.exists():
        sys.exit("../shared with the reference data is not here")
    with ADULT.open(newline="") as file:
        lines = csv.DictReader(file, delimiter=";")
        rows = np.array([[line[key] for key in KEYS] for line in lines], dtype=object)
    start = time.process_time()
    for reading in READINGS:
        suppress_cells(table_of(rows[:100], 3), 3, reading=reading)
    print(f"loading or compiling the kernels: {time.process_time() - start:.2f} s CPU\n")
    print("keys   reading   cells   bound sdcMicro   CPU s  faster  k strict/wildcard")
    for keys, (cells, seconds) in SDCMICRO.items():
        for reading in READINGS:
            result, cpu = timed(table_of(rows, keys), reading)
            bound = "" if result.lower_bound is None else f"{result.lower_bound:.0f}"
            print(
                f"{keys:>4} {reading:>9} {result.total:>7} {bound:>7} {cells:>8} {cpu:>7.3f}"
                f" {seconds / cpu:>6.0f}x  {result.strict_k}/{result.wildcard_k}"
            )
    print(f"\n{'rows':>8} {'classes':>8} {'reading':>9} {'cells':>8} {'CPU s':>7}  (7 keys)")
    for times in (1, 3, 10):
        table = table_of(grown(rows, times), 7)
        for reading in READINGS:
            result, cpu = timed(table, reading)
            print(f"{len(rows) * times:>8} {table.classes:>8} {reading:>9} {result.total:>8} {cpu:>7.3f}")


if __name__ == "__main__":
    main()
