"""How is the demo file made, and the population it is a sample of?

All people are drawn independently from one model, so any of them are a random sample of all of them. The
file is drawn first (stream SAMPLE) and is the same with or without a population; the population is the
people of the file and others (stream OTHERS), in an order of its own.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa

from incrowd.demo.draw import uniforms
from incrowd.demo.files import open_table, whole_file
from incrowd.demo.people import BATCH, SCHEMA, draw_people
from incrowd.demo.places import region_of_district
from incrowd.errors import InputError

SAMPLE, OTHERS, ORDER = 0, 1, 2  # the streams of a seed

Progress = Callable[[int, int], object]
AnyPath = str | PathLike[str]


def write_demo(
    path: AnyPath,
    rows: int = 100_000,
    seed: int = 1,
    population: AnyPath | None = None,
    progress: Progress | None = None,
    population_factor: int = 10,
) -> None:
    """Which people would a plan, a test or a lesson be tried on? Write them to a CSV (or .parquet) file.

    The same seed gives the same bytes, and a shorter file is the beginning of a longer one. `population`
    also writes the `population_factor` times as many people of whom the file is a random sample.
    `progress(done, total)` is called after each batch; when it raises, no file is left behind. A short seed
    is right here, as nobody of these people exists; it is not for real data.

    Example: `write_demo("people.csv", rows=5)`.
    """
    target, whole = Path(path), None if population is None else Path(population)
    _check(target, whole, rows, seed, population_factor)
    total = rows if whole is None else rows * (1 + population_factor)
    done = 0
    with ExitStack() as files:
        write = files.enter_context(open_table(target, SCHEMA))
        write_whole = None if whole is None else files.enter_context(open_table(whole, SCHEMA))
        for number, start in enumerate(range(0, rows, BATCH)):
            sample = draw_people(seed, SAMPLE, number, min(BATCH, rows - start))
            write(sample)
            done += len(sample)
            if progress is not None:
                progress(done, total)
            if write_whole is None:
                continue
            for batch in _population(sample, seed, number, population_factor):
                write_whole(batch)
                done += len(batch)
                if progress is not None:
                    progress(done, total)


def _population(sample: pa.RecordBatch, seed: int, number: int, factor: int) -> Iterator[pa.RecordBatch]:
    """The people of the sample among others: `factor` batches, each with its part of the sample, shuffled.

    Misleads who looks at line numbers: every batch holds its share of the sample, a random file would vary.
    """
    rows = len(sample)
    for part in range(factor):
        first, last = rows * part // factor, rows * (part + 1) // factor
        batch = number * factor + part
        others = draw_people(seed, OTHERS, batch, rows - (last - first))
        both = pa.concat_batches([sample.slice(first, last - first), others])
        order = np.argsort(uniforms(seed, ORDER, batch, rows, 1)[0], kind="stable")
        yield both.take(pa.array(order))


def _check(target: Path, whole: Path | None, rows: int, seed: int, factor: int) -> None:
    """Refuse what cannot be written, before anything is."""
    for name, value, least in (("rows", rows, 1), ("seed", seed, 0), ("population_factor", factor, 1)):
        if value < least:
            raise InputError("D090", f"{name} is {value}.", f"It must be at least {least}.")
    if whole is not None and whole.resolve() == target.resolve():
        raise InputError("D091", "The file and its population have the same path.", "Give them two names.")


def write_regions_lookup(path: AnyPath) -> None:
    """Which region is each district recoded to? Write the lookup: columns `district`, `region`."""
    with whole_file(Path(path)) as part, part.open("w", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(("district", "region"))
        lines.writerows(region_of_district().items())
