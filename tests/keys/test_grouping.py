"""Groups for microaggregation: the tree finds what looking at everybody finds, the optimum is one, sdcMicro agrees."""

import csv
import itertools
import json

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.keys.grouping import group_means, mdav, standardised, univariate

ORACLE = SHARED / "data" / "sdcmicro" / "oracle"


def plain_mdav(points, k):
    """The definition, looking at everybody every time; points are whole numbers, so sums are exact."""
    left, groups, number = set(range(len(points))), [None] * len(points), 0

    def distance(i, point):
        return sum((float(a) - b) ** 2 for a, b in zip(points[i], point, strict=True))

    def furthest(point):
        return max(left, key=lambda i: (distance(i, point), -i))

    def take(centre):
        nonlocal number
        for i in sorted(left, key=lambda i: (distance(i, points[centre]), i))[:k]:
            groups[i] = number
            left.remove(i)
        number += 1

    while len(left) >= 2 * k:
        more = len(left) >= 3 * k
        average = [float(sum(points[i][j] for i in left)) / len(left) for j in range(len(points[0]))]
        r = furthest(average)
        s = furthest(points[r])
        take(r)
        if more:
            take(s if s in left else furthest(points[r]))
    for i in left:
        groups[i] = number
    return groups


@st.composite
def clouds(draw):
    width, k = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    point = st.tuples(*[st.integers(-6, 6)] * width)
    return draw(st.lists(point, min_size=k, max_size=70)), k


@settings(max_examples=examples(60), deadline=None)
@given(clouds())
def test_the_tree_gives_the_groups_of_the_definition(case):
    points, k = case
    assert mdav(np.array(points, float), k).tolist() == plain_mdav(points, k)


@settings(max_examples=examples(40), deadline=None)
@given(clouds())
def test_groups_have_k_to_2k_less_1_records_and_keep_the_total(case):
    points, k = case
    values = np.array(points, float)
    for groups in (mdav(standardised(values), k), univariate(values[:, 0], k)):
        sizes = np.bincount(groups)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
        assert group_means(values[:, 0], groups).sum() == pytest.approx(values[:, 0].sum(), abs=1e-9)


def within(values, groups):
    return float(((values - group_means(values, groups)) ** 2).sum())


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=7), st.integers(2, 3))
def test_one_variable_gets_the_optimum(numbers, k):
    if len(numbers) < k:
        return
    values = np.array(numbers, float)
    best = min(
        within(values, np.array(groups))
        for groups in itertools.product(range(len(numbers) // k), repeat=len(numbers))
        if all(groups.count(g) >= k for g in range(max(groups) + 1))
    )
    assert within(values, univariate(values, k)) == pytest.approx(best, abs=1e-9)


def test_fewer_records_than_k_cannot_be_grouped():
    for method in (lambda v: mdav(v[:, None], 3), lambda v: univariate(v, 3)):
        with pytest.raises(ValueError, match="fewer"):
            method(np.zeros(2))


def read(path, columns):
    with path.open(newline="") as file:
        return np.array([[float(row[name]) for name in columns] for row in csv.DictReader(file)])


@needs_shared
@pytest.mark.parametrize(
    ("case", "source"),
    [(f"tarragona_mdav{k}", "Tarragona.csv") for k in (3, 4, 5, 10)]
    + [(f"casc_mdav{k}", "CASCrefmicrodata.csv") for k in (3, 4, 5, 10)]
    + [("testdata100_mdav4", "testdata.csv"), ("testdata_mdav3", "testdata.csv"), ("testdata_mdav10", "testdata.csv")],
)
def test_mdav_gives_the_values_of_sdcmicro(case, source):
    about = json.loads((ORACLE / "06_microaggregation.json").read_text())[case]
    values = read(SHARED / "data" / "sdcmicro" / source, about["variables"])[: about["n"]]
    groups = mdav(standardised(values), about["aggr"])
    ours = np.column_stack([group_means(column, groups) for column in values.T])
    theirs = read(ORACLE / f"06_micro_{case}.csv", about["variables"])
    # Two records of Tarragona are equal in all variables, and sdcMicro takes the later one first.
    pairs = [np.array(sorted(np.hstack([values, made.round(4)]).tolist())) for made in (ours, theirs)]
    assert np.allclose(*pairs, rtol=1e-9, atol=2e-4)
    sizes, number = np.unique(np.bincount(groups), return_counts=True)
    assert {str(s): n for s, n in zip(sizes, number.tolist(), strict=True)} == about["group_size_table"]


@needs_shared
def test_one_variable_at_a_time_loses_no_more_than_sdcmicro_does():
    about = json.loads((ORACLE / "06_microaggregation.json").read_text())["tarragona_onedims3"]
    values = read(SHARED / "data" / "sdcmicro" / "Tarragona.csv", about["variables"])
    theirs = read(ORACLE / "06_micro_tarragona_onedims3.csv", about["variables"])
    for j in range(values.shape[1]):
        column = values[:, j]
        assert within(column, univariate(column, 3)) <= ((column - theirs[:, j]) ** 2).sum() * (1 + 1e-9)
