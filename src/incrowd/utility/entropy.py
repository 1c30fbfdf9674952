"""The use case entropy_ratio: how much information is left in the columns?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.keys.table import Int64
from incrowd.plan.use_cases import EntropyRatio
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Estimate, Figure, Outcome

JOINT = "keys together"


def entropy(counts: Int64) -> float:
    """Shannon's entropy in bits of values with these counts.

    >>> entropy(np.array([2, 1, 1]))
    1.5
    """
    there = counts[counts > 0]
    shares = there / max(there.sum(), 1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def entropy_needs(columns: Sequence[str], keys: Sequence[str]) -> list[Need]:
    """Each column's counts, and the keys' together. A column that is no key may have many values."""
    together = tuple(name for name in columns if name in keys)
    return [
        *(Need((name,), alone=name not in keys) for name in columns),
        *([Need(together)] if len(together) > 1 else []),
    ]


def entropy_ratio(
    case: EntropyRatio, columns: Sequence[str], keys: Sequence[str], came: Fetched, released: Fetched
) -> Outcome:
    """(sum of H released) / (sum of H as it came) over the columns; beside it the joint ratio of the keys.

    Here the original is the file as it came, with its fine categories: recoding is the loss that is asked for. A
    missing value counts as a value. Misleads in both directions: a number with very many values has the most bits
    and hardly loses any, and bits say nothing of what they are good for.
    """
    figures = []
    for need in entropy_needs(columns, keys):
        before, after = came.get(need), released.get(need)
        h, left = entropy(before.records), entropy(after.records)
        ratio = left / h if h else 1.0
        name = need.by[0] if len(need.by) == 1 else JOINT
        sides = Estimate(h, records=before.total), Estimate(left, records=after.total)
        figures.append(Figure(name, *sides, ratio - 1, None, None))
    single = [figure for figure in figures if figure.name != JOINT]
    sums = [sum(getattr(figure, side).value or 0.0 for figure in single) for side in ("original", "released")]
    summed = sums[1] / sums[0] if sums[0] else 1.0
    joint = next((1 + (figure.effect or 0.0) for figure in figures if figure.name == JOINT), None)
    decides = joint if case.joint and joint is not None else summed
    rule = f"the {'joint ' if case.joint else ''}entropy of the release is at least {case.at_least:g} of the original's"
    found = f"{summed:.3f} summed over {len(single)} columns" + ("" if joint is None else f", {joint:.3f} jointly")
    return Outcome(
        case.name,
        case.test,
        rule,
        decides >= case.at_least - 1e-12,
        found,
        "ratio",
        tuple(figures),
        beside="the file as it came",
    )
