"""ARX's proven optima on adult and fars: the same loss, and the same levels unless the loss ties."""

from __future__ import annotations

import csv
import json
import math
from functools import cache

import pytest
from shared import SHARED, needs_shared

from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.requirements import K, Requirement, parse_model
from incrowd.keys.search.lattice import measure_levels, search
from incrowd.keys.table import KeyTable, from_records

DATA = SHARED / "data"
ADULT8 = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
KEYS = {
    "adult8": ADULT8,
    "adult9": [*ADULT8[:-1], "occupation", "salary-class"],
    "fars7": ["iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "iinjury"],
}
OBJECTIVES = {
    "loss": "geometric",
    "dm": "discernibility",
    "aecs": "class_size",
    "nue": "entropy",
    "nuemono": "entropy",
    "prec": "precision",
}


def optima() -> list[dict[str, str]]:
    path = DATA / "arx" / "optima.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ours(row: dict[str, str]) -> bool:
    """Rows whose model and metric we have: file-level risks are not requirements on classes, and ARX scores
    suppressed records in its own way in non-uniform entropy."""
    if row["model"].startswith(("avg", "pu")):
        return False
    return not (row["metric"] == "nue" and float(row["suppression_limit"]) > 0)


def name_of(row: dict[str, str]) -> str:
    return "-".join([row["keys"], f"k{row['k']}", row["suppression_limit"], row["model"] or "k", row["metric"]])


def is_slow(row: dict[str, str]) -> bool:
    """Models that neither prune nor let the bound stop early: most of the lattice is counted."""
    return float(row["suppression_limit"]) > 0 and row["model"].split(":")[0] in ("te", "th", "bl", "ebl", "dd")


def hierarchy(folder: str, name: str) -> Hierarchy:
    with (DATA / folder / f"{folder}_hierarchy_{name}.csv").open(encoding="utf-8") as file:
        return Hierarchy(name, tuple(tuple(row) for row in csv.reader(file, delimiter=";")))


@cache
def problem(keys: str, sensitive: str | None) -> tuple[KeyTable, list[Levels]]:
    folder = keys[:-1]
    with (DATA / folder / {"adult": "adult.csv", "fars": "fars_subset.csv"}[folder]).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    columns = {key: [row[key] for row in rows] for key in KEYS[keys]}
    table = from_records(columns, {sensitive: [row[sensitive] for row in rows]} if sensitive else None)
    return table, [hierarchy(folder, domain.name).bind(domain) for domain in table.domains]


def requirements(row: dict[str, str]) -> tuple[list[Requirement], str | None]:
    if row["model"].startswith("su:"):
        assert float(row["model"][3:]) == 0  # no sample uniques at all: every class has at least two
        return [K(2)], None
    found: list[Requirement] = [K(int(row["k"]))] if int(row["k"]) else []
    if not row["model"]:
        return found, None
    sensitive = row["model"].split(":")[1]
    return [*found, parse_model(row["model"], {sensitive: hierarchy(row["keys"][:-1], sensitive)})], sensitive


@needs_shared
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if is_slow(row) else [])
        for row in optima()
        if ours(row)
    ],
)
def test_arx_optimum(row: dict[str, str]) -> None:
    asked, sensitive = requirements(row)
    table, levels = problem(row["keys"], sensitive)
    options = {"suppression": float(row["suppression_limit"]), "objective": OBJECTIVES[row["metric"]]}
    found = search(table, levels, asked, **options)
    assert found.proven
    assert found.nodes == int(row["nodes"])
    assert math.isclose(found.score, float(row["score"]), rel_tol=1e-6, abs_tol=1e-6)
    theirs = dict(zip(table.names, json.loads(row["optimum"]), strict=True))
    if found.levels != theirs:
        tie = measure_levels(table, levels, asked, theirs, **options)
        assert math.isclose(tie.score, found.score, rel_tol=1e-12)
        return
    assert found.suppressed == int(row["suppressed"])
    assert found.classes == int(row["classes"])
    assert math.isclose(found.loss_arithmetic, float(row["loss_arithmetic"]), rel_tol=1e-9)
    assert math.isclose(found.loss_geometric, float(row["loss_geometric"]), rel_tol=1e-9)


@needs_shared
def test_enough_rows_are_ours() -> None:
    assert sum(map(ours, optima())) >= 53
