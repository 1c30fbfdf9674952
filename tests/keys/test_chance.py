"""What chance is made of: transition matrices, normal numbers, correlated noise."""

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.keys.noise import as_texts, correlated, factor, normals
from incrowd.keys.transition import DRAWS, bounds, invariant_matrix, uniform_matrix
from incrowd.secret import draw_numbers

KEY = bytes(range(32))


@st.composite
def matrices(draw):
    size = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size))
    matrix = np.array(rows, float) + np.eye(size)
    counts = draw(st.lists(st.integers(0, 50), min_size=size, max_size=size))
    return matrix / matrix.sum(axis=1, keepdims=True), np.array(counts)


@given(matrices())
def test_an_invariant_matrix_keeps_the_expected_counts(case):
    matrix, counts = case
    result = invariant_matrix(matrix, counts)
    assert (result >= 0).all()
    assert result.sum(axis=1) == pytest.approx(np.ones(len(counts)))
    assert counts @ result == pytest.approx(counts, abs=1e-9)


@given(matrices())
def test_the_intervals_of_a_row_cover_all_draws_in_proportion(case):
    ends = bounds(case[0])
    assert (ends[:, 0] == 0).all()
    assert (ends[:, -1] == DRAWS).all()
    assert np.diff(ends, axis=1) / DRAWS == pytest.approx(case[0], abs=1e-12)


@needs_shared
def test_the_matrices_that_sdcmicro_calls_invariant_are():
    """They are random, so they cannot be matched; two stages from theirs must be invariant, too."""
    found = json.loads((SHARED / "data/sdcmicro/oracle/10_pram.json").read_text())
    for about in found.values():
        if not isinstance(about, dict) or "Rs" not in about:
            continue
        matrix, shares = np.array(about["Rs"]), np.array(about["p_original"])
        assert shares @ matrix == pytest.approx(shares, abs=1e-12)
        assert shares @ invariant_matrix(matrix, shares) == pytest.approx(shares, abs=1e-12)


def test_a_rate_is_the_chance_to_change():
    assert uniform_matrix(4, 0.3).diagonal().tolist() == [0.7] * 4
    assert uniform_matrix(1, 0.3).tolist() == [[1.0]]


def test_draws_are_spread_evenly_and_differ_by_key():
    texts = pa.array([f"record {i}" for i in range(20_000)])
    first, second = (draw_numbers(key)(texts).to_numpy() for key in (KEY, KEY[::-1]))
    assert 0 <= first.min() <= first.max() < DRAWS
    tenths = Counter((first * 10 // DRAWS).tolist())
    assert min(tenths.values()) > 1_800
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_normal_numbers_are_normal_and_of_the_key():
    draws = np.arange(50_000)
    one, other = normals(draws, KEY), normals(draws, KEY[::-1])
    assert abs(one.mean()) < 0.02
    assert one.std() == pytest.approx(1, abs=0.02)
    assert ((np.abs(one) < 1).mean()) == pytest.approx(0.6827, abs=0.01)
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.02
    assert (normals(draws[::-1], KEY)[::-1] == one).all()


def test_correlated_noise_has_the_covariance_asked_for():
    covariance = np.array([[4.0, 3.0, 8.0], [3.0, 9.0, 6.0], [8.0, 6.0, 16.0]])  # the third is twice the first
    lower = factor(covariance)
    assert lower @ lower.T == pytest.approx(covariance)
    keys = [bytes([i]) * 32 for i in range(3)]
    made = np.array([correlated(np.arange(50_000), row, keys, 1.0) for row in lower.tolist()])
    assert np.cov(made) == pytest.approx(covariance, abs=0.3)


def test_there_is_no_minus_zero():
    assert as_texts(np.array([-0.4, -0.0, 2.5, 1234567.0]), 0) == ["0", "0", "2", "1234567"]
