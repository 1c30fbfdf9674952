"""Individual and household risk: against sdcMicro's outputs, the definition as an integral, and each deviation."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import ORACLE, column, read, with_classes
from scipy.special import gammaln
from shared import needs_shared

from incrowd.risk.record import global_risk, individual_risk
from incrowd.risk.value import Risk, named
from incrowd.risk.wildcard import wildcard_sizes

SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
FIVE = ["urbrur", "roof", "walls", "water", "sex"]


def approximate(f: np.ndarray, estimated: np.ndarray) -> np.ndarray:
    """sdcMicro's default: exact for f = 1 and 2, p / (f - (1-p)) above."""
    p = f / estimated
    return np.where(f > 2, p / (f - (1 - p)), individual_risk(f, estimated))


@given(st.integers(1, 200), st.floats(1.01, 60.0))
def test_the_exact_form_is_the_expected_reciprocal_that_it_stands_for(f: int, times: float) -> None:
    """E 1/F, where F has the negative binomial chances C(h-1, f-1) p^f (1-p)^(h-f), summed term by term."""
    p = 1.0 / times
    h = np.arange(f, int((f + 40 * np.sqrt(f) + 40) * times), dtype=float)
    chance = gammaln(h) - gammaln(f) - gammaln(h - f + 1) + f * np.log(p) + (h - f) * np.log1p(-p)
    value = (np.exp(chance) / h).sum()
    assert float(individual_risk(np.array([float(f)]), np.array([f * times]))[0]) == pytest.approx(value, rel=1e-8)


def test_the_ends() -> None:
    risk = individual_risk(np.array([1.0, 4.0, 7.0, 0.0]), np.array([1.0, 4.0, 3.0, 5.0]))
    assert risk.tolist() == [1.0, 0.25, 1 / 7, 0.0]  # weights below the class size count as the class size
    huge = individual_risk(np.array([1e5]), np.array([1e9]))
    assert huge[0] == pytest.approx(1e-9, rel=1e-4)


def test_the_approximation_of_sdcmicro_is_at_most_four_per_cent_too_high() -> None:
    f, p = np.meshgrid(np.arange(3.0, 60.0), np.linspace(0.001, 0.999, 999))
    ratio = approximate(f, f / p) / individual_risk(f, f / p)
    assert ratio.min() >= 1.0
    assert ratio.max() == pytest.approx(1.040, abs=5e-4)
    where = np.unravel_index(ratio.argmax(), ratio.shape)
    assert (f[where], round(p[where], 2)) == (3.0, 0.32)


@needs_shared
def test_francdat_as_sdcmicro_and_the_guide_have_it() -> None:
    cases = json.loads((ORACLE / "01_freqcalc_francdat.json").read_text())
    plain = cases["plain"]
    risk = individual_risk(np.array(plain["fk"], float), np.array(plain["Fk"], float))
    assert risk == pytest.approx(plain["risk_exact"], abs=1e-15)
    assert risk.round(7).tolist() == [
        0.0171443, 0.0220423, 0.0220423, 0.1770758, 0.0116545, 0.2970631, 0.4023595, 0.0171443
    ]  # fmt: skip
    now = cases["plain_now"]
    assert (1 / np.array(now["fk"])).tolist() == now["risk_population"]


@needs_shared
@pytest.mark.parametrize("case", ["missing", "one_all_NA_row", "two_all_NA_rows", "single_key_NA"])
def test_missing_values_as_wildcards(case: str) -> None:
    cases = json.loads((ORACLE / "01_freqcalc_francdat.json").read_text())[case]
    rows = cases["input"]
    for name, expected in cases.items():
        if name == "input":
            continue
        keys = expected["keyVars"] if isinstance(expected["keyVars"], list) else [expected["keyVars"]]
        table, at = with_classes({k: [None if r[k] is None else str(r[k]) for r in rows] for k in keys})
        weights = np.bincount(at, weights=[r["w"] for r in rows])
        f = wildcard_sizes(table, table.records.astype(float), expected["alpha"])[at]
        estimated = wildcard_sizes(table, weights, expected["alpha"])[at]
        blank = [all(r[k] is None for k in keys) for r in rows]
        full = [all(r[k] is not None for k in keys) for r in rows]
        # Deliberate: a record that knows nothing matches everybody. sdcMicro leaves it out for complete records when
        # there are several keys, but counts it when there is one.
        extra = expected["alpha"] * sum(blank) * np.array(full) if len(keys) > 1 else 0.0
        assert f == pytest.approx(np.array(expected["fk"]) + extra)
        if np.any(extra):
            continue
        assert estimated == pytest.approx(expected["Fk"])
        risk, theirs = individual_risk(f, estimated), np.array([e or np.nan for e in expected["risk_exact"]])
        known = ~np.isnan(theirs)
        assert risk[known] == pytest.approx(theirs[known], rel=1e-12)
        # Deliberate: fractional f is a value like any other; sdcMicro gives 0 or nothing.
        assert (risk[~known] > 0).all()
        assert all(size % 1 for size in f[~known])


