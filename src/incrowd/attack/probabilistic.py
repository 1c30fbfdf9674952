"""probabilistic: linkage by match weights after Fellegi and Sunter (1969), with splink: the strong intruder.

A key that agrees counts the more the rarer its value is and the more reliable the key; one that differs counts against.
How often a key agrees in true pairs (m) is taken from the truth: no training could tell the intruder more. splink sees
codes instead of values, and classes instead of records: records of one class have the same weight.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.attack.linkage import hopeless, judged, not_tried, picked, starved, unheard
from incrowd.attack.matching.best import File
from incrowd.attack.matching.targets import Field, field_of
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.keys.packing import group, pack
from incrowd.rows.engine import connect

Int64 = NDArray[np.int64]

TARGETS = 5_000  # by keyed chance
PAIRS = 5_000_000  # above, only pairs that agree in two of three groups of keys are weighed
ACTS = "weighs how well each record agrees, key by key and by how rare a value is (splink), and picks the best"


@attack("probabilistic", ACTS, measures="What k counts", needs=("splink",), on_request=True, place=30)
def probabilistic_linkage(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How often does the strong intruder point to the right record?"""
    if find_spec("splink") is None:
        absent = "splink is not installed: pip install 'incrowd[link]'"
        return [not_tried(situation, "probabilistic", ACTS, absent)]
    if nothing := starved(situation, "probabilistic", ACTS):
        return [nothing]
    field = field_of(situation, auxiliary, "probabilistic", TARGETS)
    if absent := hopeless(situation, field):
        return [not_tried(situation, "probabilistic", ACTS, absent)]
    records, people, own, why = weigh(situation, field, auxiliary.linker)
    if not records.any():
        return [not_tried(situation, "probabilistic", ACTS, "no record agrees with anybody in two groups of keys")]
    linked = picked(situation, field, records, people, own, "probabilistic")
    return [judged(situation, field, linked, "probabilistic", ACTS, why=why)]


def weigh(situation: Situation, field: Field, linker: str) -> tuple[Int64, Int64, Int64, list[str]]:
    """For each target the records with the best weight, their people, how many are the target's own, and what this
    does not show.
    """
    file, targets = field.file, field.targets
    first, place = group(pack(targets.known, [span + 1 for span in file.spans]))
    asked = [column[first] for column in targets.known]
    names = [f"k{i}" for i in range(len(asked))]
    left = pa.table({"unique_id": np.arange(len(file.records)), **_columns(names, file.labels, file)})
    right = pa.table(
        {"unique_id": np.arange(len(first)), **{n: pa.array(c) for n, c in zip(names, asked, strict=True)}}
    )
    blocked = len(file.records) * len(first) > PAIRS and len(names) > 2
    with _session(linker) as api:
        weights = _weights(api, left, right, names, field, _rules(names) if blocked else ["1=1"])
    record, target, weight = (weights[name].to_numpy() for name in ("l", "r", "w"))
    most = np.full(len(first), -np.inf)
    np.maximum.at(most, target, weight)
    best = weight > most[target] - 1e-6
    record, target = record[best], target[best]
    records = np.bincount(target, file.records[record], len(first)).astype(np.int64)
    people = np.bincount(target, file.people[record], len(first)).astype(np.int64)
    packed = np.sort(target * len(file.records) + record)
    mine = place[field.pairs[0]] * len(file.records) + field.class_of[field.pairs[1]]
    at = np.minimum(np.searchsorted(packed, mine), max(len(packed) - 1, 0))
    right_ones = field.pairs[0][packed[at] == mine] if len(packed) else field.pairs[0][:0]
    why = [f"{targets.number:,} targets, by keyed chance"] if targets.number == TARGETS else []
    if blocked:
        why.append("only records that agree in two of three groups of keys were weighed")
    if any((layer.of_label[column] > 0).any() for layer, column in zip(file.layers, file.labels, strict=True)):
        why.append("a blanked or locally recoded cell counts neither for nor against")
    if field.unheard:
        why.append(f"{unheard(field.unheard)}: they count as different, where nearest goes by the distance of numbers")
    return records[place], people[place], np.bincount(right_ones, minlength=targets.number).astype(np.int64), why


def _columns(names: list[str], labels: list[Int64], file: File) -> dict[str, pa.Array]:
    """Label codes; what is not a value of its own is missing."""
    found = {}
    for name, column, layer in zip(names, labels, file.layers, strict=True):
        found[name] = pa.array(column, mask=layer.of_label[column] > 0)
    return found


def _rules(names: list[str]) -> list[str]:
    """Agree in two of three groups of keys."""
    groups = [names[i::3] for i in range(3)]
    kept = [[name for other in groups if other is not one for name in other] for one in groups]
    return [" AND ".join(f"l.{name} = r.{name}" for name in rule) for rule in kept]


def _weights(api: Any, left: pa.Table, right: pa.Table, names: list[str], field: Field, rules: list[str]) -> pa.Table:
    """The match weight of every pair that a rule lets through: l, r, w."""
    from splink import Linker, SettingsCreator
    from splink.comparison_library import ExactMatch

    comparisons = []
    target, record = field.pairs
    frequencies = []
    for i, name in enumerate(names):
        label, known = field.labels[i], field.targets.known[i]
        span = field.file.spans[i]
        shares = np.bincount(label, minlength=span) / len(label)
        u = float(shares @ (np.bincount(known, minlength=span) / len(known)))
        layer = field.file.layers[i].of_label[label[record]]
        agrees = (label[record] == known[target])[layer == 0]
        m = float(agrees.mean()) if len(agrees) else 0.9
        m, u = min(max(m, 0.01), 0.999), min(max(u, 1e-6), 0.999)
        comparisons.append(
            ExactMatch(name).configure(
                term_frequency_adjustments=True, m_probabilities=[m, 1 - m], u_probabilities=[u, 1 - u]
            )
        )
        frequencies.append(pa.table({name: np.arange(span), f"tf_{name}": np.maximum(shares, 0.5 / len(label))}))
    settings = SettingsCreator(
        link_type="link_only", comparisons=comparisons, blocking_rules_to_generate_predictions=rules,
        probability_two_random_records_match=1 / field.released, retain_matching_columns=False,
    )  # fmt: skip
    tables = [
        api.register(_given(api, left), dataset_display_name="a"),
        api.register(_given(api, right), dataset_display_name="b"),
    ]
    linker = Linker(tables, settings, log_level=None, validate_settings=False)
    for name, table in zip(names, frequencies, strict=True):
        linker.table_management.register_term_frequency_lookup(api.register(_given(api, table)), name)
    found = linker.inference.predict(warning_mode="never").as_pyarrow_table()
    return pa.table({"l": found["unique_id_l"], "r": found["unique_id_r"], "w": found["match_weight"]})


def _given(api: Any, table: pa.Table) -> Any:
    """A table as the backend takes it."""
    return api.spark.createDataFrame(table) if hasattr(api, "spark") else table


@contextmanager
def _session(linker: str) -> Iterator[Any]:
    """splink on the engine that was asked for, silent."""
    log = logging.getLogger("splink")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        if linker == "spark":
            from splink import SparkAPI

            engine = connect("spark")
            try:
                session = engine.session  # type: ignore[attr-defined]
                # Kept in memory: the other ways write to folders that everybody may read.
                yield SparkAPI(spark_session=session, break_lineage_method="persist", register_udfs_automatically=False)
            finally:
                engine.close()
        else:
            from splink import DuckDBAPI

            yield DuckDBAPI()
    finally:
        log.setLevel(level)
