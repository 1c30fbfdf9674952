"""The use case regression: do the coefficients keep their signs?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.keys.natural import in_order
from incrowd.keys.tally import Float64, Tally
from incrowd.plan.use_cases import Modelled, Regression
from incrowd.risk.value import Z95
from incrowd.utility.groups import t_quantile
from incrowd.utility.judging import unjudged
from incrowd.utility.needs import Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, overlap
from incrowd.utility.propensity import independent
from incrowd.utility.registry import Around, Sides, use_case

CONSTANT = "(constant)"


class NotFitted(Exception):
    """A model that cannot be fitted; says why."""


@dataclass(frozen=True, eq=False)
class Design:
    """What a model is fitted on: a column for each term, and the records behind each row."""

    terms: tuple[str, ...]
    matrix: Float64
    records: Float64


def model_needs(case: Modelled, explained: str) -> list[Need]:
    """Every combination of what explains and what is explained."""
    return [Need(tuple(dict.fromkeys([*case.features, explained, *(case.among or {})])), alone=True)]


def regression_needs(case: Regression, around: Around) -> list[Need]:
    """The same, with the outcome."""
    return model_needs(case, case.outcome)


def regression_rule(case: Regression) -> str:
    """What the coefficients must keep."""
    rule = "each significant coefficient" + (f" of {', '.join(case.coefficients)}" if case.coefficients else "")
    rule += f" for {case.outcome}" + (f" = {case.value}" if case.value else "") + " keeps its sign and significance"
    return rule + (f", and intervals overlap by at least {case.overlap_at_least:g}" if case.overlap_at_least else "")


@use_case(Regression, regression_needs, regression_rule)
def regression(case: Regression, sides: Sides) -> Outcome:
    """Do coefficients keep sign and significance, and how far do they move? Ordinary least squares, or logistic.

    Records with a missing feature or outcome are left out. Values of a category are compared with its base: the
    plan's, or the most frequent one of the original. Misleads where coefficients are many: some change by chance alone.
    """
    need = regression_needs(case, sides.around)[0]
    before, after = _complete(case, sides.original.get(need)), _complete(case, sides.released.get(need))
    rule = regression_rule(case)
    nothing = Outcome(case.name, case.test, rule, False, "no model", "in standard errors")
    try:
        bases = base_levels(case, before)
        first = _fit(case, before, bases)
    except NotFitted as fault:
        return unjudged(nothing, f"on the original {fault}")
    try:
        second = _fit(case, after, bases)
    except NotFitted as fault:
        return replace(nothing, why=f"on the release {fault}")
    chosen = [term for term in first if _asked(case, term)]
    figures = tuple(_figure(case, term, first[term], second.get(term)) for term in chosen)
    changed = [figure.name for figure in figures if not figure.same]
    if missing := set(case.coefficients or []) - set(chosen):
        why = f"there is no coefficient {', '.join(in_order(missing))}; there are {', '.join(first)}"
        return unjudged(replace(nothing, found="no such coefficient", figures=figures), why)
    found = f"{len(figures) - len(changed)} of {len(figures)} coefficients keep what they say"
    found += f" (changed: {', '.join(changed)})" if changed else ""
    return Outcome(case.name, case.test, rule, not changed, found, "in standard errors", figures)


Coefficient = tuple[Estimate, float, float]  # with its interval, standard error and p-value


def _asked(case: Regression, term: str) -> bool:
    return term in case.coefficients if case.coefficients else term != CONSTANT


def _figure(case: Regression, term: str, first: Coefficient, second: Coefficient | None) -> Figure:
    one, error, p = first
    other, _, q = second if second is not None else (NOTHING, 0.0, None)
    shared = overlap(one, other)
    answers = [_answer(estimate, value, case.alpha) for estimate, value in ((one, p), (other, q))]
    same = answers[0] == answers[1] and (shared or 0.0) >= case.overlap_at_least
    moved = None if one.value is None or other.value is None or not error else (other.value - one.value) / error
    return Figure(term, one, other, moved, shared, same, {"p original": p, "p released": q})


def _answer(estimate: Estimate, p: float | None, alpha: float) -> str:
    if p is None or estimate.value is None:
        return "gone"
    return "nothing" if p >= alpha else ("up" if estimate.value > 0 else "down")


def _complete(case: Regression, tally: Tally) -> Tally:
    """Records with every feature and the outcome, as far as they are needed."""
    stay = tally.where(case.among)
    for name in (*case.features, case.outcome):
        values = tally.values(name)
        number = name in case.numbers or (name == case.outcome and case.value is None)
        stay &= ~np.isnan(tally.numbers(name)) if number else np.array([value is not None for value in values], bool)
    return tally.keep(stay).by([*case.features, case.outcome])


def base_levels(case: Modelled, tally: Tally) -> dict[str, str]:
    """For each category the value that others are compared with: the plan's choice, or the most frequent one."""
    if not tally.total:
        raise NotFitted("no record has all the variables")
    found = {}
    for name in case.features:
        if name not in case.numbers:
            one = tally.by([name])
            most = str(one.values(name)[int(np.argmax(one.records))])
            found[name] = case.base.get(name, most) if isinstance(case, Regression) else most
    return found


