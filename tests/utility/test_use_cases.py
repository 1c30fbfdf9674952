"""Use cases: their figures are scipy's, statsmodels' and sklearn's; a bad release fails, a good one passes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from utility_cases import good, kept, outcome, people, shuffled

from incrowd.errors import InputError
from incrowd.utility.outcome import Estimate, overlap

ORIGINAL = people()
T_TEST = {"test": "t_test", "of": "pay", "between": {"sex": ["m", "f"]}, "by": "job"}
TOP = {"test": "top_overlap", "by": "area", "share": {"ill": ["yes"]}, "top": 2, "at_least": 2}
#: Each use case with a column whose shuffling must break it.
CASES: list[tuple[dict[str, Any], str]] = [
    (T_TEST, "pay"),
    (TOP, "area"),
    ({"test": "proportion", "by": "area", "share": {"ill": ["yes"]}, "within": 0.08}, "ill"),
    ({"test": "mean", "of": "pay", "by": "job", "within": 0.02}, "job"),
    ({"test": "median", "of": "pay", "by": "job", "within": 0.03}, "job"),
    ({"test": "correlation", "between": ["age", "pay"], "within": 0.1}, "age"),
    ({"test": "regression", "outcome": "pay", "features": ["age", "sex", "job"], "numbers": ["age"]}, "age"),
    ({"test": "regression", "outcome": "ill", "value": "yes", "features": ["area"], "coefficients": ["area=area5"],
      "base": {"area": "area0"}}, "ill"),
    ({"test": "classifier", "target": "job", "features": ["pay", "age"], "numbers": ["pay", "age"]}, "job"),
]  # fmt: skip


def pay_of(columns: dict[str, list[Any]], job: str, sex: str) -> np.ndarray:
    rows = zip(columns["job"], columns["sex"], columns["pay"], strict=True)
    return np.array([float(pay) for j, s, pay in rows if j == job and s == sex])


@pytest.mark.parametrize(("case", "column"), CASES, ids=[str(case["test"]) for case, _ in CASES])
def test_a_good_release_passes_and_one_with_a_shuffled_column_fails(case: dict[str, Any], column: str) -> None:
    fine, bad = outcome(case, ORIGINAL, good(ORIGINAL)), outcome(case, ORIGINAL, shuffled(ORIGINAL, column))
    assert fine.passed, (fine.found, fine.why)
    assert not bad.passed, bad.found
    assert bad.largest_effect is not None
    assert fine.largest_effect is not None
    assert fine.largest_effect < bad.largest_effect


@pytest.mark.parametrize(("case", "column"), CASES, ids=[str(case["test"]) for case, _ in CASES])
def test_the_original_agrees_with_itself(case: dict[str, Any], column: str) -> None:
    found = outcome(case, ORIGINAL, ORIGINAL)
    assert found.passed
    assert found.largest_effect == 0
    assert found.least_overlap == pytest.approx(1)


def test_t_tests_are_those_of_scipy() -> None:
    released = good(ORIGINAL)
    found = outcome(T_TEST, ORIGINAL, released)
    assert [figure.name for figure in found.figures] == ["job0", "job1", "job2"]
    for figure in found.figures:
        for side, columns in (("original", ORIGINAL), ("released", released)):
            one, other = pay_of(columns, figure.name, "m"), pay_of(columns, figure.name, "f")
            student, welch = stats.ttest_ind(one, other), stats.ttest_ind(one, other, equal_var=False)
            assert figure.more[f"p {side}"] == pytest.approx(student.pvalue, rel=1e-9)
            assert figure.more[f"Welch's p {side}"] == pytest.approx(welch.pvalue, rel=1e-9)
            interval = student.confidence_interval()
            estimate = getattr(figure, side)
            assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
            assert estimate.value == pytest.approx(one.mean() - other.mean())


def test_a_group_that_is_gone_does_not_keep_its_answer() -> None:
    left = kept(ORIGINAL, [i for i, job in enumerate(ORIGINAL["job"]) if job != "job2"])
    found = outcome(T_TEST, ORIGINAL, left)
    assert not found.passed
    assert "job2" in found.found
    assert not outcome({"test": "mean", "of": "pay", "by": "job"}, ORIGINAL, left).passed


def test_welch_decides_where_the_plan_says_so() -> None:
    found = outcome({**T_TEST, "variant": "welch"}, ORIGINAL, ORIGINAL)
    one, other = pay_of(ORIGINAL, "job1", "m"), pay_of(ORIGINAL, "job1", "f")
    assert found.figures[1].more["p original"] == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue)


def test_a_difference_that_turns_round_is_another_answer() -> None:
    turned = {**ORIGINAL, "sex": ["m" if sex == "f" else "f" for sex in ORIGINAL["sex"]]}
    assert not outcome(T_TEST, ORIGINAL, turned).passed


def test_the_studys_top_three_pass_though_the_first_is_another() -> None:
    # Study 2, table 2: shares of ten regions before and after; two of the top three stay.
    before = [0.809191, 0.808411, 0.804627, 0.801070, 0.798287, 0.794777, 0.785903, 0.767637, 0.743353, 0.683931]
    after = [0.955514, 0.919218, 0.957627, 0.885235, 0.973846, 0.908700, 0.887486, 0.936929, 0.795799, 0.726810]
    names = ["East Midlands", "West Midlands", "North East", "Yorkshire", "Wales", "North West", "South West",
             "East", "South East", "London"]  # fmt: skip

    def file(shares: list[float]) -> dict[str, list[str | None]]:
        area, ill = list[str | None](), list[str | None]()
        for name, share in zip(names, shares, strict=True):
            yes = round(10_000 * share)
            area += [name] * 10_000
            ill += ["yes"] * yes + ["no"] * (10_000 - yes)
        return {"area": area, "ill": ill}

    found = outcome({**TOP, "top": 3}, file(before), file(after))
    assert found.passed
    moved = "the first place changed, from East Midlands to Wales"
    assert found.found == f"2 of 3 stay (East Midlands, North East); {moved}"
    assert not outcome({**TOP, "top": 3, "order": True}, file(before), file(after)).passed
    wales = next(figure for figure in found.figures if figure.name == "Wales")
    assert (wales.original.value, wales.released.value) == pytest.approx((0.7983, 0.9738), abs=1e-4)
    assert wales.effect == pytest.approx(2 * math.asin(math.sqrt(0.9738)) - 2 * math.asin(math.sqrt(0.7983)))
    assert wales.overlap == 0
    assert (wales.more["rank original"], wales.more["rank released"]) == (5, 1)
    assert not outcome({**TOP, "top": 3, "at_least": 3}, file(before), file(after)).passed


def test_means_medians_and_correlations_are_those_of_numpy() -> None:
    pay, age = np.array([float(p) for p in ORIGINAL["pay"]]), np.array([float(a) for a in ORIGINAL["age"]])
    mean = outcome({"test": "mean", "of": "pay"}, ORIGINAL, ORIGINAL).figures[0].original
    assert mean.value == pytest.approx(pay.mean())
    low, high = stats.t.interval(0.95, len(pay) - 1, pay.mean(), stats.sem(pay))
    assert (mean.low, mean.high) == pytest.approx((low, high))
    assert outcome({"test": "median", "of": "pay"}, ORIGINAL, ORIGINAL).figures[0].original.value == np.median(pay)
    few = kept(ORIGINAL, range(7))
    assert outcome({"test": "median", "of": "pay"}, few, few).figures[0].original.value == np.median(pay[:7])
    r = outcome({"test": "correlation", "between": ["age", "pay"]}, ORIGINAL, ORIGINAL).figures[0].original
    expected = stats.pearsonr(age, pay)
    assert r.value == pytest.approx(expected.statistic)
    interval = expected.confidence_interval()
    assert (r.low, r.high) == pytest.approx((interval.low, interval.high))


def test_regressions_are_those_of_statsmodels_on_the_records() -> None:
    import statsmodels.api as sm

    age = np.array([float(a) for a in ORIGINAL["age"]])
    pay = np.array([float(p) for p in ORIGINAL["pay"]])
    man = np.array([sex == "m" for sex in ORIGINAL["sex"]], float)
    base = max(("m", "f"), key=lambda sex: ORIGINAL["sex"].count(sex))
    design = sm.add_constant(np.column_stack([age, man if base == "f" else 1 - man]))
    ols = sm.OLS(pay, design).fit()
    case: dict[str, Any] = {"test": "regression", "outcome": "pay", "features": ["age", "sex"], "numbers": ["age"]}
    found = outcome(case, ORIGINAL, ORIGINAL).figures
    for i, figure in enumerate(found, start=1):
        low, high = ols.conf_int()[i]
        assert figure.original.value == pytest.approx(ols.params[i], rel=1e-6)
        assert (figure.original.low, figure.original.high) == pytest.approx((low, high), rel=1e-6)
        assert figure.more["p original"] == pytest.approx(ols.pvalues[i], rel=1e-4, abs=1e-12)
    ill = np.array([value == "yes" for value in ORIGINAL["ill"]], float)
    logit = sm.Logit(ill, design).fit(disp=False)
    found = outcome({**case, "outcome": "ill", "value": "yes"}, ORIGINAL, ORIGINAL).figures
    assert [figure.original.value for figure in found] == pytest.approx(logit.params[1:], rel=1e-5)
    assert [figure.more["p original"] for figure in found] == pytest.approx(logit.pvalues[1:], rel=1e-4)


def test_a_model_that_cannot_be_fitted_says_so_and_does_not_pass() -> None:
    twice = {**ORIGINAL, "same": list(ORIGINAL["sex"])}
    found = outcome({"test": "regression", "outcome": "pay", "features": ["sex", "same"]}, twice, twice)
    assert not found.passed
    assert "determine each other" in found.why
    case = {"test": "regression", "outcome": "pay", "features": ["sex"], "coefficients": ["sex=x"]}
    found = outcome(case, ORIGINAL, ORIGINAL)
    assert not found.passed
    assert "sex=x" in found.why


def test_the_entropy_ratio_is_that_of_the_definition() -> None:
    coarse = {**ORIGINAL, "area": ["north" if area in ("area0", "area1") else "south" for area in ORIGINAL["area"]]}
    found = outcome({"test": "entropy_ratio", "columns": ["area", "sex"]}, coarse, coarse, at_start=ORIGINAL)

    def h(*columns: list[Any]) -> float:
        _, counts = np.unique(np.array(list(zip(*columns, strict=True))), axis=0, return_counts=True)
        return float(stats.entropy(counts, base=2))

    ratio = (h(coarse["area"]) + h(coarse["sex"])) / (h(ORIGINAL["area"]) + h(ORIGINAL["sex"]))
    joint = h(coarse["area"], coarse["sex"]) / h(ORIGINAL["area"], ORIGINAL["sex"])
    assert found.found == f"{ratio:.3f} summed over 2 columns, {joint:.3f} jointly"
    assert found.passed == (ratio >= 0.5)
    columns = ["area", "sex"]
    strict = {"test": "entropy_ratio", "columns": columns, "at_least": 0.9}
    assert not outcome(strict, coarse, coarse, at_start=ORIGINAL).passed


def test_who_is_held_out_depends_on_the_secret_and_not_on_the_order() -> None:
    case = {"test": "classifier", "target": "job", "features": ["pay", "sex"], "numbers": ["pay"]}
    backwards = kept(ORIGINAL, range(len(ORIGINAL["pay"]) - 1, -1, -1))
    one, other = outcome(case, ORIGINAL, good(ORIGINAL)), outcome(case, backwards, good(ORIGINAL))
    assert one.figures[0].original.value == pytest.approx(other.figures[0].original.value)
    assert outcome({**case, "model": "forest"}, ORIGINAL, good(ORIGINAL)).passed


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({**TOP, "share": {"ill": ["Yes"]}}, "D162"),
        ({**TOP, "among": {"sex": ["male"]}}, "D162"),
        ({**T_TEST, "between": {"sex": ["m", "F"]}}, "D162"),
        ({**T_TEST, "of": "ill"}, "D163"),
        ({"test": "correlation", "between": ["pay", "job"]}, "D163"),
        ({"test": "median", "of": "ill"}, "D163"),
        ({"test": "regression", "outcome": "ill", "value": "YES", "features": ["sex"]}, "D162"),
    ],
)
def test_a_use_case_that_speaks_of_nobody_is_refused(case: dict[str, Any], code: str) -> None:
    """It would compare nothing with nothing, and pass."""
    with pytest.raises(InputError) as caught:
        outcome(case, ORIGINAL, good(ORIGINAL))
    assert caught.value.code == code


def test_intervals_overlap_by_what_they_share() -> None:
    assert overlap(Estimate(0, 0, 10), Estimate(0, 0, 10)) == 1
    assert overlap(Estimate(0, 0, 10), Estimate(0, 5, 10)) == 0.75  # half of the one, all of the other
    assert overlap(Estimate(0, 0, 1), Estimate(0, 2, 3)) == 0
    assert overlap(Estimate(0), Estimate(0, 2, 3)) is None


FUNCTION = """
def longest(original, released):
    one, other = (max(map(len, table["job"].to_pylist())) for table in (original, released))
    return {"passed": original.num_rows - released.num_rows < 1000, "original": one, "released": other, "effect": 0.5}

