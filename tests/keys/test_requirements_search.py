"""What a search may rely on, checked on random coarsenings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from classes import all_models, build, merge, tables
from hypothesis import given
from hypothesis import strategies as st

from incrowd.keys.requirements import (
    AlphaK,
    DeltaDisclosure,
    EntropyL,
    K,
    OneSided,
    Requirement,
)


@given(st.data())
def test_claims_of_monotonicity(data: st.DataObject) -> None:
    """No coarsening makes the worst class worse (monotone), and nobody starts to fail (prunes)."""
    classes = data.draw(tables(st.just(1)))
    number = len(classes)
    flags = []
    for one in classes:
        people = sum(one.values())
        hit = data.draw(st.integers(0, people))
        flags.append({v: n for v, n in (("0", people - hit), ("1", hit)) if n})
    population = [sum(one.values()) + data.draw(st.integers(0, 6)) for one in classes]
    fine = build(classes, population, flags)
    coarse, to = merge(fine, data.draw(st.lists(st.integers(0, 3), min_size=number, max_size=number)))
    for plain in all_models():
        for requirement in (plain, replace(plain, where="w")):
            bound = requirement if isinstance(plain, OneSided) else requirement.bind(fine)
            before, after = bound.check(fine), bound.check(coarse)
            # With a condition the figure may get worse and still pass: a share of 0 becomes one of 1/3.
            if bound.monotone and bound.where is None:
                assert before.achieved is not None
                assert after.achieved is not None
                worst = bound.worst(np.array([before.achieved, after.achieved]))
                assert worst == pytest.approx(before.achieved, rel=1e-12, abs=1e-12), bound
            if bound.monotone:
                assert after.holds or not before.holds, bound
            if bound.prunes:
                assert not (after.failing[to] & ~before.failing).any(), bound


@given(st.data())
def test_what_is_doomed_fails_however_classes_are_divided(data: st.DataObject) -> None:
    """In the finer table at least as many records fail as are doomed in the coarser one."""
    classes = data.draw(tables(st.just(1)))
    number = len(classes)
    flags = [{"0": sum(one.values())} for one in classes]
    fine = build(classes, [sum(one.values()) for one in classes], flags)
    coarse, to = merge(fine, data.draw(st.lists(st.integers(0, 3), min_size=number, max_size=number)))
    for plain in all_models():
        bound = plain if isinstance(plain, OneSided) else plain.bind(fine)
        for table in (fine, coarse):
            doomed = bound.doomed(table)
            assert ((doomed >= 0) & (doomed <= 1)).all(), bound
            assert not doomed[~bound.failing(table)].any(), bound
        fails = np.bincount(to, weights=fine.records * bound.failing(fine), minlength=len(coarse.records))
        assert (fails >= coarse.records * bound.doomed(coarse) - 1e-9).all(), bound


def test_a_delta_that_forbids_nothing_dooms_only_what_lacks_a_value() -> None:
    table = build([{"7": 8}, {"7": 1, "8": 9}])
    assert DeltaDisclosure("s", 5_000).bind(table).doomed(table).tolist() == [1, 0]
    assert AlphaK("s", 1, 9).doomed(table).tolist() == [1, 0]


def test_what_cannot_be_concluded_dooms_nobody() -> None:
    table = build([{"7": 8}, {"7": 1, "8": 9}])
    assert DeltaDisclosure("s", 1, skip_zeros=True).bind(table).doomed(table).tolist() == [0, 0]
    assert EntropyL("s", 2, where="w").doomed(build([{"7": 8}], flags=[{"1": 8}])).tolist() == [0]
    assert EntropyL("s", 2).doomed(table).tolist() == [1, pytest.approx(1 - 0.3250829734 / np.log(2), abs=1e-9)]


def test_what_is_claimed() -> None:
    def names(chosen: list[Requirement]) -> list[str]:
        return [r.model for r in chosen]

    everything = all_models()
    assert names([r for r in everything if r.prunes]) == ["k", "k_map", "distinct_l", "one_sided"]
    assert names([r for r in everything if not r.monotone]) == ["delta_disclosure"]
    bound = [replace(r, where="w") for r in everything]
    assert not any(r.prunes for r in bound)
    assert names([r for r in bound if r.monotone]) == ["k", "k_map", "distinct_l", "one_sided"]


def test_what_is_not_claimed_would_be_wrong() -> None:
    # {a,b} passes entropy 2; merged with {8a} it has 1.38 and more records fail than before
    fine = build([{"7": 1, "8": 1}, {"7": 8}])
    coarse, _ = merge(fine, [0, 0])
    entropy = EntropyL("s", 2)
    assert entropy.achieved(coarse) == pytest.approx(1.3841450)
    assert fine.records[entropy.failing(fine)].sum() == 8
    assert coarse.records[entropy.failing(coarse)].sum() == 10
    # a skipped zero comes back too small
    fine = build([{"7": 50}, {"7": 12, "8": 10}, {"7": 5, "8": 57}])
    skipping = DeltaDisclosure("s", 1, skip_zeros=True).bind(fine)
    assert skipping.failing(fine).tolist()[:2] == [False, False]
    assert skipping.failing(merge(fine, [0, 0, 1])[0]).tolist()[0]
    # with a condition, a free class that joins a bound one starts to fail
    fine = build([{"7": 1}, {"7": 1}], flags=[{"0": 1}, {"1": 1}])
    weak = K(3, where="w")
    assert weak.failing(fine).tolist() == [False, True]
    assert weak.failing(merge(fine, [0, 0])[0]).tolist() == [True]
