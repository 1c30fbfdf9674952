"""Poisson log-linear models: sample uniques that are population uniques, from how the keys go together."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from incrowd.keys.packing import pack
from incrowd.keys.table import Domain, Int64, KeyTable
from incrowd.risk.value import Floats, Risk, interval, not_estimated

TAU1, TAU2 = "sample_uniques_that_are_population_uniques", "expected_right_guesses_on_sample_uniques"
#: A design of more numbers than this (cells times columns) is not given to statsmodels: the closed form is used.
LARGEST_DESIGN = 2_000_000
#: The all-pairs model is fitted on the whole cross of the keys up to so many cells.
MOST_CELLS = 1_000_000


def loglinear(table: KeyTable, fraction: float, scenario: str, interactions: bool = False) -> tuple[Risk, Risk]:
    """How many sample uniques are population uniques, if the keys follow a log-linear model?

    f ~ Poisson(pi lambda) in every cell of the cross of the keys, also the empty ones; ln lambda is a sum of the keys'
    main effects, with `interactions` also of all pairs. With mu the fitted mean of f, lambda = mu / pi, and over the
    sample uniques tau1 = sum exp(-lambda (1-pi)) counts population uniques and
    tau2 = sum (1 - exp(-lambda (1-pi))) / (lambda (1-pi)) expects right guesses (the sum of E 1/F).

    Misleads: main effects alone underfit and make people look rarer than they are (tau too high); all pairs on a sparse
    table overfit. Where the two disagree much, neither is to be believed alone. sdcMicro's modRisk takes the sample's
    mean for lambda and is several times off; it is not matched. Missing values and structural zeros count as cells,
    values that nobody has do not. The interval holds the randomness of the population given the model and, for main
    effects where statsmodels fitted them, of the coefficients. Reference: Skinner and Holmes (1998); Skinner and Shlomo
    (2008), JASA 103.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": ["1", "1", "2"], "sex": ["f", "m", "m"]})
    >>> loglinear(people, 0.5, "all")[0].method
    'poisson log-linear, main effects'
    """
    method = "poisson log-linear, " + ("all pairs" if interactions else "main effects")
    table = _occurring(table)
    spans = [len(domain) for domain in table.domains]
    alone = np.flatnonzero(table.sizes == 1)
    if not len(alone):
        return _neither(method, scenario, "the file has no uniques")
    cells, columns = float(np.prod([float(span) for span in spans])), 1 + sum(span - 1 for span in spans)
    if interactions:
        if cells > MOST_CELLS:
            why = f"{cells:,.0f} cells are more than is fitted; use fewer or coarser keys"
            return _neither(method, scenario, why)
        mean = _proportional(table, spans, alone)
        if mean is None:
            return _neither(method, scenario, "the fit does not converge")
        return _taus(mean, None, fraction, method, scenario)
    if cells * columns > LARGEST_DESIGN:
        return _taus(_independent(table, alone), None, fraction, method, scenario)
    fitted = _fit(table, spans, alone)
    if fitted is None:
        return _neither(method, scenario, "the fit does not converge")
    return _taus(fitted[0], fitted[1:], fraction, method, scenario)


def _occurring(table: KeyTable) -> KeyTable:
    """Without values that no record has, which suppression and a population leave behind: they are no cells of the
    file, and a coefficient of theirs has no estimate.
    """
    if table.pairs is not None:
        return table
    here = table.records > 0
    domains, codes = [], []
    for domain, old in zip(table.domains, table.codes, strict=True):
        there, new = np.unique(old[here], return_inverse=True)
        domains.append(Domain(domain.name, tuple(domain.values[code] for code in there.tolist())))
        codes.append(new.astype(np.int32))
    return KeyTable(tuple(domains), np.array(codes, np.int32).reshape(len(codes), -1), table.records[here])


def _neither(method: str, scenario: str, why: str) -> tuple[Risk, Risk]:
    return not_estimated(TAU1, method, scenario, why), not_estimated(TAU2, method, scenario, why)


def _taus(
    mean: Floats, fit: tuple[Floats, Floats] | None, fraction: float, method: str, scenario: str
) -> tuple[Risk, Risk]:
    hidden = mean / fraction * (1.0 - fraction)  # lambda (1 - pi): people of the cell who are not in the file
    none = np.exp(-hidden)
    guess = np.where(hidden > 1e-8, -np.expm1(-hidden) / np.maximum(hidden, 1e-300), 1.0 - hidden / 2)
    # E 1/(1+X)^2 for Poisson X, by its first terms and, for large means, by 1/m^2.
    squares = _mean_square(hidden)
    spread = [float((none * (1.0 - none)).sum()), float(np.maximum(squares - guess**2, 0.0).sum())]
    why = "given the model; coefficients taken as exact"
    if fit is not None:
        design, covariance = fit
        slopes = (-hidden * none, none - guess)  # by the linear predictor, of which ln lambda is made
        for i, slope in enumerate(slopes):
            gradient = slope @ design
            spread[i] += float(gradient @ covariance @ gradient)
        why = "given the model; error of the coefficients and of the population in the interval"
    values, top = (float(none.sum()), float(guess.sum())), float(len(mean))
    risks = []
    for name, value, variance in zip((TAU1, TAU2), values, spread, strict=True):
        low, high = interval(value, float(np.sqrt(variance)), 0.0, top)
        risks.append(Risk(name, value, low, high, method, scenario, why))
    return risks[0], risks[1]


def _mean_square(mean: Floats) -> Floats:
    total, term = np.zeros_like(mean), np.exp(-np.minimum(mean, 60.0))
    for x in range(200):
        total += term / (1.0 + x) ** 2
        term = term * np.minimum(mean, 60.0) / (x + 1)
    return np.where(mean > 60.0, 1.0 / np.maximum(mean, 1.0) ** 2, total)


def _independent(table: KeyTable, alone: Int64) -> Floats:
    """The fitted means of the main-effects model at some classes: n times the shares of their values, exactly."""
    n = float(table.records.sum())
    mean = np.full(len(alone), n)
    for domain, codes in zip(table.domains, table.codes, strict=True):
        share = np.bincount(codes, weights=table.records.astype(float), minlength=len(domain)) / n
        mean *= share[codes[alone]]
    return mean


def _fit(table: KeyTable, spans: list[int], alone: Int64) -> tuple[Floats, Floats, Floats] | None:
    """The main effects by statsmodels: means, design rows and coefficient covariance at the sample uniques.

    The sufficient statistics are the margins of the keys, so the fit equals `_independent`; what it adds is the
    covariance of the coefficients.
    """
    import statsmodels.api as sm  # only here: the import takes seconds

    grid = np.indices(spans).reshape(len(spans), -1)
    counts = np.zeros(grid.shape[1])
    at = pack(list(table.codes), spans)
    counts[at] = table.records
    main = [(grid[i][:, None] == np.arange(1, span)).astype(float) for i, span in enumerate(spans)]
    design = np.concatenate([np.ones((len(counts), 1)), *main], axis=1)
    with np.errstate(all="ignore"):
        fit = sm.GLM(counts, design, family=sm.families.Poisson()).fit(maxiter=100)
    if not fit.converged or not np.isfinite(fit.params).all():
        return None
    rows = design[at[alone]]
    return np.exp(rows @ fit.params), rows, np.asarray(fit.cov_params(), float)


def _proportional(table: KeyTable, spans: list[int], alone: Int64, rounds: int = 200) -> Floats | None:
    """The all-pairs model by iterative proportional fitting of the two-way margins.

    On sparse tables coefficients go to infinity and Newton steps fail; the fitted means have a limit all the same, and
    this finds it. None when a margin is still off by more than 0.01 people after `rounds`.
    """
    counts = np.zeros(spans)
    counts[tuple(table.codes)] = table.records
    pairs: list[tuple[int, ...]] = [*combinations(range(len(spans)), 2)] or [(0,)]
    others = [tuple(i for i in range(len(spans)) if i not in pair) for pair in pairs]
    margins = [counts.sum(axis=rest, keepdims=True) for rest in others]
    fitted = np.full(spans, counts.sum() / counts.size)
    for _ in range(rounds):
        off = 0.0
        for rest, margin in zip(others, margins, strict=True):
            now = fitted.sum(axis=rest, keepdims=True)
            off = max(off, float(np.abs(now - margin).max()))
            fitted *= np.divide(margin, now, out=np.zeros_like(now), where=now > 0)
        if off < 0.01:
            return np.asarray(fitted[tuple(codes[alone] for codes in table.codes)], float)
    return None
