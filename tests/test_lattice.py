"""The search over the lattice against brute force, and what it says when it cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.lattice import Search, measure_levels, search
from incrowd.keys.objective import Objective
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
)
from incrowd.keys.table import KeyTable, from_records
from oracle_lattice import scores

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
        st.integers(1, 3).map(lambda l: DistinctL("s", l)),
        st.sampled_from([1.2, 1.8, 2.5]).map(lambda l: EntropyL("s", l)),
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
@settings(max_examples=60)
def test_k_equals_brute_force(
    problem: tuple[KeyTable, list[Levels]], objective: str, k: int, suppression: float
) -> None:
    check(problem, [K(k)], suppression, objective)


@given(problem=problems(), requirements=requirement_sets, suppression=limits, objective=st.sampled_from(list(Objective)))
@settings(max_examples=250)
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
@settings(max_examples=60)
def test_weights_equal_brute_force(
    problem: tuple[KeyTable, list[Levels]], k: int, suppression: float, objective: str, data: st.DataObject
) -> None:
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in problem[0].names}
    check(problem, [K(k)], suppression, objective, weights)


@given(problem=problems(most_keys=3), k=st.integers(2, 4), suppression=limits, objective=st.sampled_from(list(Objective)), data=st.data())
@settings(max_examples=60)
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
