"""What would an intruder like to learn? The sensitive columns: income, benefits, home, credit score.

Income follows occupation, qualification, age and place. Benefits follow income and children. A home follows
age, income, marriage and place. The credit score follows all of them. Nothing here changes a key, so the
calibration of weights.py stays as it is.

The one gap in pay between women and men is in occupations 4 and 5, where the study finds one (p = .029 among
100,000 people): GAP of the pay, which a t-test on as many people nearly always sees. Elsewhere gender has no
way to reach income.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.demo import weights as w
from incrowd.demo.demographics import Demographics
from incrowd.demo.draw import STEPS, Floats, Ints, between, lognormal_table, normal_table, scale
from incrowd.demo.places import places

Bools = npt.NDArray[np.bool_]
NO_OCCUPATION = len(w.OCCUPATIONS) - 1
FEMALE = w.GENDERS.index("Female")
WIDTH = 4  # uniform numbers that one person needs here

# Pounds a year at thirty, with Level 3, in an average place. 6 and 7 pay the same, as gender has a say in
# which of the two it is.
PAY = np.array([46_000, 42_000, 34_500, 27_000, 27_400, 21_500, 21_500, 22_500, 19_500, 9_500])
PAY_BY_QUALIFICATION = np.array([0.86, 0.92, 0.96, 1, 1.03, 1.16, 1.3])
CAREER = ((16, 0.6), (22, 0.85), (30, 1), (45, 1.1), (60, 1.05), (70, 0.92), (95, 0.85))
PAY_BY_AGE = between(CAREER, w.YOUNGEST, w.OLDEST)
# In the order of REGIONS.
PAY_BY_REGION = np.array([0.955, 0.98, 0.965, 0.93, 0.935, 1.04, 1.24, 1.1, 1, 0.97])
GAP, GAP_IN = 0.02, (3, 4)
SPREAD = lognormal_table(0.27)

# The income at which half of those who would take benefits get them; what each of four children adds to it.
NEED, NEED_PER_CHILD = 31_500, 1_300
# Not everybody takes what they could have.
TAKE_UP = 0.92

# The odds of owning one's home at an income of £27,000: by age, times by marital status, times by region.
HOME_BY_AGE = between(((16, 0.06), (25, 0.3), (35, 1.4), (50, 5), (65, 14), (95, 18)), w.YOUNGEST, w.OLDEST)
HOME_BY_MARITAL = np.array([0.7, 1.6, 0.8, 1.2])
HOME_BY_REGION = np.array([1, 1.05, 1, 1.1, 1, 1.05, 0.5, 1.05, 1.1, 1.1])

CREDIT_BY_AGE = between(((16, 0), (30, 30), (60, 75), (95, 85)), w.YOUNGEST, w.OLDEST)
NORMAL = normal_table()


@dataclass(frozen=True)
class Money:
    """One value per person and sensitive column."""

    income: Ints
    benefits: Bools
    home: Bools
    credit: Ints


def draw_money(uniform: Floats, people: Demographics, district: Ints) -> Money:
    """What has each person? `uniform` holds WIDTH numbers per person."""
    income = _income(uniform[0], people, district)
    benefits = _benefits(uniform[1], people, income)
    home = _home(uniform[2], people, district, income)
    credit = _credit(uniform[3], people, income, benefits, home)
    return Money(income, benefits, home, credit)


def _income(uniform: Floats, people: Demographics, district: Ints) -> Ints:
    """Pounds a year: the product of what each trait is worth, and luck."""
    here = places()
    loses = (people.gender == FEMALE) & np.isin(people.occupation, GAP_IN)
    worth = PAY_BY_QUALIFICATION[people.qualification] * PAY_BY_AGE[people.age - w.YOUNGEST]
    worth = worth * PAY_BY_REGION[here.region[district]] * here.wealth[district]
    # Support and basic pensions are the same for all: without an occupation, only luck makes a difference.
    pay = PAY[people.occupation] * np.where(people.occupation == NO_OCCUPATION, 1.0, worth)
    pay = pay * np.where(loses, 1 - GAP, 1.0) * SPREAD[scale(uniform, STEPS)]
    return np.floor(pay + 0.5).astype(np.int64)


def _benefits(uniform: Floats, people: Demographics, income: Ints) -> Bools:
    """Whether a person is on benefits: p = TAKE_UP / (1 + x^12), x = income / need, falls steeply."""
    x = income / (NEED + NEED_PER_CHILD * np.minimum(people.children, 4))
    squared = x * x
    fourth = squared * squared
    return np.asarray(uniform * (1 + fourth * fourth * fourth) < TAKE_UP)


def _home(uniform: Floats, people: Demographics, district: Ints, income: Ints) -> Bools:
    """Whether a person owns the home: odds in proportion to the square of the income."""
    x = income / 27_000
    odds = HOME_BY_AGE[people.age - w.YOUNGEST] * HOME_BY_MARITAL[people.marital] * x * x
    odds = odds * HOME_BY_REGION[places().region[district]]
    return np.asarray(uniform * (1 + odds) < odds)


def _credit(
    uniform: Floats,
    people: Demographics,
    income: Ints,
    benefits: Bools,
    home: Bools,
) -> Ints:
    """A score from 0 to 999: more with income, age and a home, less on benefits, and luck."""
    x = income / 25_000
    score = 330 + 360 * x / (1 + x) + CREDIT_BY_AGE[people.age - w.YOUNGEST] + 60 * home - 55 * benefits
    score = score + 85 * NORMAL[scale(uniform, STEPS)]
    return np.asarray(np.clip(np.floor(score + 0.5), 0, 999), dtype=np.int64)
