"""The requirements against what ARX, pycanon and sdcMicro compute; where a peer deviates, how."""

from __future__ import annotations

import ast
import csv
import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from shared import SHARED, needs_shared

from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctL,
    EnhancedBeta,
    EntropyL,
    K,
    RecursiveL,
    TCloseness,
    failing_any,
    parse_model,
)
from incrowd.keys.table import KeyTable, from_records

pytestmark = needs_shared
DATA = SHARED / "data"
ADULT8 = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
KEYS = {
    "adult8": ADULT8,
    "fars7": ["iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "iinjury"],
}


@cache
def columns(dataset: str) -> dict[str, list[str]]:
    file = {"adult": "adult.csv", "fars": "fars_subset.csv"}[dataset]
    with (DATA / dataset / file).open(newline="", encoding="utf-8") as stream:
        names, *rows = csv.reader(stream, delimiter=";")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@cache
def hierarchy(dataset: str, key: str) -> Hierarchy:
    with (DATA / dataset / f"{dataset}_hierarchy_{key}.csv").open(newline="", encoding="utf-8") as stream:
        return Hierarchy(key, tuple(tuple(row) for row in csv.reader(stream, delimiter=";")))


@cache
def counted(dataset: str, keys: tuple[str, ...], sensitive: str) -> KeyTable:
    data = columns(dataset)
    return from_records({key: data[key] for key in keys}, {sensitive: data[sensitive]})


# -- ARX: at the levels it found, the same records fail


def arx_cases() -> list[Any]:
    if not SHARED.exists():
        return []
    with (DATA / "arx" / "optima.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["model"].split(":")[0] not in ("", "avg", "su", "pu")]
    return [
        pytest.param(row, id=f"{row['keys']} k={row['k']} {row['model']} {row['suppression_limit']}") for row in rows
    ]


@pytest.mark.parametrize("row", arx_cases())
def test_arx_suppresses_the_records_that_fail(row: dict[str, str]) -> None:
    dataset, keys = row["keys"].rstrip("0123456789"), KEYS[row["keys"]]
    sensitive = row["model"].split(":")[1]
    fine = counted(dataset, tuple(keys), sensitive)
    requirements = [
        requirement.bind(fine)
        for requirement in (
            K(max(int(row["k"]), 1)),
            parse_model(row["model"], {sensitive: hierarchy(dataset, sensitive)}),
        )
    ]
    levels = ast.literal_eval(row["optimum"])
    recodes = {
        key: hierarchy(dataset, key).bind(domain).recodes[level]
        for key, domain, level in zip(keys, fine.domains, levels, strict=True)
    }
    coarse = fine.recode(recodes)
    failing = failing_any(coarse, requirements)
    assert int(coarse.records[failing].sum()) == int(row["suppressed"])
    assert int(np.count_nonzero(~failing)) == int(row["classes"])
    assert int(coarse.records[~failing].min()) == int(row["smallest_class"])


# -- pycanon


def pycanon_cases() -> list[Any]:
    path = DATA / "pycanon" / "adult.json"
    if not path.exists():
        return []
    cases = json.loads(path.read_text())["cases"]
    return [
        pytest.param(case["qi"], name, case["independent"]["sensitive"][name], case["pycanon"], id=f"{title} {name}")
        for title, case in cases.items()
        for name in case["independent"]["sensitive"]
        if name in columns("adult")
    ]


@pytest.mark.parametrize(("keys", "name", "independent", "pycanon"), pycanon_cases())
def test_pycanon(keys: list[str], name: str, independent: dict[str, Any], pycanon: dict[str, Any]) -> None:
    table = counted("adult", tuple(keys), name)
    theirs = pycanon[name]
    k, distinct, alpha = (model.achieved(table) for model in (K(2), DistinctL(name, 2), AlphaK(name, 0.5, 2)))
    assert (k, distinct, [alpha, k]) == (pycanon["k"], theirs["l"], theirs["alpha_k"])
    assert (distinct, alpha) == (independent["distinct_l"], independent["alpha"])
    entropy = EntropyL(name, 2).achieved(table)
    assert entropy == pytest.approx(independent["entropy_l"])
    assert theirs["entropy_l"] == int(entropy or 0)  # pycanon floors it
    equal = TCloseness(name, 0.2).achieved(table)
    assert equal == pytest.approx(independent["t_equal"])
    assert equal == pytest.approx(theirs["t"])  # both variables are texts, for which pycanon takes equal distance
    ordered = TCloseness(name, 0.2, "ordered-text").achieved(table)
    assert ordered == pytest.approx(independent["t_ordered"])
    beta = BetaLikeness(name, 1).achieved(table)
    assert beta == pytest.approx(independent["beta_basic"])
    assert beta == pytest.approx(theirs["basic_beta"])
    assert DeltaDisclosure(name, 1, skip_zeros=True).achieved(table) == pytest.approx(independent["delta"])
    assert theirs["delta"] == pytest.approx(independent["delta"])  # pycanon skips values that a class lacks
    assert DeltaDisclosure(name, 1).achieved(table) == math.inf  # the definition does not
    for number in (2, 3):
        assert RecursiveL(name, 1, number).achieved(table) == float(independent["recursive"][f"inf_c_for_l{number}"])


@pytest.mark.parametrize(("keys", "name", "independent", "pycanon"), pycanon_cases())
def test_pycanons_enhanced_beta_is_no_beta_that_holds(
    keys: list[str], name: str, independent: dict[str, Any], pycanon: dict[str, Any]
) -> None:
    """It returns min(basic beta, -ln of the rarest p); there is a class of one value, so no beta holds at all."""
    table = counted("adult", tuple(keys), name)
    bound = EnhancedBeta(name, pycanon[name]["enhanced_beta"]).bind(table)
    assert bound.reference is not None
    rarest = -math.log(bound.reference.p.min())
    assert pycanon[name]["enhanced_beta"] == pytest.approx(min(independent["beta_basic"], rarest))
    assert bound.check(table).achieved == math.inf
    assert not bound.check(table).holds


# -- sdcMicro's l-diversity, a row for each record


def sdcmicro(table_file: str, oracle_file: str) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
    with (DATA / "sdcmicro" / table_file).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    with (DATA / "sdcmicro" / "oracle" / oracle_file).open(newline="") as stream:
        oracle = list(csv.DictReader(stream))
    data = {name: [row[name] for row in rows] for name in rows[0]}
    return data, {name: [float(row[name]) for row in oracle] for name in oracle[0]}


def per_record(
    data: dict[str, list[str]], sensitive: str, values: list[str], c: float
) -> tuple[list[float], list[float], list[float]]:
    """Distinct, entropy, and the largest l for which (c,l) holds, for each record."""
    keys = ["urbrur", "roof", "walls", "water", "sex"]
    table = from_records({key: data[key] for key in keys}, {sensitive: values})
    of = {tuple(code): number for number, code in enumerate(table.codes.T.tolist())}
    code = [{v: i for i, v in enumerate(domain.values)} for domain in table.domains]
    records = [
        of[tuple(lookup[v] for lookup, v in zip(code, row, strict=True))]
        for row in zip(*(data[key] for key in keys), strict=True)
    ]
    recursive = np.zeros(len(table.records))
    for l in range(1, len(table.histograms[sensitive].domain) + 1):  # noqa: E741
        recursive[~RecursiveL(sensitive, c, l).failing(table)] = l
    distinct = DistinctL(sensitive, 1).measure(table)
    entropy = EntropyL(sensitive, 1).measure(table)
    return distinct[records].tolist(), entropy[records].tolist(), recursive[records].tolist()


@pytest.mark.parametrize(
    ("file", "sensitive", "c"),
    [
        ("03_ldiv_testdata5_electcon_c2.csv", "electcon", 2),
        ("03_ldiv_testdata5_electcon_relat_c2.csv", "electcon", 2),
        ("03_ldiv_testdata5_electcon_relat_c2.csv", "relat", 2),
        ("03_ldiv_testdata5_relat_c3.csv", "relat", 3),
    ],
)
def test_sdcmicro(file: str, sensitive: str, c: float) -> None:
    data, oracle = sdcmicro("testdata.csv", file)
    distinct, entropy, recursive = per_record(data, sensitive, data[sensitive], c)
    assert distinct == oracle[f"{sensitive}_Distinct_Ldiversity"]
    assert entropy == pytest.approx(oracle[f"{sensitive}_Entropy_Ldiversity"])
    assert recursive == oracle[f"{sensitive}_Recursive_Ldiversity"]


def test_sdcmicro_counts_every_missing_value_as_a_value_of_its_own() -> None:
    """So a class in which nobody's value is known looks diverse. To us missing is one value."""
    data, oracle = sdcmicro("oracle/02_input_testdata_w2_NA.csv", "03_ldiv_testdata5NA_relat_c2.csv")
    relat = data["relat"]
    assert sum(value in ("", "NA") for value in relat) == 60
    each = [f"missing {i}" if value in ("", "NA") else value for i, value in enumerate(relat)]
    distinct, entropy, recursive = per_record(data, "relat", each, 2)
    assert distinct == oracle["relat_Distinct_Ldiversity"]
    assert entropy == pytest.approx(oracle["relat_Entropy_Ldiversity"])
    assert recursive == oracle["relat_Recursive_Ldiversity"]
    ours, _, _ = per_record(data, "relat", relat, 2)
    assert all(a <= b for a, b in zip(ours, oracle["relat_Distinct_Ldiversity"], strict=True))
    assert ours != oracle["relat_Distinct_Ldiversity"]
