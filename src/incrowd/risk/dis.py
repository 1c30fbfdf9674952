"""Data intrusion simulation: how often is a unique match the right person?"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from incrowd.keys.table import KeyTable
from incrowd.risk.value import Z95, Risk, not_estimated, wilson

NAME = "unique_match_is_right"


def dis(table: KeyTable, fraction: float, scenario: str) -> Risk:
    """If exactly one record of the file fits the person an intruder looks for, how likely is it that person?

    theta = pi n_1 / (pi n_1 + 2 (1 - pi) n_2), with n_1 classes of one, n_2 of two and sampling fraction pi. No model
    of the population is needed: a pair in the file is what a false unique match looked like before sampling.

    Misleads: it is a mean over unique matches, so a special unique is far above it (see SUDA); with few pairs it is
    unstable, and without any it is 1 and has no interval. The interval is normal for ln(theta / (1 - theta)), with
    variance 1/n_1 + 1/n_2. Reference: Elliot (2000); Skinner and Elliot (2002), JRSS B 64.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": ["1", "2", "3", "4", "5", "5"]})
    >>> round(dis(people, 0.1, "all").value, 4)
    0.1818
    """
    ones, twos = int((table.sizes == 1).sum()), int((table.sizes == 2).sum())
    if not ones:
        return not_estimated(NAME, "dis, formula", scenario, "the file has no uniques")
    theta = fraction * ones / (fraction * ones + 2.0 * (1.0 - fraction) * twos)
    if not twos or fraction >= 1.0:
        return Risk(NAME, theta, None, None, "dis, formula", scenario, "no pairs, or everybody is in the file")
    middle, half = logit(theta), Z95 * np.sqrt(1.0 / ones + 1.0 / twos)
    low, high = float(expit(middle - half)), float(expit(middle + half))
    return Risk(NAME, theta, low, high, "dis, formula", scenario, "simple random sample; interval on the log odds")


def dis_simulated(
    table: KeyTable, fraction: float, scenario: str, tries: int = 200_000, generator: np.random.Generator | None = None
) -> Risk:
    """The same by playing it: take a record out, put it back with probability pi, look for it, count unique matches.

    Agrees with the formula within its error. The interval is Wilson's for the share of right ones among the unique
    matches: the error of the game, not of the sample. The generator has a fixed seed unless one is handed in: nothing
    secret depends on it.
    """
    generator = generator or np.random.default_rng(20_000_101)
    sizes = table.sizes[table.sizes > 0]
    if not len(sizes):
        return not_estimated(NAME, "dis, simulated", scenario, "the file is empty")
    drawn = generator.choice(sizes, size=tries, p=sizes / sizes.sum())
    back = generator.random(tries) < fraction
    left = drawn - 1 + back
    right, matches = int((back & (left == 1)).sum()), int((left == 1).sum())
    if not matches:
        return not_estimated(NAME, "dis, simulated", scenario, f"no unique match in {tries} tries")
    low, high = wilson(right, matches)
    why = f"{tries} tries, {matches} unique matches; the interval is the error of the simulation"
    return Risk(NAME, right / matches, low, high, "dis, simulated", scenario, why)
