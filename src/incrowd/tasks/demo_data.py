"""People who do not exist, as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from incrowd.demo import write_demo


def demo_data(
    out: str | Path = "people.csv",
    *,
    rows: int = 100_000,
    seed: int = 1,
    population: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a synthetic population to try incrowd on, as .csv or .parquet; the same seed gives the same bytes.

    `population` is a file for the larger population that the people are a sample of.

    >>> ic.demo_data("few.csv", rows=100).name
    'few.csv'
    """
    write_demo(Path(out), rows=rows, seed=seed, population=None if population is None else Path(population),
               progress=progress)  # fmt: skip
    return Path(out)
