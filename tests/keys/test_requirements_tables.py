"""Requirements on their own keys and records, with p fixed, with several records per person; and their faults."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from classes import TREE, all_models, build

from incrowd.errors import InputError, PlanError
from incrowd.keys.requirements import (
    AlphaK,
    DeltaPresence,
    DistinctL,
    K,
    KMap,
    OneSided,
    Reference,
    Requirement,
    TCloseness,
    WeakK,
    failing_any,
    where_name,
)
from incrowd.keys.table import Recode, from_records

# -- own keys, conditions, p before suppression, several records per person


def test_own_keys_are_judged_on_those_keys() -> None:
    keys = {"a": ["x", "x", "x", "y"], "b": ["1", "2", "2", "1"]}
    table = from_records(keys, {"s": ["7", "7", "8", "8"]})
    assert table.codes.T.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert K(2).failing(table).tolist() == [True, False, True]
    assert K(2, keys=("a",)).failing(table).tolist() == [False, False, True]
    assert K(2, keys=("a",)).achieved(table) == 1
    assert K(2, keys=("b", "a")).failing(table).tolist() == [True, False, True]
    assert DistinctL("s", 2, keys=("b",)).failing(table).tolist() == [False, False, False]
    assert DistinctL("s", 2, keys=()).check(table).holds
    assert failing_any(table, [K(2, keys=("a",)), K(2, keys=("b",))]).tolist() == [False, False, True]
    with pytest.raises(InputError, match="D044"):
        K(2, keys=("c",)).failing(table)


def test_own_keys_do_not_blame_classes_nobody_is_in() -> None:
    table = replace(
        from_records({"a": ["x", "y"], "b": ["1", "2"]}), records=np.array([1, 0]), population=np.array([1, 4])
    )
    assert K(2, keys=()).failing(table).tolist() == [True, False]
    assert DeltaPresence(0.5, 1, keys=()).failing(table).tolist() == [True, True]


def test_weak_k_binds_classes_that_hold_a_record_of_the_subset() -> None:
    table = from_records({"a": ["x", "x", "y", "z"]}, {where_name("age < 16"): ["0", "1", "1", "0"]})
    weak = WeakK(3, where="age < 16")
    assert weak.needs_histograms == ("where: age < 16",)
    assert weak.failing(table).tolist() == [True, True, False]
    assert weak.achieved(table) == 1
    assert "age < 16" in weak.describe()
    with pytest.raises(InputError, match="D040"):
        WeakK(3, where="age < 17").failing(table)


def test_p_is_that_of_the_file_before_suppression() -> None:
    fine = build([{"7": 4, "8": 4}, {"8": 8}])
    bound = TCloseness("s", 0.2).bind(fine)
    left = fine.suppress(np.array([False, True]))
    assert bound.achieved(left) == pytest.approx(0.25)
    assert TCloseness("s", 0.2).achieved(left) == 0
    everything_gone = fine.suppress(np.array([True, True]))
    assert bound.achieved(everything_gone) is None


def test_the_reference_fits_a_file_that_was_read_again() -> None:
    """There some values are gone and the others have other codes."""
    original = build([{"10": 4, "7": 4}, {"9": 8}, {"7": 1, "8": 3}])
    released = original.suppress(np.array([True, False, False]))
    again = build([{"9": 8}, {"7": 1, "8": 3}])
    for plain in all_models():
        if isinstance(plain, KMap | DeltaPresence | OneSided):
            continue
        bound = plain.bind(original)
        assert bound.measure(again).tolist() == pytest.approx(bound.measure(released).tolist()), plain
    written = Reference.from_counts("s", [("7", 5), ("8", 3), ("9", 8), ("10", 4), ("11", 0)])
    bound = TCloseness("s", 0.2, "ordered", reference=written)
    assert bound.measure(again).tolist() == pytest.approx(
        TCloseness("s", 0.2, "ordered").bind(original).measure(released).tolist()
    )


def test_a_recoded_variable_must_be_bound_again() -> None:
    fine = build([{"7": 4, "8": 4}, {"8": 8}])
    recoded = fine.recode_sensitive("s", Recode.from_values("s", ["7 or 8", "7 or 8"]))
    bound = TCloseness("s", 0.2).bind(fine)
    with pytest.raises(InputError, match="D041"):
        bound.failing(recoded)
    assert bound.bind(recoded).achieved(recoded) == 0


def test_several_records_per_person() -> None:
    """u1 has two values in class x and two in y: one person there and there, and one person with a 7 in the file."""
    table = from_records(
        {"a": ["x", "x", "x", "y", "y"]},
        {"s": ["7", "8", "7", "7", "9"]},
        unit=["u1", "u1", "u2", "u1", "u1"],
    )
    assert K(2).failing(table).tolist() == [False, True]
    assert DistinctL("s", 2).measure(table).tolist() == [2, 2]
    assert AlphaK("s", 0.5, 1).measure(table).tolist() == [1, 1]  # both people of x have a 7
    assert OneSided("s", "8").measure(table).tolist() == [0.5, 0]
    reference = TCloseness("s", 0.2).bind(table).reference
    assert reference is not None
    assert dict(zip(reference.values, reference.counts.tolist(), strict=True)) == {"7": 2, "8": 1, "9": 1}


def test_missing_is_one_value() -> None:
    table = from_records({"a": ["x"] * 4}, {"s": [None, "", None, "7"]})
    assert DistinctL("s", 2).achieved(table) == 2
    assert TCloseness("s", 0.2, "ordered").check(table).holds
    assert TCloseness("s", 0.2, "hierarchical", hierarchy=TREE).check(table).holds


def test_empty_table() -> None:
    table = build([{"7": 1}], [4]).suppress(np.array([True]))
    for requirement in all_models():
        assert requirement.achieved(table) is None
        assert requirement.check(table).holds


def test_figures_are_let_go_with_their_table() -> None:
    """A search makes thousands of tables; what is kept for one must not outlive it."""
    table = build([{"7": 1, "8": 2}])
    for requirement in all_models():
        if not requirement.needs_population:
            replace(requirement, keys=()).check(table)
            requirement.check(table)
    kept = [weakref.ref(table), weakref.ref(table.histograms["s"])]
    del table
    gc.collect()
    assert [ref() for ref in kept] == [None, None]


def test_a_stigmatising_value_that_nobody_has_is_a_slip() -> None:
    table = build([{"7": 1, "8": 2}])
    assert OneSided("s", "7").bind(table) == OneSided("s", "7")
    with pytest.raises(InputError, match="D046") as caught:
        OneSided("s", "seven").bind(table)
    assert "seven" not in str(caught.value)


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        (KMap(2), "D045"),
        (DeltaPresence(0, 0.5), "D045"),
        (DistinctL("nothing", 2), "D040"),
        (TCloseness("s", 0.2, "ordered"), "D042"),
        (TCloseness("s", 0.2, "ordered", order=("a",)), "D043"),
        (TCloseness("s", 0.2, "hierarchical", hierarchy=TREE), "D030"),
        (TCloseness("s", 0.2, "hierarchical"), "P062"),
    ],
)
def test_faults_name_no_value(requirement: Requirement, code: str) -> None:
    table = build([{"secret": 1, "7": 2}])
    with pytest.raises((InputError, PlanError), match=code) as caught:
        requirement.failing(table)
    assert "secret" not in str(caught.value)
