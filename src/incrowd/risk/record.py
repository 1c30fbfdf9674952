"""Risk of each record, from the size of its class in the file, in the population, or as weights estimate it."""

from __future__ import annotations

import numpy as np
from scipy.special import hyp2f1

from incrowd.keys.table import KeyTable
from incrowd.risk.value import COUNTED, Floats, Risk, interval


def file_risk(table: KeyTable, scenario: str, threshold: float = 0.2) -> tuple[Risk, ...]:
    """How likely does an intruder who knows who is in the file (prosecutor) pick the right record?

    1/f for a record in a class of f: the largest, the mean K/n (classes over people: also what an intruder who links
    everybody gets right, the marketer), the share of people with more than `threshold`, and the share of uniques.

    Misleads: it says nothing about a sample whose members are not known; then see the population. Counts people where
    a person has several records. Reference: El Emam, Guide to the De-Identification of Personal Health Information
    (2013), chapter 16.

    >>> from incrowd.keys.table import from_records
    >>> [risk.value for risk in file_risk(from_records({"age": ["30", "30", "40"]}), "all")][:2]
    [1.0, 0.6666666666666666]
    """
    sizes = table.sizes[table.sizes > 0]
    memberships = int(sizes.sum())  # a person in two classes is counted in each
    above = int(sizes[1.0 / sizes > threshold].sum()) if memberships else 0
    figures = {
        "prosecutor_max": (1.0 / table.smallest if memberships else 0.0, "1/f of the smallest class"),
        "prosecutor_mean": (len(sizes) / memberships if memberships else 0.0, "K/n"),
        "prosecutor_above": (above / memberships if memberships else 0.0, f"share of people with 1/f > {threshold:g}"),
        "uniques": (table.uniques / memberships if memberships else 0.0, "classes of one over people"),
    }
    return tuple(Risk(n, value, None, None, how, scenario, COUNTED) for n, (value, how) in figures.items())


def population_risk(table: KeyTable, scenario: str, threshold: float = 0.2) -> tuple[Risk, ...]:
    """How likely does an intruder who does not know who is in the file pick the right record, given the population?

    Journalist: 1/F for a record whose class has F people in the population; the largest and the share above the
    threshold. Marketer: the mean of 1/F over the people of the file. Also the share of the file's people who are
    unique in the file and in the population.

    Misleads: a class that the population does not have although the file does (F < f) means that the two do not fit;
    F = f is then taken, and `why` says for how many. Reference: El Emam (2013), chapter 16.
    """
    if table.population is None:
        raise ValueError("population_risk needs a table with a population")
    here = table.sizes > 0
    sizes, outside = table.sizes[here], table.population[here]
    odd = int(np.count_nonzero(outside < sizes))
    larger = np.maximum(outside, sizes)
    memberships, one = int(sizes.sum()), 1.0 / larger
    both = int(np.count_nonzero((sizes == 1) & (larger == 1)))
    why = "counted in file and population, not estimated"
    if odd:
        why += f"; {odd} classes have more people in the file than in the population, F = f is taken for them"
    figures = {
        "journalist_max": (float(one.max(initial=0.0)), "1/F of the smallest class in the population"),
        "journalist_above": (
            int(sizes[one > threshold].sum()) / max(memberships, 1),
            f"share with 1/F > {threshold:g}",
        ),
        "marketer": (float((sizes * one).sum()) / max(memberships, 1), "mean of 1/F"),
        "population_uniques_in_file": (both / max(memberships, 1), "people alone in the file and in the population"),
    }
    return tuple(Risk(n, value, None, None, how, scenario, why) for n, (value, how) in figures.items())


def individual_risk(sizes: Floats, estimated: Floats) -> Floats:
    """How likely is a link to a record right, when only sampling weights tell about the population?

    Benedetti and Franconi: with p = f / F^ (F^ is the sum of the weights of the class) the expected 1/F is
    r = (p^f / f) 2F1(f, f; f+1; 1-p) = (p/f) 2F1(1, 1; f+1; 1-p). The second form is stable and is used for every f,
    fractional ones too; f = 1 is p/(1-p) ln(1/p), and f = F^ is 1/f. sdcMicro approximates f > 2 by p / (f - (1-p)),
    which is up to 4.0% too high (f = 3, p = 0.32).

    Misleads: weights of calibrated surveys estimate the sizes of domains, not of tiny classes; F^ of a class of one
    is the weight of one person. A weight sum below f (F^ < f) is taken as f. Reference: Benedetti and Franconi (1998);
    Franconi and Polettini (2004); Rinott (2003) for the form.

    >>> [round(float(r), 7) for r in individual_risk(np.array([2.0, 1.0]), np.array([110.0, 17.0]))]
    [0.0171443, 0.1770758]
    """
    f = np.asarray(sizes, float)
    safe = np.where(f > 0, f, 1.0)
    p = np.where(f > 0, np.minimum(f / np.maximum(np.asarray(estimated, float), safe), 1.0), 1.0)
    risk = p / safe * _hypergeometric(safe, np.asarray(1.0 - p))
    return np.where(f > 0, risk, 0.0)


def _hypergeometric(f: Floats, z: Floats) -> Floats:
    """2F1(1, 1; f+1; z) for f > 0 and 0 <= z < 1.

    A logarithm for f = 1 and, where nothing cancels, f = 2; its series for f above 20, where 120 terms k! / (f+1)_k z^k
    leave less than the last digit (scipy 1.17 gives inf or nan from f = 102 on); scipy between.
    """
    value = np.ones_like(z)
    small = (f == 1.0) & (z > 0)
    value[small] = -np.log1p(-z[small]) / z[small]
    second = (f == 2.0) & (z > 0.1)
    at = z[second]
    value[second] = 2.0 * (at + (1.0 - at) * np.log1p(-at)) / at**2
    large = f > 20.0
    if large.any():
        terms, total = np.ones(int(large.sum())), np.ones(int(large.sum()))
        for k in range(1, 121):
            terms = terms * (k * z[large] / (f[large] + k))
            total = total + terms
        value[large] = total
    rest = (z > 0) & ~small & ~second & ~large
    value[rest] = hyp2f1(1.0, 1.0, f[rest] + 1.0, z[rest])
    return value


def global_risk(table: KeyTable, risks: Floats, scenario: str, threshold: float = 0.2) -> tuple[Risk, ...]:
    """What do the risks of the records come to: expected right links, their share of the file, the largest?

    `risks` has one entry for each class of the table. Sum of r is the expected number of records that are linked
    rightly; divided by n it is the global risk. The interval comes from treating links as independent: variance
    sum r(1-r). It does not hold the error of the weights themselves.
    """
    sizes = table.records.astype(float)
    n = max(float(sizes.sum()), 1.0)
    expected = float((sizes * risks).sum())
    deviation = float(np.sqrt((sizes * risks * (1.0 - risks)).sum()))
    low, high = interval(expected, deviation, 0.0, n)
    most, above = float(risks.max(initial=0.0)), float(sizes[risks > threshold].sum()) / n
    method = "benedetti-franconi, exact form"
    given = "follows from the weights; their own error is not in it"
    return (
        Risk("expected_links", expected, low, high, method, scenario, "links independent; weights taken as exact"),
        Risk("global_risk", expected / n, low / n, high / n, method, scenario, "links independent; weights as exact"),
        Risk("individual_max", most, None, None, method, scenario, given),
        Risk("individual_above", above, None, None, f"{method}; share with r > {threshold:g}", scenario, given),
    )
