"""The use case t_test: do two sorts of people differ in a number, and is the answer still the same?"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import TTest
from incrowd.utility.groups import columns_of, groups, in_every, t_quantile
from incrowd.utility.judging import unjudged
from incrowd.utility.needs import Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, overlap
from incrowd.utility.registry import Around, Sides, use_case

#: Records, mean, sum of squared deviations.
Side = tuple[int, float, float]
NOBODY: Side = (0, 0.0, 0.0)
UNTESTED = "cannot be tested"


def t_needs(case: TTest, around: Around) -> list[Need]:
    """Moments by group and side."""
    return [Need(columns_of(case, *case.between), ((case.of, case.of),))]


def t_rule(case: TTest) -> str:
    """Which answer must stay."""
    one, other = next(iter(case.between.values()))
    rule = f"{case.variant.capitalize()}'s t-test of {case.of} between {one} and {other} at {case.alpha:g}"
    rule += " has the same answer" + in_every(case)
    return rule + (f", or changes it in at most {case.changes_at_most}" if case.changes_at_most else "")


@use_case(TTest, t_needs, t_rule)
def t_test(case: TTest, sides: Sides) -> Outcome:
    """Do two sorts of people differ in the mean, and is the answer the same? Student's test decides, or Welch's.

    The same answer is: no difference in both, or a difference to the same side in both. A group that cannot be tested
    in either file has none, and does not count. Misleads where a p-value moves
    across the limit by a hair; the effect size and the interval say how far the difference itself moved.
    """
    need = t_needs(case, sides.around)[0]
    before, after = (groups(case, fetched.get(need)) for fetched in (sides.original, sides.released))
    figures = tuple(
        _figure(case, name, _sides(case, rows), _sides(case, after.get(name))) for name, rows in before.items()
    )
    tested = [figure for figure in figures if figure.same is not None]
    changed = [figure.name for figure in tested if not figure.same]
    found = f"{len(tested) - len(changed)} of {len(tested)} answers stay"
    found += f" (changed: {', '.join(changed)})" if changed else ""
    found += f"; {len(figures) - len(tested)} groups cannot be tested" if len(tested) < len(figures) else ""
    passed = len(changed) <= case.changes_at_most
    outcome = Outcome(case.name, case.test, t_rule(case), passed, found, "change of Cohen's d", figures)
    if len(tested) <= case.changes_at_most:
        return unjudged(outcome, "no more groups can be tested than may change their answer")
    return outcome


def _figure(case: TTest, name: str, before: tuple[Side, Side], after: tuple[Side, Side]) -> Figure:
    student = [compare_means(*pair, welch=False) for pair in (before, after)]
    welch = [compare_means(*pair, welch=True) for pair in (before, after)]
    decides, other = (student, welch) if case.variant == "student" else (welch, student)
    beside = "Welch" if case.variant == "student" else "Student"
    d = [_cohens_d(*pair) for pair in (before, after)]
    more: Mapping[str, float | None] = {
        "p original": decides[0][1], "p released": decides[1][1],
        f"{beside}'s p original": other[0][1], f"{beside}'s p released": other[1][1],
        "d original": d[0],
    }  # fmt: skip
    effect = None if d[0] is None or d[1] is None else d[1] - d[0]
    answers = [_answer(decided, case.alpha) for decided in decides]
    same = None if set(answers) == {UNTESTED} else answers[0] == answers[1]
    one, two = decides[0][0], decides[1][0]
    return Figure(name, one, two, effect, overlap(one, two), same, more)


def _sides(case: TTest, rows: Tally | None) -> tuple[Side, Side]:
    if rows is None:
        return NOBODY, NOBODY
    variable, values = next(iter(case.between.items()))
    found = []
    for value in values:
        moments = rows.keep(rows.has(variable, [value])).by([]).moments[case.of, case.of]
        some = len(moments.n) > 0
        found.append((int(moments.n[0]), float(moments.mean_x[0]), float(moments.xx[0])) if some else NOBODY)
    return found[0], found[1]


def compare_means(a: Side, b: Side, *, welch: bool) -> tuple[Estimate, float | None]:
    """The difference of two means with its 95% interval, and the p-value of the t-test; None without variance."""
    from scipy.special import stdtr

    (n1, m1, s1), (n2, m2, s2) = a, b
    if n1 < 2 or n2 < 2:
        return NOTHING, None
    if welch:
        e1, e2 = s1 / (n1 - 1) / n1, s2 / (n2 - 1) / n2
        error = sqrt(e1 + e2)
        df = (e1 + e2) ** 2 / (e1**2 / (n1 - 1) + e2**2 / (n2 - 1)) if error > 0 else 0.0
    else:
        df = float(n1 + n2 - 2)
        error = sqrt((s1 + s2) / df * (1 / n1 + 1 / n2))
    if not error > 0:
        return Estimate(m1 - m2, records=n1 + n2), None
    half = t_quantile(df) * error
    p = float(2 * stdtr(df, -abs(m1 - m2) / error))
    return Estimate(m1 - m2, m1 - m2 - half, m1 - m2 + half, n1 + n2), p


def _answer(test: tuple[Estimate, float | None], alpha: float) -> str:
    estimate, p = test
    if p is None or estimate.value is None:
        return UNTESTED
    if p >= alpha:
        return "no difference"
    return "more" if estimate.value > 0 else "less"


def _cohens_d(a: Side, b: Side) -> float | None:
    """The difference in pooled standard deviations: 0.2 is small, 0.5 medium, 0.8 large (Cohen 1988)."""
    (n1, m1, s1), (n2, m2, s2) = a, b
    if n1 < 2 or n2 < 2 or not s1 + s2 > 0:
        return None
    return (m1 - m2) / sqrt((s1 + s2) / (n1 + n2 - 2))
