"""Use cases about the middle of a number and about two numbers together: mean, median, correlation."""

from __future__ import annotations

from dataclasses import replace
from math import atanh, ceil, sqrt

import numpy as np

from incrowd.keys.saying import percent
from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import Centre, Correlation
from incrowd.risk.value import Z95
from incrowd.utility.groups import (
    columns_of,
    difference,
    gone_groups,
    in_every,
    same_or_none,
    side_by_side,
    spread,
    t_quantile,
)
from incrowd.utility.judging import unjudged
from incrowd.utility.measures import pearson
from incrowd.utility.needs import Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, overlap
from incrowd.utility.registry import Around, Sides, use_case


def centre_needs(case: Centre, around: Around) -> list[Need]:
    """Moments for a mean; for a median every value with its count."""
    pair = ((case.of, case.of),)
    if case.test == "mean":
        return [Need(columns_of(case), pair)]
    return [Need(columns_of(case, case.of), pair, alone=True)]


def correlation_needs(case: Correlation, around: Around) -> list[Need]:
    """Moments of the pair by group."""
    return [Need(columns_of(case), ((case.between[0], case.between[1]),))]


def centre_rule(case: Centre) -> str:
    """How far the middle may move."""
    return f"the {case.test} of {case.of} moves by at most {percent(case.within)}" + in_every(case)


@use_case(Centre, centre_needs, centre_rule)
def centre(case: Centre, sides: Sides) -> Outcome:
    """Does the mean or median move? The change in parts of the original, in every group."""
    need = centre_needs(case, sides.around)[0]
    figures, moves = [], []
    for name, one, other, rows in side_by_side(
        case, sides.original.get(need), sides.released.get(need), lambda tally: _middle(case, tally)
    ):
        moved, deviation = difference(one, other), spread(rows, case.of)
        small = moved is not None and abs(moved) <= case.within * abs(one.value or 0.0) + 1e-12
        if moved is not None and one.value:
            moves.append(abs(moved / one.value))
        effect = None if moved is None or deviation is None else moved / deviation
        figures.append(Figure(name, one, other, effect, overlap(one, other), same_or_none(one, other, small)))
    gone = sum(figure.released.value is None and figure.original.value is not None for figure in figures)
    found = f"the largest move is {percent(max(moves, default=0))}" + gone_groups(gone)
    return _verdict(
        Outcome(case.name, case.test, centre_rule(case), True, found, "in standard deviations", tuple(figures))
    )


def pair_rule(case: Correlation) -> str:
    """How far the correlation may move."""
    one, other = case.between
    return f"the correlation of {one} and {other} moves by at most {case.within:g}" + in_every(case)


@use_case(Correlation, correlation_needs, pair_rule)
def correlation(case: Correlation, sides: Sides) -> Outcome:
    """Do two numbers still go together? Pearson's r with Fisher's interval, in every group."""
    need, pair = correlation_needs(case, sides.around)[0], (case.between[0], case.between[1])
    figures, moves = [], []
    for name, one, other, _ in side_by_side(
        case, sides.original.get(need), sides.released.get(need), lambda tally: pearson(tally.moments[pair])
    ):
        moved = difference(one, other)
        moves += [] if moved is None else [abs(moved)]
        small = moved is not None and abs(moved) <= case.within + 1e-12
        figures.append(
            Figure(name, one, other, _cohens_q(one, other), overlap(one, other), same_or_none(one, other, small))
        )
    gone = sum(figure.released.value is None and figure.original.value is not None for figure in figures)
    found = f"the largest move of r is {max(moves, default=0):.3f}" + gone_groups(gone)
    return _verdict(Outcome(case.name, case.test, pair_rule(case), True, found, "Cohen's q", tuple(figures)))


def _verdict(outcome: Outcome) -> Outcome:
    """Every figure that there is must stay. A group without one in either file had nothing to keep."""
    passed = all(figure.same is not False for figure in outcome.figures)
    if all(figure.same is None for figure in outcome.figures):
        return unjudged(outcome, "no group of the original has the figure")
    return replace(outcome, passed=passed)


def _cohens_q(one: Estimate, other: Estimate) -> float | None:
    """The change of r on Fisher's scale: 0.1 is small, 0.3 medium, 0.5 large (Cohen 1988)."""
    if one.value is None or other.value is None or abs(one.value) == 1 or abs(other.value) == 1:
        return None
    return atanh(other.value) - atanh(one.value)


def _middle(case: Centre, tally: Tally) -> Estimate:
    return _mean(case, tally) if case.test == "mean" else _median(case, tally)


def _mean(case: Centre, tally: Tally) -> Estimate:
    found = tally.by([]).moments[case.of, case.of]
    if not len(found.n) or not found.n[0]:
        return NOTHING
    n, mean = int(found.n[0]), float(found.mean_x[0])
    if n < 2:
        return Estimate(mean, records=n)
    half = t_quantile(n - 1) * sqrt(found.xx[0] / (n - 1) / n)
    return Estimate(mean, mean - half, mean + half, n)


def _median(case: Centre, tally: Tally) -> Estimate:
    """The median of a weighted column, with the distribution-free interval from order statistics."""
    one = tally.by([case.of])
    numbers = one.numbers(case.of)
    there = ~np.isnan(numbers)
    numbers, records = numbers[there], one.records[there]
    if not len(numbers):
        return NOTHING
    order = np.argsort(numbers, kind="stable")
    numbers, up_to = numbers[order], np.cumsum(records[order])
    n = int(up_to[-1])

    def at(rank: int) -> float:
        return float(numbers[np.searchsorted(up_to, min(max(rank, 1), n))])

    value = (at((n + 1) // 2) + at(n // 2 + 1)) / 2
    half = Z95 * sqrt(n) / 2
    return Estimate(value, at(int(n / 2 - half)), at(ceil(n / 2 + half) + 1), n)
