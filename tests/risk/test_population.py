"""Estimates of the population from a sample: published figures, and coverage on populations that are known."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from risk_cases import ADULT, ADULT_KEYS, drawn, sizes
from shared import needs_shared
from statsmodels.stats.proportion import proportion_confint

from incrowd.keys.table import from_records
from incrowd.risk import loglinear as design
from incrowd.risk.dis import dis, dis_simulated
from incrowd.risk.loglinear import loglinear
from incrowd.risk.population import dankar, pitman, snb, zayatz
from incrowd.risk.snb import classes_in_population, snb_uniques
from incrowd.risk.value import Risk, sizes_of, wilson
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate

SPANS = [12, 8, 5, 10]


def inside(risk: Risk, truth: float) -> bool:
    return risk.low is not None and risk.high is not None and risk.low <= truth <= risk.high


def pitman_population(generator: np.random.Generator, theta: float, alpha: float, people: int) -> np.ndarray:
    """Class sizes grown by Pitman's urn: a new class with chance (theta + K alpha) / (theta + i)."""
    owner, first = np.empty(people, np.int64), []
    chances = generator.random(people)
    for i in range(people):
        if chances[i] * (theta + i) < theta + len(first) * alpha:
            owner[i] = len(first)
            first.append(i)
            continue
        while True:  # an old class with weight size - alpha: its founder stands for it only with chance 1 - alpha
            j = int(generator.integers(0, i))
            if first[owner[j]] != j or generator.random() >= alpha:
                owner[i] = owner[j]
                break
    return np.bincount(owner)


@needs_shared
def test_adult_as_arx_estimates_it() -> None:
    size, number = sizes_of(tabulate(open_source(ADULT), ADULT_KEYS))
    for estimate, fraction, expected in (
        (zayatz, 0.1, 0.32074), (zayatz, 0.2, 0.35771), (pitman, 0.1, 0.27685), (pitman, 0.01, 0.14461),
    ):  # fmt: skip
        found = estimate(size, number, fraction, "x")
        assert found.value == pytest.approx(expected, abs=5e-6)
        assert inside(found, expected)


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 40)), min_size=1, max_size=6), st.floats(0.01, 0.99))
def test_an_estimator_gives_a_share_or_says_why_not(classes: list[tuple[int, int]], fraction: float) -> None:
    by_size = dict(classes)
    table = np.array(sorted(by_size), float), np.array([by_size[size] for size in sorted(by_size)], float)
    for estimate in (pitman, zayatz):
        found = estimate(*table, fraction, "x")
        assert found.why if found.value is None else 0 <= found.value <= 1


@pytest.mark.slow
def test_pitman_covers_populations_that_grew_as_it_says() -> None:
    generator = np.random.default_rng(5)
    hits, ratios = 0, []
    for theta, alpha, fraction in ((100, 0.5, 0.05), (300, 0.4, 0.1), (50, 0.7, 0.3)) * 10:
        population = pitman_population(generator, theta, alpha, 6000)
        file = generator.binomial(population, fraction)
        truth = (population == 1).sum() / population.sum()
        found = pitman(*sizes(file), file.sum() / population.sum(), "x")
        hits += inside(found, truth)
        ratios.append((found.value or 0) / truth)
    assert hits >= 26  # of 30; a 95% interval falls below this once in 300 times
    assert 0.85 < np.mean(ratios) < 1.15


@pytest.mark.slow
def test_snb_covers_its_own_populations_where_half_is_sampled() -> None:
    generator = np.random.default_rng(6)
    hits, ratios = 0, []
    for a, b in ((0.5, 0.1), (2.0, 0.3), (0.3, 0.05)) * 8:
        population = 1 + generator.negative_binomial(a, b, 8000)
        file = generator.binomial(population, 0.5)
        truth = (population == 1).sum() / population.sum()
        found = snb(*sizes(file), file.sum() / population.sum(), "x", draws=40)
        hits += inside(found, truth)
        ratios.append((found.value or 0) / truth)
    assert hits >= 19  # of 24
    assert 0.95 < np.mean(ratios) < 1.05


def test_snb_with_known_classes_solves_its_equations() -> None:
    """Fed with the expected counts of a population that follows the model exactly, only Shlosser's K is off."""
    a, b, fraction = 2.0, 0.3, 0.6
    population = np.arange(1, 400)
    from scipy.stats import binom, nbinom

    chance = nbinom.pmf(population - 1, a, b) * 1e5
    size = np.arange(1.0, 200.0)
    number = np.array([(chance * binom.pmf(j, population, fraction)).sum() for j in size])
    assert classes_in_population(size, number, fraction) == pytest.approx(1e5, rel=0.03)
    assert snb_uniques(size, number, fraction) == pytest.approx(1e5 * b**a, rel=0.05)


def test_what_does_not_converge_says_so() -> None:
    generator = np.random.default_rng(7)
    file = generator.binomial(1 + generator.negative_binomial(0.5, 0.1, 8000), 0.05)
    found = snb(*sizes(file), 0.05, "x")
    assert found.value is None
    assert "does not converge" in found.why
    flat = pitman(np.array([1.0, 40.0, 50.0]), np.array([1.0, 30.0, 30.0]), 0.1, "x")
    assert flat.value is None
    assert "does not converge" in flat.why
    assert pitman(np.array([1.0]), np.array([9.0]), 0.1, "x").value is None
    assert zayatz(np.array([2.0]), np.array([9.0]), 0.1, "x").value is None


