"""Who are the people? The keys of the demo file, from age to occupation.

Each is drawn given those before it: marital status by age and gender, children by age and marital status,
qualifications by age and region, occupation by qualification, age and gender. The weights are in
weights.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from incrowd.demo import weights as w
from incrowd.demo.draw import Floats, Ints, between, cumulate, pick, pick_given

Row = TypeVar("Row")
WIDTH = 7  # uniform numbers that one person needs here


@dataclass(frozen=True)
class Demographics:
    """One number per person and key: age and children as they are, else a place in a list of labels."""

    age: Ints
    gender: Ints
    marital: Ints
    children: Ints
    qualification: Ints
    occupation: Ints


@dataclass(frozen=True)
class _Thresholds:
    """The weights, cumulated; the first axis is the age less YOUNGEST wherever age counts."""

    age: Floats
    gender: Floats
    marital: Floats  # age, gender
    children: Floats  # age, marital status
    qualification: Floats  # age, region
    occupation: Floats  # age, qualification: the seven groups
    first_of_pair: Floats  # gender, group


def by_age(table: Mapping[int, Row]) -> list[Row]:
    """What holds at each age, when the table says from which age on it holds?"""
    return [table[max(start for start in table if start <= age)] for age in range(w.YOUNGEST, w.OLDEST + 1)]


def _children() -> Floats:
    """Weights by age, marital status and number of children; each of the first three counts the tilt once."""
    tilt = np.outer(by_age(w.CHILDREN_BY_AGE), w.CHILDREN_BY_MARITAL)
    powers = [np.ones_like(tilt), tilt, tilt * tilt, tilt * tilt * tilt]
    return np.stack([weight * powers[min(count, 3)] for count, weight in enumerate(w.CHILDREN)], axis=-1)


def _qualifications() -> Floats:
    """Weights by age, region and qualification."""
    tilt = 1 + np.outer(w.GRADUATE_BY_REGION, w.GRADUATE)
    return np.asarray(np.array(by_age(w.QUALIFICATIONS_BY_AGE))[:, None, :] * tilt[None, :, :])


def _occupations() -> Floats:
    """Weights by age, qualification and the seven groups of occupations."""
    factors = np.ones((w.OLDEST - w.YOUNGEST + 1, 1, 7))
    factors[:, 0, -1] = by_age(w.NO_OCCUPATION_BY_AGE)
    return np.asarray(factors * np.array(w.OCCUPATION_BY_QUALIFICATION)[None])


@cache
def _thresholds() -> _Thresholds:
    """All weights of weights.py, combined and cumulated."""
    marital = np.array(by_age(w.MARITAL_BY_AGE))[:, None, :] * np.array(w.MARITAL_BY_GENDER)[None, :, :]
    pairs = np.ones((2, 7))
    pairs[:, 3:6] = w.FIRST_OF_PAIR
    return _Thresholds(
        age=cumulate(between(w.AGES, w.YOUNGEST, w.OLDEST)),
        gender=cumulate(w.GENDER),
        marital=cumulate(marital),
        children=cumulate(_children()),
        qualification=cumulate(_qualifications()),
        occupation=cumulate(_occupations()),
        first_of_pair=pairs,
    )


# Where a group's first occupation stands in OCCUPATIONS: 1, 2, 3, 4 (or 5), 6 (or 7), 8 (or 9), 10.
GROUP_START = np.array([0, 1, 2, 3, 5, 7, 9])


def draw_demographics(uniform: Floats, region: Ints) -> Demographics:
    """Which keys has each person? `uniform` holds WIDTH numbers per person, `region` the place in REGIONS."""
    table = _thresholds()
    age = pick(uniform[0], table.age)
    gender = pick(uniform[1], table.gender)
    marital = pick_given(uniform[2], table.marital, age, gender)
    children = pick_given(uniform[3], table.children, age, marital)
    qualification = pick_given(uniform[4], table.qualification, age, region)
    group = pick_given(uniform[5], table.occupation, age, qualification)
    occupation = GROUP_START[group] + (uniform[6] >= table.first_of_pair[gender, group])
    return Demographics(age + w.YOUNGEST, gender, marital, children, qualification, occupation)
