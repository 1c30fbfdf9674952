"""The interval of a share of claims, beside other software, and how often it holds the truth when people differ."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.api import OLS
from statsmodels.stats.proportion import proportion_confint

from incrowd.intruder_test.interval import interval

Z = 1.959963984540054


@pytest.mark.parametrize("seed", range(8))
def test_it_is_wilsons_with_the_effective_number_of_claims(seed: int) -> None:
    draw = random.Random(seed)
    people = draw.randint(2, 12)
    who = [one for one in range(people) for _ in range(draw.randint(1, 15))]
    ability = [draw.random() for _ in range(people)]
    right = [draw.random() < ability[one] for one in who]
    right[0], right[-1] = True, False
    fit = OLS(np.array(right, float), np.ones(len(who))).fit(cov_type="cluster", cov_kwds={"groups": np.array(who)})
    share = sum(right) / len(right)
    effect = max(float(fit.cov_params()[0, 0]) / (share * (1 - share) / len(right)), 1)
    worth = len(right) / effect * (Z / t.ppf(0.975, people - 1)) ** 2
    assert interval(right, who) == pytest.approx(proportion_confint(share * worth, worth, method="wilson"), abs=1e-6)


def test_it_is_never_narrower_than_that_of_independent_claims() -> None:
    draw = random.Random(1)
    for _ in range(300):
        many = draw.randint(1, 40)
        who, share = [draw.randint(1, 8) for _ in range(many)], draw.choice([0, 0.05, 0.5, 1])
        right = [draw.random() < share for _ in range(many)]
        low, high = interval(right, who)
        plain = proportion_confint(sum(right), many, method="wilson")
        assert low <= plain[0] + 1e-9
        assert high >= plain[1] - 1e-9
        assert 0 <= low <= sum(right) / many <= high <= 1


def test_one_person_bounds_nothing_about_others() -> None:
    assert interval([False] * 500, [3] * 500) == (0, 1)
    assert interval([True] * 500, [3] * 500) == (0, 1)


def test_it_holds_the_truth_when_some_are_much_better_than_others() -> None:
    """One person in four finds most, the others hardly anybody: claims as if independent would promise far too much."""
    draw, held, naive, rounds = random.Random(7), 0, 0, 400
    truth = 0.25 * 0.6 + 0.75 * 0.02
    for _ in range(rounds):
        who = [one for one in range(10) for _ in range(12)]
        ability = [0.6 if draw.random() < 0.25 else 0.02 for _ in range(10)]
        right = [draw.random() < ability[one] for one in who]
        high = interval(right, who)[1]
        held += truth <= high
        naive += truth <= proportion_confint(sum(right), len(right), method="wilson")[1]
    assert held / rounds > 0.93  # the upper end alone, which a board is told
    assert naive / rounds < 0.85
