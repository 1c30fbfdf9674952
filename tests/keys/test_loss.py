"""Loss from hand-made hierarchies, where every figure can be counted on fingers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.loss import (
    arithmetic,
    cell_losses,
    entropy_losses,
    geometric,
    height_losses,
    key_losses,
    margin,
    shares,
)
from incrowd.keys.table import from_records

AGE = Hierarchy("age", (("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-5", "*"), ("4", "3-5", "*"), ("5", "3-5", "*")))
SEX = Hierarchy("sex", (("f", "*"), ("m", "*")))


def test_a_cell_loses_by_the_leaves_of_the_hierarchy_not_by_those_that_occur() -> None:
    table = from_records({"age": ["1", "3", "3"]})
    losses = cell_losses(AGE.bind(table.domains[0]))
    assert losses.tolist() == [[0, 0], [0.25, 0.5], [1, 1]]


def test_missing_loses_nothing_below_the_top() -> None:
    table = from_records({"age": [None, "1"]})
    assert cell_losses(AGE.bind(table.domains[0])).tolist() == [[0, 0], [0, 0.25], [1, 1]]


def test_a_domain_of_one_leaf_costs_nothing() -> None:
    table = from_records({"x": ["a", "a"]})
    levels = Hierarchy("x", (("a", "*"),)).bind(table.domains[0])
    assert cell_losses(levels).tolist() == [[0], [0]]


def test_height_is_the_same_for_all_values() -> None:
    table = from_records({"age": ["1", "3"]})
    assert height_losses(AGE.bind(table.domains[0])).tolist() == [[0, 0], [0.5, 0.5], [1, 1]]


def test_entropy_is_the_share_of_the_value_in_its_recoded_value() -> None:
    table = from_records({"age": ["1", "2", "2", "2", "3"]})
    losses = entropy_losses(AGE.bind(table.domains[0]), margin(table, 0))
    assert losses[0].tolist() == [0, 0, 0]
    assert np.allclose(losses[1], [math.log2(4), math.log2(4 / 3), 0])
    assert np.allclose(losses[2], [math.log2(5), math.log2(5 / 3), math.log2(5)])


def test_a_key_loses_the_mean_over_records_and_suppressed_ones_lose_all() -> None:
    table = from_records({"age": ["1", "3", "3", "3"], "sex": ["f", "f", "f", "m"]})
    matrices = [cell_losses(h.bind(d)) for h, d in zip((AGE, SEX), table.domains, strict=True)]
    assert key_losses(table, matrices, [1, 0]).tolist() == [(0.25 + 3 * 0.5) / 4, 0]
    kept = table.records > 1  # the class of two women
    assert key_losses(table, matrices, [1, 0], kept).tolist() == [(2 * 0.5 + 2) / 4, 2 / 4]


def test_the_two_means() -> None:
    per_key = np.array([0.0, 0.44])
    assert math.isclose(float(arithmetic(per_key)), 0.22)
    assert math.isclose(float(geometric(per_key)), 0.2)
    weights = shares({"b": 3.0}, ["a", "b"])
    assert weights.tolist() == [0.25, 0.75]
    assert math.isclose(float(arithmetic(per_key, weights)), 0.33)
    assert math.isclose(float(geometric(per_key, weights)), 1.44**0.75 - 1)


@pytest.mark.parametrize("weights", [{"c": 1.0}, {"a": -1.0}, {"a": 0.0, "b": 0.0}, {"a": math.inf}])
def test_weights_that_cannot_be_meant_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        shares(weights, ["a", "b"])
