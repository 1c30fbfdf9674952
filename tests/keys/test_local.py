from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from local_cases import AGE, HIERARCHIES, SURVEY, TOWN, bound, check, survey

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.local import lower_bound, recode_locally
from incrowd.keys.requirements import (
    AlphaK,
    DistinctL,
    EntropyL,
    K,
    KMap,
    OneSided,
    Requirement,
    TCloseness,
)
from incrowd.keys.table import KeyTable, from_records


def files(smallest: int = 1) -> st.SearchStrategy[list[tuple[str | None, ...]]]:
    row = st.tuples(
        st.sampled_from([leaf[0] for leaf in AGE[:14]]),
        st.one_of(st.none(), st.sampled_from([leaf[0] for leaf in TOWN])),
        st.sampled_from("fm"),
        st.sampled_from("xyz"),
    )
    return st.lists(row, min_size=smallest, max_size=70)


def counted(rows: list[tuple[str | None, ...]]) -> KeyTable:
    keys = {name: [row[i] for row in rows] for i, name in enumerate(("age", "town", "sex"))}
    return from_records(keys, {"illness": [row[3] for row in rows]})


@given(files(), st.integers(1, 6))
def test_every_class_has_k_records_and_every_value_is_true(rows: list[tuple[str | None, ...]], k: int) -> None:
    table = counted(rows)
    levels = bound(table)
    if len(rows) < k:
        with pytest.raises(NotReleasable, match="R012"):
            recode_locally(table, levels, [K(k)])
        return
    result = recode_locally(table, levels, [K(k)])
    assert min(check(table, levels, result, HIERARCHIES).values()) >= k
    assert result.suppressed == 0
    if k == 1:
        assert result.loss_arithmetic == 0


REQUIREMENTS: list[list[Requirement]] = [
    [DistinctL("illness", 2)],
    [K(3), DistinctL("illness", 3)],
    [K(2), EntropyL("illness", 1.7)],
    [K(2), OneSided("illness", "x")],
    [AlphaK("illness", 0.7, 3)],
    [K(2), TCloseness("illness", 0.3)],
    [K(4), K(6, keys=("age", "sex"))],
]


@settings(max_examples=examples(60))
@given(files(4), st.sampled_from(REQUIREMENTS))
def test_other_requirements_hold_in_the_recount(rows: list[tuple[str | None, ...]], asked: list[Requirement]) -> None:
    table = counted(rows)
    levels = bound(table)
    whole = from_records({"all": ["*"] * len(rows)}, {"illness": [row[3] for row in rows]})
    try:
        fits = [one.bind(table) for one in asked]
    except InputError:
        return  # a one-sided value that nobody has
    try:
        result = recode_locally(table, levels, asked)
    except NotReleasable:
        # Only where even one class of everybody fails: all of these requirements survive merging.
        ok = [not type(one)(**{**one.__dict__, "keys": None}).failing(whole).any() for one in fits]
        assert not all(ok)
        return
    check(table, levels, result, HIERARCHIES)
    texts = result.values(levels)
    illness = [row[3] for row in rows]
    where = dict(zip(result.base.tolist(), result.to.tolist(), strict=True))
    number = {
        tuple(domain.values[code] for domain, code in zip(table.domains, codes, strict=True)): i
        for i, codes in enumerate(table.codes.T.tolist())
    }
    if any(one.sensitive_name for one in asked):
        assert len(where) == len(result.base)  # no base class is divided
        released = [texts[where[number[row[:3]]]] for row in rows]
        recount = from_records(
            {name: [row[i] for row in released] for i, name in enumerate(table.names)}, {"illness": illness}
        )
        for one in fits:
            assert not one.failing(recount).any()


@pytest.mark.slow
@given(files(4), st.integers(2, 4))
def test_the_bound_is_below_the_loss(rows: list[tuple[str | None, ...]], k: int) -> None:
    table = counted(rows)
    levels = bound(table)
    result = recode_locally(table, levels, [K(k)])
    below = lower_bound(table, levels, k, result)
    assert below is not None
    assert 0 <= below <= result.loss_arithmetic + 1e-12


def partitions(items: list[int], k: int) -> list[list[list[int]]]:
    """All ways to put things into groups of at least k."""
    if not items:
        return [[]]
    ways = []
    for mask in product((0, 1), repeat=len(items) - 1):
        mine = [items[0], *(x for x, bit in zip(items[1:], mask, strict=True) if bit)]
        if len(mine) >= k:
            rest = [x for x, bit in zip(items[1:], mask, strict=True) if not bit]
            ways += [[mine, *others] for others in partitions(rest, k)]
    return ways


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.sampled_from("abdi"), st.sampled_from("fm")), min_size=4, max_size=8))
def test_the_optimum_of_all_partitions_lies_between_bound_and_loss(rows: list[tuple[str, str]]) -> None:
    hierarchies = HIERARCHIES[1:]
    table = from_records({"town": [row[0] for row in rows], "sex": [row[1] for row in rows]})
    levels = bound(table, hierarchies)

    def cost(group: list[int]) -> float:
        total = 0.0
        for i, hierarchy in enumerate(hierarchies):
            paths = [next(row for row in hierarchy.rows if row[0] == rows[x][i]) for x in group]
            level = next(j for j in range(hierarchy.height + 1) if len({path[j] for path in paths}) == 1)
            leaves = sum(row[level] == paths[0][level] for row in hierarchy.rows)
            total += (leaves - 1) / (len(hierarchy.rows) - 1) / len(hierarchies)
        return total * len(group)

    best = min(sum(map(cost, way)) for way in partitions(list(range(len(rows))), 2)) / len(rows)
    result = recode_locally(table, levels, [K(2)], rounds=8)
    below = lower_bound(table, levels, 2, result)
    assert below is not None
    assert below - 1e-12 <= best <= result.loss_arithmetic + 1e-12