def test_zayatz_is_too_high_and_its_interval_does_not_hold_that() -> None:
    generator = np.random.default_rng(8)
    population = pitman_population(generator, 100, 0.5, 8000)
    file = generator.binomial(population, 0.1)
    truth = (population == 1).sum() / population.sum()
    found = zayatz(*sizes(file), 0.1, "x")
    assert found.value is not None
    assert found.value > truth
    assert "model" in found.why


def test_the_rule_of_dankar() -> None:
    def risk(method: str, value: float | None) -> Risk:
        return Risk("population_uniques", value, None, None, method, "x", "because")

    three = {"pitman": risk("pitman", 0.3), "snb": risk("snb", 0.2), "zayatz": risk("zayatz", 0.4)}
    assert dankar(three, 0.1, "x").value == 0.3
    assert dankar(three, 0.11, "x").value == 0.2
    assert dankar({**three, "snb": risk("snb", 0.5)}, 0.5, "x").value == 0.4
    instead = dankar({**three, "pitman": risk("pitman", None)}, 0.1, "x")
    assert (instead.value, "did not converge" in instead.why) == (0.4, True)
    assert dankar({"pitman": risk("pitman", None)}, 0.1, "x").value is None


def people(generator: np.random.Generator, related: bool) -> list[np.ndarray]:
    columns = [generator.choice(s, 20_000, p=generator.dirichlet(np.ones(s) * 0.6 + 0.3)) for s in SPANS]
    if related:
        columns[1] = np.where(generator.random(20_000) < 0.4, columns[0] % 8, columns[1])
    return columns


def sampled(columns: list[np.ndarray], generator: np.random.Generator, fraction: float):  # type: ignore[no-untyped-def]
    inside = generator.random(len(columns[0])) < fraction
    cell = np.ravel_multi_index(columns, SPANS)
    population, file = (np.bincount(c, minlength=int(np.prod(SPANS))) for c in (cell, cell[inside]))
    return drawn([column[inside] for column in columns], SPANS), population[file == 1]


@pytest.mark.slow
def test_loglinear_and_dis_cover_a_known_population() -> None:
    generator = np.random.default_rng(9)
    hits = np.zeros(3, int)
    for _ in range(16):
        table, around = sampled(people(generator, False), generator, 0.1)
        tau1, tau2 = loglinear(table, 0.1, "x")
        hits += [
            inside(tau1, (around == 1).sum()), inside(tau2, (1 / around).sum()),
            inside(dis(table, 0.1, "x"), len(around) / around.sum()),
        ]  # fmt: skip
    assert hits.min() >= 13


def test_main_effects_in_closed_form_equal_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = sampled(people(np.random.default_rng(10), False), np.random.default_rng(10), 0.1)
    fitted = loglinear(table, 0.1, "x")
    monkeypatch.setattr(design, "LARGEST_DESIGN", 0)
    closed = loglinear(table, 0.1, "x")
    for one, other in zip(fitted, closed, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-6)
    monkeypatch.setattr(design, "MOST_CELLS", 0)
    refused = loglinear(table, 0.1, "x", interactions=True)[0]
    assert refused.value is None
    assert "fewer or coarser keys" in refused.why


def test_pairs_of_keys_are_needed_where_keys_go_together() -> None:
    generator = np.random.default_rng(11)
    table, around = sampled(people(generator, True), generator, 0.1)
    truth = (1 / around).sum()
    main, pairs = loglinear(table, 0.1, "x")[1], loglinear(table, 0.1, "x", interactions=True)[1]
    assert abs(pairs.value - truth) < abs(main.value - truth)
    assert pairs.value == pytest.approx(truth, rel=0.1)


def test_dis_by_formula_and_by_simulation_agree() -> None:
    table, _ = sampled(people(np.random.default_rng(12), True), np.random.default_rng(12), 0.1)
    formula, played = dis(table, 0.1, "x"), dis_simulated(table, 0.1, "x")
    assert inside(played, formula.value)
    none = dis(from_records({"a": ["x", "x"]}), 0.1, "x")
    assert (none.value, none.why) == (None, "the file has no uniques")
    assert dis(from_records({"a": ["x"]}), 0.1, "x").value == 1.0
    assert dis_simulated(from_records({"a": ["x"] * 9}), 0.1, "x").value is None


def test_wilson_is_that_of_statsmodels() -> None:
    for tries in (1, 2, 7, 300, 10**9):
        for hits in {0, 1, tries // 3, tries - 1, tries}:
            assert wilson(hits, tries) == pytest.approx(proportion_confint(hits, tries, method="wilson"), abs=1e-12)


def test_wilson_covers() -> None:
    generator = np.random.default_rng(13)
    hits = sum(low <= 0.03 <= high for low, high in (wilson(generator.binomial(300, 0.03), 300) for _ in range(400)))
    assert hits / 400 > 0.92
