"""What is protection worth that the file has already: sampling, imputation, and what an intruder knows wrongly?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from incrowd.risk.value import COUNTED, Risk, Scenario, not_estimated

NAME = "right_match"


def worth(
    scenario: Scenario, unique_match: Risk, largest: float, fraction: float | None, imputed: float
) -> tuple[Risk, ...]:
    """How likely is an intruder's unique match right, when each protection is taken into account in turn?

    First, for somebody who knows that the person is in the file: 1/f of the smallest class. Then sampling: without that
    knowledge the match is right with the DIS figure `unique_match`; an intruder with response knowledge is not stopped
    by sampling, and the line says so. Then times the chance that all known keys are as in the file, prod(1 - error),
    and times 1 - imputed, the share of records whose keys are real.

    Misleads: errors and imputation are taken as independent of each other and of who is unique; imputed and wrongly
    known people are rather those who stand out, so it is an upper bound more often than not. None of it protects
    somebody who is unique in the population and known to be in the file.

    >>> known = Scenario("neighbour", ("age",), {"age": 0.1})
    >>> [round(r.value, 2) for r in worth(known, Risk("t", 0.2, 0.1, 0.3, "dis", "x"), 1.0, 0.01, 0.05)]
    [1.0, 1.0, 0.9, 0.85]
    """
    first = Risk(NAME, largest, None, None, "1/f of the smallest class", scenario.name, COUNTED)
    lines = [first]
    if scenario.knows_who_is_in:
        why = "sampling is worth nothing here: the intruder knows who is in the file"
        lines.append(Risk(NAME, largest, None, None, "after sampling", scenario.name, why))
    elif fraction is None or unique_match.value is None:
        why = "the sampling fraction is not known" if fraction is None else unique_match.why
        lines.append(not_estimated(NAME, "after sampling", scenario.name, why))
    else:
        sampled = _scaled(unique_match, 1.0, "after sampling", scenario.name)
        lines.append(replace(sampled, why=f"{fraction:.4g} of the population is in the file; {sampled.why}"))
    lines.append(_scaled(lines[-1], scenario.right, "after errors in what the intruder knows", scenario.name))
    lines.append(_scaled(lines[-1], 1.0 - imputed, "after imputation", scenario.name))
    return tuple(lines)


def _scaled(risk: Risk, by: float, method: str, scenario: str) -> Risk:
    if risk.value is None:
        return not_estimated(NAME, method, scenario, risk.why)
    ends = [None if end is None else end * by for end in (risk.low, risk.high)]
    return Risk(NAME, risk.value * by, ends[0], ends[1], method, scenario, risk.why or "as before")


def disagreement(estimates: Sequence[Risk], ratio: float = 1.5) -> str | None:
    """Do estimators of the same figure disagree so much that none should be believed alone?"""
    values = {risk.method: risk.value for risk in estimates if risk.value is not None}
    if len(values) < 2 or max(values.values()) <= ratio * max(min(values.values()), 1e-12):
        return None
    told = ", ".join(f"{method} {value:.4g}" for method, value in values.items())
    return f"the estimators disagree: {told}. Take the range, not one of them."
