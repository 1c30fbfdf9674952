"""Files to measure on: people-like keys, so many that nearly every record is its own class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

KEYS = ["area", "age", "sex", "job", "status"]
SENSITIVE = "illness"


def people(rows: int, seed: int = 7) -> pa.Table:
    """Records with skewed keys: 300,000 of them fall into about 248,000 classes."""
    rng = np.random.default_rng(seed)

    def skewed(values: int, power: float) -> np.ndarray:
        return np.minimum((values * rng.random(rows) ** power).astype(np.int64), values - 1)

    columns = {
        "area": (skewed(320, 2.4), "district-"),
        "age": (skewed(80, 2.2) + 16, ""),
        "sex": (rng.integers(0, 2, rows), "sex"),
        "job": (skewed(48, 3.4), "occupation-"),
        "status": (skewed(8, 3.0), "status"),
        "illness": (skewed(12, 2.0), "illness-"),
        "income": (rng.integers(8_000, 90_000, rows), ""),
    }
    return pa.table({name: pa.array([f"{word}{v}" for v in numbers]) for name, (numbers, word) in columns.items()})


def write_people(folder: Path, rows: int) -> tuple[Path, Path]:
    """The same records as CSV and as Parquet."""
    csv, parquet = folder / f"people-{rows}.csv", folder / f"people-{rows}.parquet"
    if not csv.exists():
        table = people(rows)
        pa.csv.write_csv(table, csv, pa.csv.WriteOptions(quoting_style="needed"))
        pa.parquet.write_table(table, parquet)
    return csv, parquet