def design(case: Modelled, tally: Tally, bases: dict[str, str], levels: dict[str, Sequence[str]]) -> Design:
    """A column for each number and for each level of a category but its base."""
    terms, columns = [CONSTANT], [np.ones(len(tally.records))]
    for name in case.features:
        if name in case.numbers:
            terms.append(name)
            columns.append(tally.numbers(name))
            continue
        for level in levels[name]:
            if level != bases[name]:
                terms.append(f"{name}={level}")
                columns.append(tally.has(name, [level]).astype(np.float64))
    return Design(tuple(terms), np.column_stack(columns), tally.records.astype(np.float64))


def levels_of(case: Modelled, tally: Tally) -> dict[str, Sequence[str]]:
    """The values of each category that occur."""
    return {
        name: in_order({str(value) for value in tally.by([name]).values(name)})
        for name in case.features
        if name not in case.numbers
    }


def _fit(case: Regression, tally: Tally, bases: dict[str, str]) -> dict[str, Coefficient]:
    import statsmodels.api as sm

    levels = levels_of(case, tally)
    if not tally.total or any(base not in levels[name] for name, base in bases.items()):
        raise NotFitted("nobody is left in a category that the others are compared with")
    made = design(case, tally, bases, levels)
    if case.value is None:
        y, family = tally.numbers(case.outcome), sm.families.Gaussian()
    else:
        y, family = tally.has(case.outcome, [case.value]).astype(np.float64), sm.families.Binomial()
    if independent(made.matrix * np.sqrt(made.records)[:, None]).shape[1] < made.matrix.shape[1]:
        raise NotFitted("the features determine each other, or there are fewer records than coefficients")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = sm.GLM(y, made.matrix, family=family, freq_weights=made.records).fit()
        except Exception as error:
            raise NotFitted(f"the fit failed ({type(error).__name__})") from None
    if not found.converged or not np.isfinite(found.bse).all():
        raise NotFitted("the fit does not converge; perhaps a feature decides the outcome by itself")
    quantile = t_quantile(float(found.df_resid)) if case.value is None else Z95
    return {
        term: (Estimate(b, b - quantile * error, b + quantile * error, tally.total), error, _p(b, error, found, case))
        for term, b, error in zip(made.terms, found.params.tolist(), found.bse.tolist(), strict=True)
    }


def _p(b: float, error: float, found: object, case: Regression) -> float:
    from scipy.special import ndtr, stdtr

    if not error > 0:
        return 1.0
    size = abs(b) / error
    if case.value is None:
        return float(2 * stdtr(float(found.df_resid), -size))  # type: ignore[attr-defined]
    return float(2 * ndtr(-size))
