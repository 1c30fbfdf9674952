"""Groups of records, as use cases ask for them, and small figures that several tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import Grouped
from incrowd.utility.outcome import NOTHING, Estimate

ALL = "all"
MISSING = "(missing)"


def columns_of(case: Grouped, *more: str) -> tuple[str, ...]:
    """The columns that a use case in groups counts by, each once."""
    return tuple(dict.fromkeys([*([case.by] if case.by else []), *(case.among or {}), *more]))


def in_every(case: Grouped) -> str:
    """' in every occupation', for the rule."""
    return f" in every {case.by}" if case.by else ""


def gone_groups(number: int) -> str:
    """'; 2 groups are gone', for what was found."""
    return "" if not number else "; 1 group is gone" if number == 1 else f"; {number} groups are gone"


def same_or_none(before: Estimate, after: Estimate, same: bool) -> bool | None:
    """Whether a conclusion stays; None where neither file has a figure, so that there is none."""
    return None if before.value is None and after.value is None else same


def groups(case: Grouped, tally: Tally) -> dict[str, Tally]:
    """The records that the use case is about, group by group, in byte order of the groups' names."""
    concerned = tally.keep(tally.where(case.among))
    if case.by is None:
        return {ALL: concerned}
    i = concerned.names.index(case.by)
    values = concerned.domains[i].values
    found = {}
    for code in sorted(set(concerned.codes[i].tolist())):
        value = values[code]
        found[MISSING if value is None else value] = concerned.keep(concerned.codes[i] == code)
    return found


def side_by_side(
    case: Grouped, before: Tally, after: Tally, measure: Callable[[Tally], Estimate]
) -> Iterator[tuple[str, Estimate, Estimate, Tally]]:
    """Each group of the original, measured in both, with its records in the original."""
    released = groups(case, after)
    for name, rows in groups(case, before).items():
        yield name, measure(rows), measure(released[name]) if name in released else NOTHING, rows


def difference(one: Estimate, other: Estimate) -> float | None:
    """How far a figure moved."""
    return None if one.value is None or other.value is None else other.value - one.value


def spread(tally: Tally, name: str) -> float | None:
    """The standard deviation of a number."""
    moments = tally.by([]).moments.get((name, name))
    if moments is None or not len(moments.n) or moments.n[0] < 2:
        return None
    return float(sqrt(moments.xx[0] / (moments.n[0] - 1))) or None


def t_quantile(df: float) -> float:
    """Student's 97.5th percentile."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))
