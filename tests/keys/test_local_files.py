"""Local recoding on files as they come: generated ones that nobody tuned for, and the reference files."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest
from local_cases import SURVEY, bound, check, survey
from shared import SHARED, needs_shared

from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.local import lower_bound, recode_locally
from incrowd.keys.requirements import K
from incrowd.keys.table import KeyTable, from_records


def plain_greedy(table: KeyTable, levels: list[Levels], k: int) -> float:
    """The baseline: all nodes, lowest mean loss first, every class of k among the records not yet taken."""
    both = list(zip(levels, table.codes, strict=True))
    coded = [[recode.codes[codes] for recode in key.recodes] for key, codes in both]
    cells = [[loss[code] for loss, code in zip(key.losses, coded[i], strict=True)] for i, key in enumerate(levels)]
    nodes = list(product(*(range(key.height + 1) for key in levels)))
    means = [sum(float(cells[i][j] @ table.records) for i, j in enumerate(node)) for node in nodes]
    left, lost = np.arange(len(table.records)), 0.0
    for at in np.argsort(means, kind="stable"):
        node = nodes[at]
        packed = np.zeros(len(left), np.int64)
        for i, j in enumerate(node):
            packed = packed * 1000 + coded[i][j][left]
        _, group = np.unique(packed, return_inverse=True)
        take = np.bincount(group, table.records[left])[group] >= k
        gone = left[take]
        lost += sum(float(cells[i][j][gone] @ table.records[gone]) for i, j in enumerate(node)) / len(levels)
        left = left[~take]
        if not len(left):
            break
    return (lost + float(table.records[left].sum())) / float(table.records.sum())


@pytest.mark.slow
@pytest.mark.parametrize(("uniform", "seed", "k"), [(False, 1, 5), (True, 2, 5), (False, 3, 3), (True, 4, 11)])
def test_files_nobody_has_seen_lose_less_than_the_plain_greedy(uniform: bool, seed: int, k: int) -> None:
    table = survey(4000, seed, uniform=uniform)
    levels = bound(table, SURVEY)
    result = recode_locally(table, levels, [K(k)])
    assert min(check(table, levels, result, SURVEY).values()) >= k
    assert result.loss_arithmetic < plain_greedy(table, levels, k)
    below = lower_bound(table, levels, k, result)
    assert below is not None
    assert below <= result.loss_arithmetic


def reference(name: str, file: str) -> tuple[KeyTable, list[Levels], tuple[Hierarchy, ...]]:
    with (SHARED / "data" / name / file).open(encoding="utf-8", newline="") as handle:
        head, *rows = csv.reader(handle, delimiter=";")
    table = from_records({key: [row[i] for row in rows] for i, key in enumerate(head)})
    hierarchies = []
    for key in head:
        with (SHARED / "data" / name / f"{name}_hierarchy_{key}.csv").open(encoding="utf-8", newline="") as handle:
            hierarchies.append(Hierarchy(key, tuple(tuple(row) for row in csv.reader(handle, delimiter=";"))))
    return table, bound(table, tuple(hierarchies)), tuple(hierarchies)


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize(
    ("name", "file", "most", "arx"),
    [("adult", "adult.csv", 0.050, 0.0591), ("fars", "fars_subset.csv", 0.0755, 0.0844)],
)
def test_real_files_lose_less_than_in_arx(name: str, file: str, most: float, arx: float) -> None:
    table, levels, hierarchies = reference(name, file)
    result = recode_locally(table, levels, [K(5)])
    assert min(check(table, levels, result, hierarchies).values()) >= 5
    assert result.suppressed == 0
    assert result.loss_arithmetic <= most < arx


@needs_shared
@pytest.mark.slow
def test_more_rounds_lose_less_and_the_bound_is_near() -> None:
    table, levels, _ = reference("adult", "adult.csv")
    few, many = (recode_locally(table, levels, [K(5)], rounds=rounds) for rounds in (1, 12))
    assert many.loss_arithmetic < few.loss_arithmetic
    below = lower_bound(table, levels, 5, many)
    assert below is not None
    assert 0.040 < below < many.loss_arithmetic


def test_fifteen_keys_are_sampled_and_done_in_time() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 6, 2000)
    tree = tuple((str(i), f"{i // 3 * 3}+2", f"{i // 9 * 9}+8", "*") for i in range(12))
    columns = {f"key{i}": [str(v) for v in (hidden + rng.integers(0, 6, 2000))] for i in range(15)}
    table = from_records(columns)
    hierarchies = tuple(Hierarchy(name, tree) for name in columns)
    levels = bound(table, hierarchies)
    result = recode_locally(table, levels, [K(3)], nodes=3000)
    assert min(check(table, levels, result, hierarchies).values()) >= 3
    assert result.loss_arithmetic < 0.6