@needs_shared
def test_testdata_with_weights_as_sdcmicro() -> None:
    rows = read("02_indivRisk_approx_exact_testdata7_w2.csv")
    f, estimated = column(rows, "fk"), column(rows, "Fk")
    exact = column(rows, "exact")
    ours = individual_risk(f, estimated)
    known = ~np.isnan(exact)
    assert ours[known] == pytest.approx(exact[known], rel=1e-12)
    assert f[~known].min() > 100  # where sdcMicro's form breaks down, ours does not
    assert np.isfinite(ours).all()
    assert approximate(f, estimated) == pytest.approx(column(rows, "approx"), rel=1e-12)


@needs_shared
@pytest.mark.parametrize(
    ("file", "keys", "weight"),
    [("02_risk_testdata5_w100.csv", FIVE, "sampling_weight"), ("02_risk_testdata7_w2_hid.csv", SEVEN, "w2")],
)
def test_classes_weights_and_global_risk_as_sdcmicro(file: str, keys: list[str], weight: str) -> None:
    data, expected = read("02_input_testdata_w2.csv"), read(file)
    table, at = with_classes({key: [row[key] or None for row in data] for key in keys})
    weights = np.bincount(at, weights=column(data, weight))
    f = table.records.astype(float)
    assert f[at].tolist() == column(expected, "fk").tolist()
    assert weights[at] == pytest.approx(column(expected, "Fk"), rel=1e-12)
    assert approximate(f, weights)[at] == pytest.approx(column(expected, "risk"), rel=1e-10)
    name = file.removeprefix("02_risk_").removesuffix(".csv")
    summary = json.loads((ORACLE / "02_measure_risk_global.json").read_text())
    theirs = summary[name]
    same = named(global_risk(table, approximate(f, weights), "x"))
    assert same["expected_links"].value == pytest.approx(theirs["global_risk_ER"], rel=1e-10)
    assert same["global_risk"].value == pytest.approx(theirs["global_risk"], rel=1e-10)
    ours = named(global_risk(table, individual_risk(f, weights), "x"))
    assert 0.99 < ours["global_risk"].value / theirs["global_risk"] < 1.0  # the exact form is a little lower
    for k, count in ((2, "n_fk1"), (3, "n_fk_lt3"), (5, "n_fk_lt5")):
        assert int(f[f < k].sum()) == theirs[count]
    if keys is SEVEN:
        assert int(f[weights < 200].sum()) == summary["kAnon_violations"]["k200_weighted"]


@needs_shared
@pytest.mark.parametrize("alpha", ["0", "0.5", "1"])
def test_testdata_with_missing_values_as_sdcmicro(alpha: str) -> None:
    data, expected = read("02_input_testdata_w2_NA.csv"), read(f"02_risk_testdata7_w2_NA_alpha{alpha}.csv")
    table, at = with_classes({key: [row[key] or None for row in data] for key in SEVEN})
    weights = np.bincount(at, weights=column(data, "w2"))
    f = wildcard_sizes(table, table.records.astype(float), float(alpha))[at]
    estimated = wildcard_sizes(table, weights, float(alpha))[at]
    assert f == pytest.approx(column(expected, "fk"))
    assert estimated == pytest.approx(column(expected, "Fk"), rel=1e-9)
    whole = f % 1 == 0
    theirs = column(expected, "risk")
    assert approximate(f, estimated)[whole] == pytest.approx(theirs[whole], rel=1e-9)
    if alpha == "0.5":  # sdcMicro: 0 for fractional f below 2; ours is between the risks of the whole numbers beside
        small = ~whole & (f < 2)
        assert (theirs[small] == 0).all()
        assert (individual_risk(f[small], estimated[small]) > 0).all()


@needs_shared
def test_unweighted_testdata_as_sdcmicro() -> None:
    data, expected = read("02_input_testdata_w2.csv"), read("02_risk_testdata5_unweighted.csv")
    table, at = with_classes({key: [row[key] or None for row in data] for key in FIVE})
    f = table.records.astype(float)
    assert individual_risk(f, f)[at] == pytest.approx(column(expected, "risk"), rel=1e-12)
    assert named(global_risk(table, 1 / f, "x"))["expected_links"].value == pytest.approx(93)


def test_a_figure_without_value_or_interval_must_say_why() -> None:
    with pytest.raises(ValueError, match="says why"):
        Risk("x", 1.0, None, None, "counted", "all")
