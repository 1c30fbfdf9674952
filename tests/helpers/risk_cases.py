"""Tables for the tests of risk: small ones by Hypothesis, real ones from the shared data."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from shared import SHARED

from incrowd.keys.packing import count_rows
from incrowd.keys.table import Domain, KeyTable, from_records

ORACLE = SHARED / "data" / "sdcmicro" / "oracle"
ADULT = SHARED / "data" / "adult" / "adult.csv"
ADULT_KEYS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
              "salary-class"]  # fmt: skip

cells = st.sampled_from(["a", "b", "c", None])
records = st.integers(1, 4).flatmap(lambda keys: st.lists(st.tuples(*[cells] * keys), min_size=1, max_size=14))


def table_of(rows: Sequence[Sequence[str | None]]) -> tuple[KeyTable, np.ndarray]:
    """A KeyTable of records, and the class of each record."""
    columns = {f"k{i}": [row[i] for row in rows] for i in range(len(rows[0]))}
    return with_classes(columns)


def with_classes(columns: dict[str, list[str | None]]) -> tuple[KeyTable, np.ndarray]:
    table = from_records(columns)
    labels = zip(*([d.values[c] for c in codes] for d, codes in zip(table.domains, table.codes, strict=True)),
                 strict=True)  # fmt: skip
    at = {label: i for i, label in enumerate(labels)}
    return table, np.array([at[row] for row in zip(*columns.values(), strict=True)])


def read(name: str) -> list[dict[str, str]]:
    with (ORACLE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def column(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) if row[name] not in ("", "NA", "NaN") else np.nan for row in rows])


def drawn(columns: Sequence[np.ndarray], spans: Sequence[int]) -> KeyTable:
    """The KeyTable of integer columns."""
    found, counts = count_rows(list(columns), list(spans))
    domains = tuple(Domain(f"k{i}", tuple(str(v) for v in range(span))) for i, span in enumerate(spans))
    return KeyTable(domains, np.array(found, np.int32), counts)


def sizes(people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Class sizes and how many classes have each."""
    size, number = np.unique(people[people > 0], return_counts=True)
    return size.astype(float), number.astype(float)
