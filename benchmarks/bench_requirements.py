"""What does it cost to hold every model against one sensitive variable, in units of one bare DuckDB `group by`?

    .venv/bin/python benchmarks/bench_requirements.py

300,000 rows in about 248,000 classes of nine keys (the size at which pycanon needs 287 s for t alone). CPU time of
one thread; the loops are compiled before the clock starts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import duckdb
import numpy as np
import pyarrow as pa

from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctL,
    EnhancedBeta,
    EntropyL,
    K,
    OneSided,
    RecursiveL,
    Requirement,
    TCloseness,
)
from incrowd.keys.table import Domain, Histogram, KeyTable, Recode

ROWS = 300_000
SPANS = [2, 74, 5, 7, 16, 41, 8, 14, 2]


def cpu(work: Callable[[], object], times: int = 5) -> float:
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return statistics.median(spent)


def models(name: str, tree: Hierarchy) -> list[Requirement]:
    return [
        K(5),
        DistinctL(name, 3),
        EntropyL(name, 3),
        RecursiveL(name, 4, 3),
        OneSided(name, "3"),
        AlphaK(name, 0.5, 5),
        TCloseness(name, 0.2),
        TCloseness(name, 0.2, "ordered"),
        TCloseness(name, 0.2, "ordered-text"),
        TCloseness(name, 0.2, "hierarchical", hierarchy=tree),
        BetaLikeness(name, 1),
        EnhancedBeta(name, 1),
        DeltaDisclosure(name, 1),
        DeltaDisclosure(name, 1, skip_zeros=True),
    ]


def count(name: str, keys: list[np.ndarray], drawn: np.ndarray) -> KeyTable:
    """The table that an engine would have counted."""
    first, to = group(pack(keys, SPANS))
    coded = Recode.from_values(name, [str(value) for value in drawn])
    cells, where = group(pack([to, coded.codes], [len(first), len(coded.domain)]))
    people = add_up(where, np.ones(ROWS, np.int64), len(cells))
    return KeyTable(
        tuple(Domain(f"k{i}", tuple(map(str, range(span)))) for i, span in enumerate(SPANS)),
        np.array([key[first] for key in keys]),
        add_up(to, np.ones(ROWS, np.int64), len(first)),
        {name: Histogram(coded.domain, to[cells], coded.codes[cells], people)},
    )


def group_by(keys: list[np.ndarray], drawn: np.ndarray) -> float:
    texts = {f"k{i}": pa.array(key.astype(str)) for i, key in enumerate(keys)} | {"s": pa.array(drawn.astype(str))}
    engine = duckdb.connect(config={"threads": 1})
    engine.register("arrow", pa.table(texts))
    engine.execute("create table file as from arrow")
    query = "create or replace temp table counted as select *, count(*) from file group by all"
    return cpu(lambda: engine.execute(query))


def check(table: KeyTable, requirements: list[Requirement]) -> None:
    """Check with nothing kept from an earlier check."""
    copies = {name: replace(histogram) for name, histogram in table.histograms.items()}
    fresh = replace(table, histograms=copies)
    for requirement in requirements:
        requirement.check(fresh)


def main() -> None:
    rng = np.random.default_rng(1)
    keys = [(rng.beta(0.53, 2.2, ROWS) * span).astype(np.int32) for span in SPANS]
    for name, values in (("occupation", 14), ("income", 20_000)):
        drawn = (rng.beta(1, 3, ROWS) * values).astype(np.int64)
        table = count(name, keys, drawn)
        texts = [str(text) for text in table.histograms[name].domain.values]
        everything = models(name, Hierarchy(name, tuple((text, text[0], "*") for text in texts)))
        check(table, everything)
        unit, spent = group_by(keys, drawn), cpu(partial(check, table, everything))
        print(f"{ROWS:,} rows, {table.classes:,} classes, {len(texts):,} values of {name}")
        print(
            f"  one group by {unit * 1000:.0f} ms; {len(everything)} models {spent * 1000:.0f} ms = {spent / unit:.2f}"
        )
        for requirement in everything:
            alone = cpu(partial(check, table, [requirement]))
            print(f"    {requirement.model:17}{getattr(requirement, 'distance', ''):14}{alone * 1000:6.1f} ms alone")


if __name__ == "__main__":
    main()
