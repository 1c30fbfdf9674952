"""Small tables to hold requirements against: classes given as dicts, one key that numbers them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import oracle_requirements as oracle
from hypothesis import strategies as st

from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctL,
    EnhancedBeta,
    EntropyL,
    K,
    KMap,
    OneSided,
    RecursiveL,
    Requirement,
    TCloseness,
    where_name,
)
from incrowd.keys.table import Domain, Histogram, KeyTable, Recode

VALUES = ["10", "9", "7", "100", "8"]  # the order of the numbers is not that of the texts
ROWS = (
    ("10", "low", "small", "*"),
    ("9", "low", "small", "*"),
    ("7", "mid", "small", "*"),
    ("100", "high", "large", "*"),
    ("8", "mid", "small", "*"),
)
TREE = Hierarchy("s", ROWS)
LIMITS = [Fraction(x) for x in ("0.1", "0.2", "0.25", "0.3", "0.5", "0.75", "1")]


def build(
    classes: oracle.Tables, population: list[int] | None = None, flags: list[dict[str, int]] | None = None
) -> KeyTable:
    """A table with one key, whose value is the number of the class."""
    domain = Domain("s", tuple(sorted({v for one in classes for v in one})))
    code = {v: i for i, v in enumerate(domain.values)}
    number = len(classes)
    histograms = {"s": histogram(domain, [{code[v]: n for v, n in one.items()} for one in classes])}
    if flags is not None:
        bits = Domain("w", ("0", "1"))
        histograms[where_name("w")] = histogram(bits, [{int(v): n for v, n in one.items()} for one in flags])
    return KeyTable(
        (Domain("z", tuple(f"{i:03d}" for i in range(number))),),
        np.arange(number, dtype=np.int32).reshape(1, number),
        np.array([sum(one.values()) for one in classes], np.int64),
        histograms,
        population=None if population is None else np.array(population, np.int64),
    )


def histogram(domain: Domain, classes: list[dict[int, int]]) -> Histogram:
    cells = [(c, v, n) for c, one in enumerate(classes) for v, n in sorted(one.items())]
    classes_, values, people = zip(*cells, strict=True) if cells else ((), (), ())
    return Histogram(domain, np.array(classes_, np.int64), np.array(values, np.int32), np.array(people, np.int64))


def merge(table: KeyTable, to: list[int]) -> tuple[KeyTable, np.ndarray]:
    return table.recode_with_map({"z": Recode.from_values("z", [f"{g:03d}" for g in to])})


SCALES = st.sampled_from([1, 1, 10**10])


@st.composite
def tables(draw: st.DrawFn, scale: st.SearchStrategy[int] = SCALES) -> oracle.Tables:
    """One to six classes; the counts small, or so large that 32 bits, and products in 64 bits, would fail."""
    cell = st.integers(1, 5)
    one = st.dictionaries(st.sampled_from(VALUES), cell, min_size=1, max_size=5)
    classes = draw(st.lists(one, min_size=1, max_size=6))
    factor = draw(scale)
    return [{v: n * factor for v, n in c.items()} for c in classes]


def order_of(classes: oracle.Tables, key: Callable[[str], object]) -> list[str]:
    return sorted({v for one in classes for v in one}, key=key)  # type: ignore[arg-type]


def all_models() -> list[Requirement]:
    return [
        K(3),
        KMap(3),
        DistinctL("s", 2),
        EntropyL("s", 2),
        RecursiveL("s", 2, 2),
        OneSided("s", "9"),
        OneSided("s", "9", 0.5),
        AlphaK("s", 0.5, 2),
        TCloseness("s", 0.2),
        TCloseness("s", 0.2, "ordered"),
        TCloseness("s", 0.2, "ordered-text"),
        TCloseness("s", 0.2, "hierarchical", hierarchy=TREE),
        BetaLikeness("s", 1),
        EnhancedBeta("s", 1),
        DeltaDisclosure("s", 1),
        DeltaDisclosure("s", 1, skip_zeros=True),
        DeltaPresence(0.1, 0.5),
    ]
