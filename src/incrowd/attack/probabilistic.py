"""probabilistic: linkage by match weights after Fellegi and Sunter (1969), with splink: the strong intruder.

A key that agrees counts the more the rarer its value is and the more reliable the key; one that differs counts against.
Numbers and dates that were moved count by how near they come (`matching/distances.py`). How often a key agrees in true
pairs (m), and how far numbers were moved, is taken from the truth: no training could tell the intruder more. splink
sees codes instead of values, and classes instead of records: records of one class have the same weight.
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
from incrowd.attack.matching.distances import Levels, levels_of
from incrowd.attack.matching.targets import Field, field_of
from incrowd.attack.registry import ASSUMES, attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.attack.words import list_keys
from incrowd.errors import InputError
from incrowd.keys.packing import group, pack
from incrowd.rows.engine import connect

Int64 = NDArray[np.int64]

TARGETS = 5_000  # by keyed chance
PAIRS = 5_000_000  # above, only pairs that agree in two of three groups of keys are weighed
ACTS = "weighs how well each record agrees, key by key, by how rare a value is and how near a number or date comes \
(splink), and picks the best"


@attack(
    "probabilistic", ACTS, residual="What k counts", needs=("splink",), on_request=True, place=30,
    remedies=("larger_classes",),
    assumes=f"{ASSUMES} How reliable each key is, and how far numbers were moved, is known from the truth.",
)  # fmt: skip
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
    records, people, own, why = weigh(situation, field, auxiliary)
    if not records.any():
        return [not_tried(situation, "probabilistic", ACTS, "no record agrees with anybody in two groups of keys")]
    linked = picked(situation, field, records, people, own, "probabilistic")
    return [judged(situation, field, linked, "probabilistic", ACTS, why=why)]


def weigh(situation: Situation, field: Field, auxiliary: Auxiliary) -> tuple[Int64, Int64, Int64, list[str]]:
    """For each target the records with the best weight, their people, how many are the target's own, and what this
    does not show.
    """
    file, targets = field.file, field.targets
    first, place = group(pack(targets.known, [span + 1 for span in file.spans]))
    asked = [column[first] for column in targets.known]
    names = [f"k{i}" for i in range(len(asked))]
    levels = {i: found for i in range(len(names)) if (found := levels_of(situation, auxiliary, field, i))}
    left = {"unique_id": np.arange(len(file.records)), **_columns(names, file.labels, file)}
    right = {"unique_id": np.arange(len(first)), **{n: pa.array(c) for n, c in zip(names, asked, strict=True)}}
    for i, level in levels.items():
        left |= _numbers(i, level, file.labels[i])
        right |= _numbers(i, level, asked[i])
    blocked = len(file.records) * len(first) > PAIRS and (len(names) > 2 or bool(levels))
    # A label made class by class is equal to nothing: where other keys are enough, pairs are looked for by those.
    firm = [i for i, layer in enumerate(file.layers) if len(layer.labels) == 1]
    by = firm if len(firm) > 2 else list(range(len(names)))
    rules = _rules(by, levels) if blocked else ["1=1"]
    with _session(auxiliary.linker) as api:
        weights = _weights(api, pa.table(left), pa.table(right), names, field, levels, rules)
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
    why: list[str] = []
    if blocked:
        which = "keys" if len(by) == len(names) else f"keys ({list_keys([situation.scenario.keys[i] for i in by])})"
        groups = f"two of three groups of {which}" if len(by) > 2 else "one of the keys"
        why.append(f"only records that agree in {groups} were weighed")
    if levels:
        moved = list_keys([situation.scenario.keys[i] for i in levels])
        why.append(f"numbers or dates were changed ({moved}): they count by how near they come")
    if any((layer.of_label[column] > 0).any() for layer, column in zip(file.layers, file.labels, strict=True)):
        why.append("a blanked or locally recoded cell counts neither for nor against")
    near = [situation.scenario.keys[i] for i in levels]
    if strange := {name: share for name, share in field.unheard.items() if name not in near}:
        why.append(f"{unheard(strange)}: they count as different")
    return records[place], people[place], np.bincount(right_ones, minlength=targets.number).astype(np.int64), why


def _columns(names: list[str], labels: list[Int64], file: File) -> dict[str, pa.Array]:
    """Label codes; what is not a value of its own is missing."""
    found = {}
    for name, column, layer in zip(names, labels, file.layers, strict=True):
        found[name] = pa.array(column, mask=layer.of_label[column] > 0)
    return found


def _numbers(key: int, level: Levels, codes: Int64) -> dict[str, pa.Array]:
    """The numbers behind the codes of a key, and two ways to cut them so that near ones are together in one of them."""
    points = level.points[codes]
    none = np.isnan(points)
    places = np.where(none, 0.0, points) / (2 * level.farthest)
    cut = {f"a{key}": np.floor(places), f"b{key}": np.floor(places + 0.5)}
    return {
        f"n{key}": pa.array(np.where(none, 0.0, points), mask=none),
        **{name: pa.array(where.astype(np.int64), mask=none) for name, where in cut.items()},
    }


def _rules(keys: list[int], levels: dict[int, Levels]) -> list[str]:
    """Agree in two of three groups of keys (with two keys: in one); a number that was moved, by coming near."""
    if len(keys) > 2:
        groups = [keys[i::3] for i in range(3)]
        kept = [[key for other in groups if other is not one for key in other] for one in groups]
    else:
        kept = [[key] for key in keys]
    found = []
    for rule in kept:
        equal = [f"l.k{key} = r.k{key}" for key in rule if key not in levels]
        near = [f"abs(l.n{key} - r.n{key}) <= {levels[key].farthest!r}" for key in rule if key in levels]
        if equal:
            found.append(" AND ".join([*equal, *near]))
        else:  # an engine joins by what is equal
            found += [" AND ".join([f"l.{cut}{rule[0]} = r.{cut}{rule[0]}", *near]) for cut in "ab"]
    return found


def _weights(
    api: Any, left: pa.Table, right: pa.Table, names: list[str], field: Field, levels: dict[int, Levels],
    rules: list[str],
) -> pa.Table:  # fmt: skip
    """The match weight of every pair that a rule lets through: l, r, w."""
    from splink import Linker, SettingsCreator

    comparisons, frequencies = [], []
    for i, name in enumerate(names):
        label, span = field.labels[i], field.file.spans[i]
        shares = np.bincount(label, minlength=span) / len(label)
        comparisons.append(_by_distance(i, levels[i]) if i in levels else _by_value(name, field, i, shares))
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
    for i, (name, table) in enumerate(zip(names, frequencies, strict=True)):
        if i in levels:
            continue
        linker.table_management.register_term_frequency_lookup(api.register(_given(api, table)), name)
    found = linker.inference.predict(warning_mode="never").as_pyarrow_table()
    return pa.table({"l": found["unique_id_l"], "r": found["unique_id_r"], "w": found["match_weight"]})


def _by_value(name: str, field: Field, key: int, shares: NDArray[np.float64]) -> Any:
    """Equal or not; an equal value counts the more the rarer it is."""
    from splink.comparison_library import ExactMatch

    target, record = field.pairs
    label, known = field.labels[key], field.targets.known[key]
    u = float(shares @ (np.bincount(known, minlength=len(shares)) / len(known)))
    layer = field.file.layers[key].of_label[label[record]]
    agrees = (label[record] == known[target])[layer == 0]
    m = float(agrees.mean()) if len(agrees) else 0.9
    m, u = min(max(m, 0.01), 0.999), min(max(u, 1e-6), 0.999)
    return ExactMatch(name).configure(
        term_frequency_adjustments=True, m_probabilities=[m, 1 - m], u_probabilities=[u, 1 - u]
    )


def _by_distance(key: int, levels: Levels) -> Any:
    """Equal, near, further and so on, else."""
    from splink import comparison_level_library as library
    from splink.comparison_library import CustomComparison

    name = f"n{key}"
    made: list[Any] = [library.NullLevel(name)]
    steps = [
        library.CustomLevel(f"abs({name}_l - {name}_r) <= {end!r}", f"within {place}")
        for place, end in enumerate((0.0, *levels.ends))
    ]
    for step, m, u in zip([*steps, library.ElseLevel()], levels.m, levels.u, strict=True):
        made.append(step.configure(m_probability=m, u_probability=u))
    return CustomComparison(made, output_column_name=name)


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
        elif linker == "duckdb":
            from splink import DuckDBAPI

            yield DuckDBAPI()
        else:
            raise InputError("D199", f"{linker!r} is no engine for probabilistic linkage.")
    finally:
        log.setLevel(level)
