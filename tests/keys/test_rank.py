"""What counts as a parameter: columns that follow from others add nothing, to no figure."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from utility_cases import Columns, outcome, people

from incrowd.keys.table import from_records
from incrowd.keys.tally import tally_records
from incrowd.risk.loglinear import MOST_CELLS, loglinear
from incrowd.utility.propensity import Propensity, independent, propensity

ORIGINAL = people(1200)
REGIONS = {f"area{i}": f"region{i // 2}" for i in range(6)}


def biased(columns: Columns) -> Columns:
    stay = [i for i, area in enumerate(columns["area"]) if area != "area5" or i % 4 == 0]
    return {name: [column[i] for i in stay] for name, column in columns.items()}


def told_apart(original: Columns, released: Columns, *names: str) -> Propensity:
    one, other = (tally_records(columns).by(names) for columns in (original, released))
    found = propensity(one, other, names)
    assert found is not None
    return found


def with_regions(columns: Columns) -> Columns:
    return {**columns, "region": [REGIONS[str(area)] for area in columns["area"]], "again": list(columns["job"])}


def test_a_region_beside_its_district_changes_no_figure_of_propensity() -> None:
    original, released = with_regions(ORIGINAL), with_regions(biased(ORIGINAL))
    alone = told_apart(original, released, "area", "job", "sex")
    for more in (["region"], ["again"], ["region", "again"]):
        for names in (("area", "job", "sex", *more), (*more, "area", "job", "sex")):
            found = told_apart(original, released, *names)
            assert found.terms == alone.terms == 1 + 5 + 2 + 1
            assert found.pmse == pytest.approx(alone.pmse, rel=1e-6)
            assert found.ratio == pytest.approx(alone.ratio, rel=1e-6)
            assert found.than_random == pytest.approx(alone.than_random, rel=1e-6)
            assert found.specks == pytest.approx(alone.specks, abs=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=4, max_size=30), st.data())
def test_a_column_made_from_others_never_changes_the_ratio(rows: list[tuple[str, ...]], data: st.DataObject) -> None:
    names = ("x", "y", "z")
    groups = {value: data.draw(st.sampled_from("pq")) for value in "abc"}
    stay = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)).filter(any))
    original: Columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    original["made"] = [groups[row[0]] for row in rows]
    released: Columns = {name: [v for v, s in zip(c, stay, strict=True) if s] for name, c in original.items()}
    alone, beside = told_apart(original, released, *names), told_apart(original, released, *names, "made")
    assert beside.terms == alone.terms
    assert beside.pmse == pytest.approx(alone.pmse, abs=1e-5)
    assert beside.null == pytest.approx(alone.null)


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(1, 8), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_independent_columns_are_as_many_as_the_rank(rows: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(0, 2, (rows, columns)).astype(float)
    found = independent(matrix)
    assert found.shape[1] == np.linalg.matrix_rank(matrix) == np.linalg.matrix_rank(found)


def test_a_large_number_does_not_hide_that_features_are_independent() -> None:
    rich = {**ORIGINAL, "pay": [f"{pay}000000000" for pay in ORIGINAL["pay"]]}
    case = {"test": "regression", "outcome": "age", "features": ["pay", "sex"], "numbers": ["pay"]}
    found = outcome(case, rich, rich)
    assert found.passed, found.why
    twice = {**ORIGINAL, "again": list(ORIGINAL["sex"])}
    found = outcome({"test": "regression", "outcome": "pay", "features": ["sex", "again"]}, twice, twice)
    assert "determine each other" in found.why


def test_values_that_nobody_has_are_no_cells_of_a_log_linear_model() -> None:
    rng = np.random.default_rng(0)
    columns = {name: [f"{name}{i}" for i in rng.integers(0, 60, 400)] for name in ("a", "b", "c", "d")}
    whole = from_records(columns)
    stay = [all(int(value[1:]) < 20 for value in row) for row in zip(*columns.values(), strict=True)]
    fresh = from_records({n: [v for v, s in zip(c, stay, strict=True) if s] for n, c in columns.items()})
    wide = np.array([[int(str(d.values[c])[1:]) >= 20 for c in codes] for d, codes in zip(
        whole.domains, whole.codes, strict=True)]).any(axis=0)  # fmt: skip
    left = whole.suppress(wide)
    assert np.prod([len(domain) for domain in left.domains]) > MOST_CELLS
    for interactions in (False, True):
        one, other = (loglinear(table, 0.1, "all", interactions)[0] for table in (left, fresh))
        assert one.value is not None
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