def test_a_stray_gathers_a_class_from_donors() -> None:
    # One b of four keeps the stray company; the two d and the other b lose nothing: (1/4 + 1)/2 for two of seven.
    rows = [("a", "m")] + [("b", "f")] * 4 + [("d", "f")] * 2
    table = from_records({"town": [row[0] for row in rows], "sex": [row[1] for row in rows]})
    levels = bound(table, HIERARCHIES[1:])
    result = recode_locally(table, levels, [K(2)])
    assert result.loss_arithmetic == pytest.approx((1 / 4 + 1) / 2 * 2 / 7)
    assert sorted(check(table, levels, result, HIERARCHIES[1:]).values()) == [2, 2, 3]


def test_same_input_same_output() -> None:
    table = survey(600, 7)
    levels = bound(table, SURVEY)
    one, two = (recode_locally(table, levels, [K(4)]) for _ in range(2))
    assert np.array_equal(one.to, two.to)
    assert np.array_equal(one.levels, two.levels)
    assert np.array_equal(one.records, two.records)


def test_several_records_a_person_and_populations_are_refused() -> None:
    table = from_records({"sex": ["f", "m"]}, unit=["a", "a"])
    with pytest.raises(InputError, match="D048"):
        recode_locally(table, bound(table, HIERARCHIES[2:]), [K(1)])
    table = from_records({"sex": ["f", "m"]})
    with pytest.raises(InputError, match="D049"):
        recode_locally(table, bound(table, HIERARCHIES[2:]), [KMap(2)])


def test_a_hierarchy_that_is_not_nested_is_refused() -> None:
    crossed = Hierarchy("sex", (("f", "a", "1"), ("m", "a", "2"), ("x", "b", "2")))
    table = from_records({"sex": ["f", "m", "x"]})
    with pytest.raises(InputError, match="D052"):
        recode_locally(table, bound(table, (crossed,)), [K(1)])


def test_without_one_top_what_cannot_be_placed_is_suppressed_or_refused() -> None:
    topless = Hierarchy("sex", (("f", "*"), ("m", "men")))
    table = from_records({"sex": ["f"] * 5 + ["m"]})
    levels = bound(table, (topless,))
    with pytest.raises(NotReleasable, match="1 of 6 records"):
        recode_locally(table, levels, [K(3)])
    result = recode_locally(table, levels, [K(3)], suppression=0.2)
    assert (result.suppressed, result.classes) == (1, 1)
    check(table, levels, result, (topless,))


@pytest.mark.parametrize("asked", [[K(3)], [K(3), DistinctL("ill", 2)]], ids=["k", "k and l"])
def test_who_is_left_over_joins_a_class_of_their_like_where_a_key_has_no_top(asked: list[Requirement]) -> None:
    """Sexes must not be mixed, and a few rare jobs of both are left over: each goes to a class of its own sex."""
    plain = Hierarchy("sex", (("f",), ("m",)))
    jobs = Hierarchy("job", tuple((f"j{i}", "*") for i in range(8)))
    rare = [(sex, f"j{i}") for i in range(2, 8) for sex in ("f", "m")[: 1 + i % 2]]
    rows = [(sex, f"j{i}") for sex in "fm" for i in (0, 1) for _ in range(20)] + rare
    table = from_records(
        {"sex": [row[0] for row in rows], "job": [row[1] for row in rows]},
        {"ill": ["yn"[i % 2] for i in range(len(rows))]},
    )
    levels = bound(table, (plain, jobs))
    result = recode_locally(table, levels, asked)
    assert result.suppressed == 0
    assert min(check(table, levels, result, (plain, jobs)).values()) >= 3


def test_equal_texts_on_two_levels_are_one_class() -> None:
    named = Hierarchy("town", (("a", "a", "*"), ("b", "a", "*"), ("c", "c", "*")))
    table = from_records({"town": ["a", "a", "b", "b", "c", "c"]})
    levels = bound(table, (named,))
    result = recode_locally(table, levels, [K(2)])
    assert result.loss_arithmetic == 0
    check(table, levels, result, (named,))


def test_a_time_limit_stops_with_a_valid_result() -> None:
    table = survey(3000, 3)
    levels = bound(table, SURVEY)
    done: list[float] = []
    result = recode_locally(table, levels, [K(5)], seconds=0, progress=done.append)
    assert result.stopped
    assert done
    assert min(check(table, levels, result, SURVEY).values()) >= 5


def test_a_sampled_lattice_gives_a_valid_result() -> None:
    table = survey(2000, 5)
    levels = bound(table, SURVEY)
    sampled = recode_locally(table, levels, [K(5)], nodes=60)
    whole = recode_locally(table, levels, [K(5)])
    assert min(check(table, levels, sampled, SURVEY).values()) >= 5
    assert whole.loss_arithmetic <= sampled.loss_arithmetic
    assert lower_bound(table, levels, 5, sampled, nodes=60) is None
