"""Numbers that no release can use: nan, inf, negative, or so large that nothing finite comes out."""

import csv
import math

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.keys.noise import LEAST, MOST, path

DROP = {"step": "drop", "variables": ["name"]}
ANY = [{"model": "k", "k": "1"}]
ABSURD = ["nan", "inf", "-inf", "-1", "1e308", "1e999999999", "-1e308", "1e-999999999"]
#: Every field of a step that takes a number and is no whole number.
FIELDS = {
    "noise sd": lambda v: {"step": "noise", "variables": ["age"], "sd": v},
    "noise share": lambda v: {"step": "noise", "variables": ["age"], "share": v},
    "pram rate": lambda v: {"step": "pram", "variable": "sex", "rate": v},
    "pram matrix": lambda v: {"step": "pram", "variable": "sex", "matrix": {"f": {"f": v}, "m": {"m": "1"}}},
    "rank swap": lambda v: {"step": "rank_swap", "variable": "age", "within": v},
    "swap": lambda v: {"step": "swap", "geography": ["sex"], "rate": v},
    "sample": lambda v: {"step": "sample", "fraction": v},
    "round": lambda v: {"step": "round", "variable": "age", "base": v},
    "round random": lambda v: {"step": "round", "variable": "age", "base": v, "how": "random"},
    "top code": lambda v: {"step": "top_code", "variable": "age", "at": v},
    "bottom code": lambda v: {"step": "bottom_code", "variable": "age", "at": v},
    "percentile": lambda v: {"step": "top_code", "variable": "age", "percentile": v},
    "bands": lambda v: {"step": "recode", "variable": "age", "bands": [v]},
    "weights": lambda v: {"step": "suppress_cells", "k": "2", "weights": {"age": v}},
    "search weights": lambda v: {"step": "search", "hierarchies": {"age": {"widths": ["10"]}}, "weights": {"age": v}},
    "widths": lambda v: {"step": "search", "hierarchies": {"age": {"widths": [v]}}},
    "cuts": lambda v: {"step": "search", "hierarchies": {"age": {"cuts": [[v]]}}},
}


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
def test_a_number_that_cannot_be_meant_is_a_fault_of_the_plan_or_does_no_harm(tmp_path, field):
    for value in ABSURD:
        plan = write_case(tmp_path, plan_with(steps=[DROP, FIELDS[field](value)], requirements=ANY))
        try:
            ic.load_plan(plan)
        except ic.PlanError:
            continue
        assert math.isfinite(float(value)), value
        try:
            done = ic.run(plan)
        except (ic.InputError, ic.NotReleasable) as fault:
            assert fault.code != "X001"
            continue
        with (done.release / "people.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                assert not {"inf", "-inf", "nan"} & {cell.lower() for cell in row.values()}
                assert max(map(len, row.values())) < 120


@pytest.mark.parametrize("model", ["entropy_l l", "recursive_l c", "beta beta", "delta_disclosure delta"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_requirements_are_finite(tmp_path, model, value):
    name, field = model.split()
    rule = {"model": name, "sensitive": "ill", **({"l": "2"} if name == "recursive_l" else {}), field: value}
    with pytest.raises(ic.PlanError):
        ic.load_plan(write_case(tmp_path, plan_with(requirements=[rule])))


def test_numbers_in_the_data_that_would_fill_the_memory_are_none(tmp_path):
    steps = [DROP, {"step": "round", "variable": "age", "base": "5"}]
    lines = "n1,1e999999999,f,y,0\nn2,30,f,y,0\n"
    with pytest.raises(ic.InputError) as fault:
        ic.run(write_case(tmp_path, plan_with(steps=steps, requirements=ANY), lines))
    assert fault.value.code == "D021"


def test_noise_in_proportion_to_a_huge_spread_is_refused(tmp_path):
    steps = [DROP, {"step": "noise", "variables": ["age"], "share": "0.5", "decimals": "2"}]
    lines = "n1,1e80,f,y,0\nn2,3e85,f,y,0\nn3,5,f,y,0\n"
    with pytest.raises(ic.InputError) as fault:
        ic.run(write_case(tmp_path, plan_with(steps=steps, requirements=ANY), lines))
    assert fault.value.code == "D260"


@pytest.mark.parametrize("how", ["nearest", "random"])
def test_a_number_of_many_digits_is_rounded_to_a_multiple(tmp_path, how):
    steps = [DROP, {"step": "round", "variable": "note", "base": "5", "how": how}]
    lines = "n1,30,f,y,1234567890123456789012345678901234567\n"
    done = ic.run(write_case(tmp_path, plan_with(steps=steps, requirements=ANY), lines))
    allowed = {"nearest": {"565"}, "random": {"565", "570"}}[how]
    with (done.release / "people.csv").open(newline="") as file:
        released = next(csv.DictReader(file))["note"]
    assert released[:-3] == "1234567890123456789012345678901234"
    assert released[-3:] in allowed


@settings(max_examples=examples(40), deadline=None)
@given(st.floats(LEAST, MOST))
def test_whatever_size_is_allowed_gives_finite_noise_of_that_size(sd):
    drawn = path(np.arange(4000), bytes(range(16)), sd**2)
    assert np.isfinite(drawn).all()
    assert 0.9 < drawn.std() / sd < 1.1


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.floats(-9, 9), min_size=2, max_size=4, unique=True))
def test_a_path_has_the_covariance_of_brownian_motion(logs):
    sizes = [2.0**log for log in logs]
    found = np.array([path(np.arange(20_000), bytes(range(16)), t) / t**0.5 for t in sizes])
    wanted = np.minimum.outer(sizes, sizes) / np.sqrt(np.outer(sizes, sizes))
    assert np.abs(found @ found.T / 20_000 - wanted).max() < 0.05
