"""Can a use case be judged at all? A question about a variable that says nothing is answered alike by any file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import UseCase
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Outcome


def judge(outcome: Outcome, case: UseCase, needs: Sequence[Need], original: Fetched, released: Fetched) -> Outcome:
    """The verdict, unless a variable that the use case names has one value, or nobody is concerned.

    Where that is so in the original, the use case cannot fail, and so cannot be judged: it may be the recoding that
    left one value, since the original is brought to the release's categories. Where it is so in the release alone, the
    question cannot be asked of it, and the use case fails.
    """
    if why := _says_nothing(case, needs, original):
        return unjudged(outcome, f"in the original, at the release's categories, {why}")
    if why := _says_nothing(case, needs, released):
        return replace(outcome, passed=False, why=_both(f"in the release {why}", outcome.why))
    return outcome


def unjudged(outcome: Outcome, why: str) -> Outcome:
    """The use case cannot be judged, which is no pass."""
    return replace(outcome, passed=False, judged=False, why=_both(why, outcome.why))


def _both(one: str, other: str) -> str:
    return f"{one}; {other}" if other else one


def _says_nothing(case: UseCase, needs: Sequence[Need], fetched: Fetched) -> str:
    """Which variable of the use case has one value, in words; empty when all have more."""
    among = getattr(case, "among", None) or {}
    asked = {name for place, name in case.named() if not place.startswith("among.")}
    for need in needs:
        whole = fetched.tallies[need]
        for name in need.by:
            if _values(whole, name) < 2:
                return _one_value(name, whole)
        concerned = whole.keep(whole.where(among))
        if not concerned.total:
            return "no record meets its condition"
        for name in need.by:
            if name in asked and _values(concerned, name) < 2:
                return _one_value(name, concerned)
        for pair in need.pairs:
            moments = concerned.by([]).moments[pair]
            for name, spread in zip(pair, (moments.xx, moments.yy), strict=True):
                if not float(spread.sum()) > 0:
                    return f"{name} has one number, or none"
    return ""


def _values(tally: Tally, name: str) -> int:
    return len(np.unique(tally.codes[tally.names.index(name)][tally.records > 0]))


def _one_value(name: str, tally: Tally) -> str:
    there = [value for value, records in zip(tally.values(name), tally.records.tolist(), strict=True) if records]
    if not there:
        return "no record is left"
    return f"{name} is missing everywhere" if there[0] is None else f"{name} has one value"