def simple(original, released):
    return released.num_rows > 10

def broken(original, released):
    raise ValueError(original["pay"][0])

def silent(original, released):
    return "perhaps"
"""


def test_a_function_beside_the_plan_decides(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FUNCTION)
    case = {"test": "python", "columns": ["job", "pay"]}
    found = outcome({**case, "function": "mine:longest"}, ORIGINAL, good(ORIGINAL), tmp_path)
    assert found.passed
    assert (found.figures[0].original.value, found.figures[0].effect) == (4, 0.5)
    assert not outcome({**case, "function": "mine:longest"}, ORIGINAL, kept(ORIGINAL, range(9)), tmp_path).passed
    assert not outcome({**case, "function": "mine:simple"}, ORIGINAL, kept(ORIGINAL, range(9)), tmp_path).passed


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("mine:broken", "D150"),
        ("mine:silent", "D151"),
        ("mine:absent", "D152"),
        ("os:getcwd", "D152"),
        ("bad:f", "D153"),
    ],
)
def test_a_function_that_fails_is_an_error_that_quotes_nobody(tmp_path: Path, function: str, code: str) -> None:
    (tmp_path / "mine.py").write_text(FUNCTION)
    (tmp_path / "bad.py").write_text("import nothing_of_this_name")
    with pytest.raises(InputError) as caught:
        outcome({"test": "python", "columns": ["pay"], "function": function}, ORIGINAL, ORIGINAL, tmp_path)
    assert caught.value.code == code
    assert str(ORIGINAL["pay"][0]) not in str(caught.value)
    assert caught.value.__cause__ is None


def test_terms_of_a_regression_are_listed_as_numbers_are() -> None:
    lines = [(str(grade), f"{100 * grade + extra}") for grade in (1, 2, 3, 10, 11) for extra in range(12)]
    file = {"grade": [one for one, _ in lines], "pay": [pay for _, pay in lines]}
    case = {"test": "regression", "outcome": "pay", "features": ["grade"], "base": {"grade": "1"}}
    found = outcome(case, file, file)
    assert [figure.name for figure in found.figures] == [f"grade={grade}" for grade in (2, 3, 10, 11)]
