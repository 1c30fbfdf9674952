"""How many people are unique in the population, judged from a sample alone? Three estimators and a rule to choose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln

from incrowd.risk.snb import snb_uniques
from incrowd.risk.value import Z95, Floats, Risk, interval, not_estimated

NAME = "population_uniques"
_ASSUMES = "interval: sampling error under the model; it does not hold the model's own error"


def pitman(sizes: Floats, numbers: Floats, fraction: float, scenario: str) -> Risk:
    """Which share of the population is unique, if its classes grew as in Pitman's sampling formula?

    theta and alpha maximise the likelihood of the class sizes, n_j classes of size j, K in all:
    sum_{i<K} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j n_j sum_{l<j} ln(l - alpha); then
    S1 = Gamma(theta+1) / Gamma(theta+alpha) N^alpha, with N = n / fraction; the figure is S1 / N.

    Misleads: the best of the three for small fractions (up to a tenth), an extrapolation all the same; where classes
    are capped by a few coarse keys, alpha goes to 0 and it says that it did not converge. The interval is the delta
    method on the observed information, on the scale of ln S1, with the variance of S1 itself. Reference: Hoshino
    (2001), Journal of Official Statistics 17.

    >>> pitman(np.array([1.0, 2.0]), np.array([60.0, 10.0]), 0.1, "all").method
    'pitman'
    """
    n, classes = float((sizes * numbers).sum()), float(numbers.sum())
    if not _count(sizes, numbers, 1) or classes == n or classes < 3:
        return not_estimated(NAME, "pitman", scenario, "needs classes of one and larger ones; does not converge")

    def minus(point: Floats) -> float:
        theta, alpha = _parameters(point)
        return -_likelihood(theta, alpha, sizes, numbers, n, classes)

    starts = [np.array([np.log(0.5 * classes), 0.0]), np.array([np.log(2.0 * n), -2.0]), np.array([0.0, 1.0])]
    best = min((minimize(minus, start, method="Nelder-Mead", options=_FINE) for start in starts), key=lambda b: b.fun)
    theta, alpha = _parameters(best.x)
    slope = _score(theta, alpha, sizes, numbers, n, classes)
    if not (1e-4 < alpha < 1 - 1e-6) or abs(slope[0]) > 1e-3 or abs(slope[1]) > 1e-2 * max(n, 1.0) ** 0.5:
        return not_estimated(NAME, "pitman", scenario, "the likelihood has no maximum inside; does not converge")
    people = n / fraction
    log_uniques = _log_uniques(best.x, people)
    try:
        covariance = np.linalg.inv(_hessian(minus, best.x))
        gradient = np.array([(_log_uniques(best.x + h, people) - _log_uniques(best.x - h, people)) / 2e-4
                             for h in 1e-4 * np.eye(2)])  # fmt: skip
        spread = float(gradient @ covariance @ gradient)
    except np.linalg.LinAlgError:
        spread = float("nan")
    value = float(np.exp(log_uniques)) / people
    if not 0 < spread < 4:
        return Risk(NAME, min(value, 1.0), None, None, "pitman", scenario, "the likelihood is too flat for an interval")
    half = Z95 * float(np.sqrt(spread + (1.0 - fraction) / max(value * people, 1.0)))
    return Risk(NAME, min(value, 1.0), value * float(np.exp(-half)), min(value * float(np.exp(half)), 1.0), "pitman",
                scenario, _ASSUMES)  # fmt: skip


def zayatz(sizes: Floats, numbers: Floats, fraction: float, scenario: str) -> Risk:
    """Which share of the population is unique, if its classes have the sizes that the sample's classes have?

    The chance that a sample unique is a population unique is P = n_1 h(1) / sum_j n_j h(j), where h(j) is the
    hypergeometric chance that exactly one of j people falls into the sample; S1 = n_1 P / fraction, the figure S1 / N.

    Misleads: sizes in a sample are smaller than in the population, so it is too high, and the more so the smaller the
    fraction. Reference: Zayatz (1991), US Bureau of the Census.
    """
    n, classes = float((sizes * numbers).sum()), float(numbers.sum())
    ones = _count(sizes, numbers, 1)
    if not ones or not classes:
        return not_estimated(NAME, "zayatz", scenario, "the sample has no uniques")
    people = round(n / fraction)
    once = _once(sizes, n, people)
    total = float((numbers * once).sum())
    first = float(once[sizes == 1][0])
    value = min(ones * ones * first / total / n, 1.0)  # above by rounding alone
    # Delta method; numbers of classes of each size as independent Poisson counts.
    slopes = -value * once / total
    slopes[sizes == 1] += 2.0 * value / ones
    low, high = interval(value, float(np.sqrt((slopes**2 * numbers).sum())), 0.0, 1.0)
    return Risk(NAME, value, low, high, "zayatz", scenario, _ASSUMES)


def snb(sizes: Floats, numbers: Floats, fraction: float, scenario: str, draws: int = 100) -> Risk:
    """Which share of the population is unique, if class sizes less one are negative binomial? See `risk/snb.py`.

    The interval is a percentile bootstrap: the numbers of classes of each size are drawn as Poisson counts.
    """
    uniques = snb_uniques(sizes, numbers, fraction)
    people = float((sizes * numbers).sum()) / fraction
    if uniques is None:
        return not_estimated(NAME, "snb", scenario, "the moment equations have no solution; does not converge")
    generator = np.random.default_rng(20_110_327)
    tries = [snb_uniques(sizes, generator.poisson(numbers).astype(float), fraction) for _ in range(draws)]
    found = [each for each in tries if each is not None]
    if len(found) < 0.8 * draws:
        why = f"only {len(found)} of {draws} bootstrap draws converge, so there is no interval"
        return Risk(NAME, uniques / people, None, None, "snb", scenario, why)
    low, high = np.percentile(found, [2.5, 97.5]) / people
    return Risk(NAME, uniques / people, float(low), float(min(high, 1.0)), "snb", scenario, _ASSUMES)


def dankar(estimates: dict[str, Risk], fraction: float, scenario: str) -> Risk:
    """Which of the three estimates to believe? Pitman up to a tenth sampled, else the smaller of SNB and Zayatz.

    Where the chosen one did not converge the others are tried in the order Zayatz, SNB, Pitman, and `why` says so.
    Reference: Dankar, El Emam, Neisa, Roffey (2012), BMC Medical Informatics and Decision Making 12:66.
    """
    here = {name: risk for name, risk in estimates.items() if risk.value is not None}
    if fraction <= 0.1 and "pitman" in here:
        chosen, how = here["pitman"], "fraction <= 0.1: Pitman"
    elif fraction > 0.1 and "snb" in here and "zayatz" in here:
        chosen = min(here["snb"], here["zayatz"], key=lambda risk: risk.value or 0.0)
        how = f"fraction > 0.1: the smaller of SNB and Zayatz, which is {chosen.method}"
    elif here:
        chosen = next(here[name] for name in ("zayatz", "snb", "pitman") if name in here)
        how = f"the estimator of choice did not converge; {chosen.method} instead"
    else:
        return not_estimated(NAME, "dankar", scenario, "no estimator converges")
    return Risk(NAME, chosen.value, chosen.low, chosen.high, "dankar", scenario, f"{how}; {chosen.why}")


_FINE = {"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000}


def _count(sizes: Floats, numbers: Floats, size: int) -> float:
    return float(numbers[sizes == size].sum())


def _parameters(point: Floats) -> tuple[float, float]:
    # Neither reaches its end: alpha = 0 and alpha = 1 are other models, with formulas of their own.
    return float(np.exp(np.clip(point[0], -30, 40))), float(1.0 / (1.0 + np.exp(-np.clip(point[1], -30, 30))))


def _likelihood(theta: float, alpha: float, sizes: Floats, numbers: Floats, n: float, classes: float) -> float:
    first = (classes - 1) * np.log(alpha) + gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
    second = gammaln(theta + n) - gammaln(theta + 1)
    third = (numbers * (gammaln(sizes - alpha) - gammaln(1.0 - alpha))).sum()
    return float(first - second + third)


def _score(theta: float, alpha: float, sizes: Floats, numbers: Floats, n: float, classes: float) -> tuple[float, float]:
    ratio = theta / alpha
    rise = digamma(ratio + classes) - digamma(ratio + 1)
    by_theta = rise / alpha - (digamma(theta + n) - digamma(theta + 1))
    by_alpha = (
        (classes - 1) / alpha - ratio / alpha * rise - (numbers * (digamma(sizes - alpha) - digamma(1.0 - alpha))).sum()
    )
    return float(by_theta), float(by_alpha)


def _log_uniques(point: Floats, people: float) -> float:
    theta, alpha = _parameters(point)
    return float(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(people))


def _hessian(function: Callable[[Floats], float], at: Floats, step: float = 1e-3) -> Floats:
    moves = step * np.eye(len(at))
    values = [
        [function(at + a + b) - function(at + a - b) - function(at - a + b) + function(at - a - b) for b in moves]
        for a in moves
    ]
    return np.array(values) / (4 * step * step)


def _once(sizes: Floats, n: float, people: float) -> Floats:
    """The hypergeometric chance that exactly one of `sizes` people is among the n sampled of `people`."""
    out = people - n
    room = np.maximum(out - sizes + 1, -0.5)
    log = np.log(sizes) + np.log(n) + gammaln(out + 1) - gammaln(room + 1) + gammaln(people - sizes + 1)
    chance = np.exp(log - gammaln(people + 1))
    return np.where(out - sizes + 1 >= 0, chance, 0.0)
