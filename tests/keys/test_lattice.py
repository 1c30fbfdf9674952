"""The search over the lattice against brute force, and what it says when it cannot."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_lattice import scores

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.loss import cell_losses, geometric, key_losses
from incrowd.keys.packing import pack
from incrowd.keys.requirements import (
    BetaLikeness,
    DistinctL,
    EntropyL,
    K,
    KMap,
    OneSided,
    Requirement,
    TCloseness,
    WeakK,
    failing_any,
)
from incrowd.keys.search import anytime, lattice
from incrowd.keys.search.frontier import frontier_k, frontier_suppression
from incrowd.keys.search.lattice import measure_levels, search
from incrowd.keys.search.objective import Objective
from incrowd.keys.search.walk import Progress
from incrowd.keys.table import KeyTable, from_records

SENSITIVE = ["u", "v", "w"]


@st.composite
def hierarchy_rows(draw: st.DrawFn, leaves: int) -> tuple[tuple[str, ...], ...]:
    """A nested hierarchy over the leaves 0, 1, ...: each level merges values of the one below, at random."""
    rows = [[str(i)] for i in range(leaves)]
    for level in range(draw(st.integers(0, 3))):
        names = sorted({row[-1] for row in rows})
        groups = {name: f"L{level}-{draw(st.integers(0, max(len(names) // 2, 0)))}" for name in names}
        for row in rows:
            row.append(groups[row[-1]])
    if draw(st.booleans()):
        for row in rows:
            row.append("*")
    return tuple(tuple(row) for row in rows)


@st.composite
def problems(draw: st.DrawFn, most_keys: int = 4) -> tuple[KeyTable, list[Levels]]:
    """A small table with missing values, and hierarchies that have more leaves than occur."""
    keys, rows = draw(st.integers(1, most_keys)), draw(st.integers(1, 40))
    columns, hierarchies = {}, []
    for i in range(keys):
        leaves = draw(st.integers(1, 6))
        value = st.integers(0, leaves - 1).map(str)
        if draw(st.integers(0, 5)) == 0:
            value = st.one_of(st.none(), value)
        columns[f"k{i}"] = draw(st.lists(value, min_size=rows, max_size=rows))
        hierarchies.append(Hierarchy(f"k{i}", draw(hierarchy_rows(leaves))))
    sensitive = ["u", *draw(st.lists(st.sampled_from(SENSITIVE), min_size=rows - 1, max_size=rows - 1))]
    table = from_records(columns, {"s": sensitive})
    return table, [h.bind(d) for h, d in zip(hierarchies, table.domains, strict=True)]


requirement_sets = st.lists(
    st.one_of(
        st.integers(1, 5).map(K),
        st.integers(1, 3).map(lambda least: DistinctL("s", least)),
        st.sampled_from([1.2, 1.8, 2.5]).map(lambda least: EntropyL("s", least)),
        st.sampled_from([0.1, 0.3, 0.6]).map(lambda t: TCloseness("s", t)),
        st.sampled_from([0.5, 2.0]).map(lambda b: BetaLikeness("s", b)),
        st.sampled_from([0.5, 1.0]).map(lambda a: OneSided("s", "u", a)),
    ),
    min_size=1,
    max_size=3,
)
limits = st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0])


def check(
    problem: tuple[KeyTable, list[Levels]],
    requirements: list[Requirement],
    suppression: float,
    objective: str,
    weights: dict[str, float] | None = None,
) -> None:
    table, levels = problem
    truth = scores(table, levels, requirements, suppression, objective, weights)
    if not truth:
        with pytest.raises(NotReleasable) as error:
            search(table, levels, requirements, suppression=suppression, objective=objective, weights=weights)
        assert error.value.code == "R010"
        return
    found = search(table, levels, requirements, suppression=suppression, objective=objective, weights=weights)
    node = tuple(found.levels.values())
    best = min(score for score, _ in truth.values())
    assert found.proven
    assert math.isclose(found.score, best, rel_tol=1e-9, abs_tol=1e-12)
    assert math.isclose(truth[node][0], best, rel_tol=1e-9, abs_tol=1e-12)
    assert truth[node][1] == found.suppressed
    assert found.nodes == math.prod(key.height + 1 for key in levels)


@pytest.mark.parametrize("objective", list(Objective))
@given(problem=problems(), k=st.integers(1, 6), suppression=limits)
@settings(max_examples=examples(40))
def test_k_equals_brute_force(
    problem: tuple[KeyTable, list[Levels]], objective: str, k: int, suppression: float
) -> None:
    check(problem, [K(k)], suppression, objective)


@given(
    problem=problems(), requirements=requirement_sets, suppression=limits, objective=st.sampled_from(list(Objective))
)
@settings(max_examples=examples(150))
def test_all_models_equal_brute_force(
    problem: tuple[KeyTable, list[Levels]], requirements: list[Requirement], suppression: float, objective: str
) -> None:
    check(problem, requirements, suppression, objective)


@given(
    problem=problems(most_keys=3),
    k=st.integers(1, 4),
    suppression=limits,
    objective=st.sampled_from(["arithmetic", "geometric", "entropy", "precision"]),
    data=st.data(),
)
@settings(max_examples=examples(40))
def test_weights_equal_brute_force(
    problem: tuple[KeyTable, list[Levels]], k: int, suppression: float, objective: str, data: st.DataObject
) -> None:
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in problem[0].names}
    check(problem, [K(k)], suppression, objective, weights)


@given(
    problem=problems(most_keys=3),
    k=st.integers(2, 4),
    suppression=limits,
    objective=st.sampled_from(list(Objective)),
    data=st.data(),
)
@settings(max_examples=examples(40))
def test_people_with_several_records_equal_brute_force(
    problem: tuple[KeyTable, list[Levels]], k: int, suppression: float, objective: str, data: st.DataObject
) -> None:
    table, levels = problem
    columns = {name: [] for name in table.names}
    for j, number in enumerate(table.records.tolist()):
        for name, domain, code in zip(table.names, table.domains, table.codes[:, j].tolist(), strict=True):
            columns[name] += [domain.values[code]] * number
    rows = int(table.records.sum())
    unit = data.draw(st.lists(st.integers(0, rows // 2).map(str), min_size=rows, max_size=rows))
    check((from_records(columns, unit=unit), levels), [K(k)], suppression, objective)


@given(problem=problems(most_keys=3), k=st.integers(2, 4), suppression=limits)
@settings(max_examples=examples(40))
def test_what_is_known_of_a_population_equals_brute_force(
    problem: tuple[KeyTable, list[Levels]], k: int, suppression: float
) -> None:
    table, levels = problem
    known = replace(table, population=table.records + np.arange(len(table.records)) % 3)
    check((known, levels), [KMap(k)], suppression, "geometric")


def made(rows: int, seed: int) -> tuple[KeyTable, list[Levels]]:
    """A table of the size at which roots are raised, tables shared and blocks left early; some keys are skewed."""
    rng = np.random.default_rng(seed)
    columns, levels = {}, []
    for i, leaves in enumerate([24, 9, 6, 4, 2]):
        share = rng.dirichlet(np.full(leaves, 0.6))
        columns[f"k{i}"] = [f"{value:02d}" for value in rng.choice(leaves, rows, p=share)]
    table = from_records(columns)
    for domain, leaves in zip(table.domains, [24, 9, 6, 4, 2], strict=True):
        rows_ = [(f"{v:02d}", f"a{v % 8}", f"b{v % 4}", f"c{v % 2}", "*") for v in range(leaves)]
        levels.append(Hierarchy(domain.name, tuple(row if leaves > 4 else (row[0], "*") for row in rows_)).bind(domain))
    return table, levels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suppression", [0.0, 0.02, 0.1])
def test_larger_tables_equal_counting_every_node(seed: int, suppression: float) -> None:
    table, levels = made(3000, seed)
    total = int(table.records.sum())
    matrices = [cell_losses(key) for key in levels]
    best = math.inf
    for node in product(*[range(key.height + 1) for key in levels]):
        packed = pack([k.recodes[v].codes[c] for k, v, c in zip(levels, node, table.codes, strict=True)], [24] * 5)
        _, to = np.unique(packed, return_inverse=True)
        kept = np.bincount(to, weights=table.records)[to] >= 4
        if table.records[~kept].sum() <= suppression * total:
            best = min(best, float(geometric(key_losses(table, matrices, node, kept))))
    found = search(table, levels, [K(4)], suppression=suppression)
    assert found.proven
    assert math.isclose(found.score, best, rel_tol=1e-12)
    assert math.isclose(found.loss_geometric, best, rel_tol=1e-12)
    assert found.counted < found.nodes / 2


def test_many_wide_keys_take_several_words() -> None:
    rng = np.random.default_rng(3)
    columns = {f"k{i}": [str(value) for value in rng.integers(0, 200, 60)] for i in range(10)}  # 80 bits
    table = from_records(columns)
    levels = [Hierarchy(d.name, tuple((str(v), "*") for v in range(200))).bind(d) for d in table.domains]
    found = search(table, levels, [K(3), K(2)], suppression=0.1)
    assert found.proven
    kept = measure_levels(table, levels, [K(3)], found.levels, suppression=0.1)
    assert kept.score == found.score


def test_own_keys_hold_after_suppression_and_nothing_is_called_proven() -> None:
    table, levels = made(400, 1)
    asked = [K(3), WeakK(8, keys=("k0", "k1"))]
    found = search(table, levels, asked, suppression=0.3)
    assert not found.proven
    recoded = table.recode({k.domain.name: k.recodes[found.levels[k.domain.name]] for k in levels})
    while (failing := failing_any(recoded, asked)).any():
        recoded = recoded.suppress(failing)
    assert int(table.records.sum() - recoded.records.sum()) == found.suppressed


def test_what_cannot_be_satisfied_says_which_requirement_and_by_how_much() -> None:
    table = from_records({"a": ["x", "y", "y"]}, {"s": ["u", "u", "u"]})
    levels = [Hierarchy("a", (("x", "*"), ("y", "*"))).bind(table.domains[0])]
    with pytest.raises(NotReleasable) as error:
        search(table, levels, [K(2), DistinctL("s", 2)], suppression=0.5)
    assert error.value.code == "R010"
    assert "2 different values of s" in error.value.message
    assert "reaches 1" in error.value.message
    assert "100.0% of the records" in error.value.message
    assert "at least 2 people" not in error.value.message


def test_a_hierarchy_that_is_not_nested_is_refused() -> None:
    table = from_records({"a": ["x", "y", "z"]})
    levels = [Hierarchy("a", (("x", "p", "1"), ("y", "p", "2"), ("z", "q", "2"))).bind(table.domains[0])]
    with pytest.raises(InputError) as error:
        search(table, levels, [K(2)])
    assert error.value.code == "D031"


def test_a_search_without_time_gives_a_bound_below_the_optimum_and_claims_nothing() -> None:
    table, levels = made(2000, 5)
    optimum = search(table, levels, [K(5)], suppression=0.05).score
    seen: list[Progress] = []
    found = search(table, levels, [K(5)], suppression=0.05, time_limit=0.0, progress=seen.append)
    assert not found.proven
    assert found.bound <= optimum <= found.score
    assert found.gap == found.score - found.bound
    assert seen


@pytest.mark.parametrize("objective", ["arithmetic", "geometric", "entropy", "precision", "discernibility"])
def test_a_lattice_too_large_to_list_gets_a_valid_bound_and_a_valid_node(
    monkeypatch: pytest.MonkeyPatch, objective: str
) -> None:
    table, levels = made(1500, 6)
    weights = {"k0": 2.0, "k3": 0.5}
    options: dict[str, Any] = {"suppression": 0.05, "objective": objective, "weights": weights}
    optimum = search(table, levels, [K(4)], **options).score
    monkeypatch.setattr(lattice, "EXPLICIT", 20)  # only single keys are small enough now
    monkeypatch.setattr(anytime, "GROUP", 20)
    found = search(table, levels, [K(4)], **options)
    assert found.bound <= optimum * (1 + 1e-12)
    assert optimum <= found.score * (1 + 1e-12)
    assert found.bound > 0 or objective == "discernibility"
    assert found.proven == (found.bound >= found.score)
    assert measure_levels(table, levels, [K(4)], found.levels, **options).score == found.score


def test_frontiers_rise_with_k_and_fall_with_suppression() -> None:
    table, levels = made(800, 2)
    by_k = frontier_k(table, levels, [K(99)], [2, 5, 20, 10_000], suppression=0.05)
    assert [point.value for point in by_k] == [2, 5, 20, 10_000]
    assert by_k[-1].found is None
    losses = [point.found.score for point in by_k[:-1] if point.found]
    assert losses == sorted(losses)
    assert len(losses) == 3
    by_share = frontier_suppression(table, levels, [K(5)], [0.0, 0.02, 0.1])
    falling = [point.found.score for point in by_share if point.found]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1]
