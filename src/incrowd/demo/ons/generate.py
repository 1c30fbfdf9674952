"""Data of the shape of the four files in the ONS paper, made by our own code: nobody and no house in it exists.

The same number of rows gives the same bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from incrowd.demo.draw import Floats, cumulate, pick, scale, uniforms
from incrowd.demo.files import whole_file

Columns = dict[str, list[str]]
REGIONS = ("North East", "North West", "Yorkshire", "East Midlands", "West Midlands", "East", "London", "South East",
           "South West", "Wales")  # fmt: skip
ETHNIC = ("British", "Irish", "Other White", "White and Black Caribbean", "White and Black African", "White and Asian",
          "Other Mixed", "Indian", "Pakistani", "Bangladeshi", "Chinese", "Other Asian", "African", "Caribbean",
          "Other Black", "Arab or other")  # fmt: skip
RELIGION = ("Christian", "No religion", "Muslim", "Hindu", "Sikh", "Jewish", "Buddhist", "Other religion", "Not stated",
            "Jain")  # fmt: skip
ACTIVITY = ("Employee full-time", "Employee part-time", "Self-employed with employees", "Self-employed alone",
            "Unemployed", "Student working", "Student not working", "Retired", "Home or family", "Sick or disabled",
            "Other inactive", "On a scheme", "Child")  # fmt: skip
INDUSTRY = tuple(f"SIC {letter}" for letter in "ABCDEFGHIJKLMNOPQ")
TYPES = ("Detached", "Semi-detached", "End terrace", "Mid terrace", "Bungalow", "Flat")


def skewed(u: Floats, number: int, power: float = 1.0) -> np.ndarray:
    """Which of `number` categories, the first ones more often: weights 1/1, 1/2, 1/3 ... to a power."""
    return pick(u, cumulate([1.0 / (i + 1) ** power for i in range(number)]))


def named(codes: np.ndarray, names: Sequence[str]) -> list[str]:
    """Codes as their names."""
    return [names[i] for i in codes.tolist()]


def census(rows: int) -> Columns:
    """People with the categories the census collected: 100 ages, 16 ethnic groups, 17 industries, 13 activities."""
    u = uniforms(2011, 1, 0, rows, 12)
    home = scale(u[0], max(rows // 3, 1))
    # Whoever shares a home shares a region, and mostly an ethnic group and a religion.
    place = pick(((home * 7919) % 104729) / 104729.0, cumulate([5, 13, 9, 8, 10, 10, 15, 15, 9, 6]))
    group = skewed(((home * 6007) % 98411) / 98411.0, len(ETHNIC), 1.8)
    own = u[1] < 0.1
    age = np.minimum(scale(u[2], 85) + (scale(u[3], 16) * (u[4] < 0.5)), 99)
    activity = np.where(age < 16, len(ACTIVITY) - 1, np.where(age > 66, 7, skewed(u[5], len(ACTIVITY) - 1, 0.9)))
    return {
        "person": [f"P{i:07d}" for i in range(rows)],
        "household": [f"H{i:07d}" for i in home.tolist()],
        "region": named(place, REGIONS),
        "sex": named(scale(u[6], 2), ("female", "male")),
        "age": [str(a) for a in age.tolist()],
        "ethnic_group": named(np.where(own, skewed(u[7], len(ETHNIC), 1.4), group), ETHNIC),
        "industry": named(skewed(u[8], len(INDUSTRY), 0.7), INDUSTRY),
        "economic_activity": named(activity, ACTIVITY),
        "religion": named(skewed(u[9], len(RELIGION), 1.5), RELIGION),
        "country_of_birth": named((u[10] < 0.13).astype(int), ("UK", "elsewhere")),
        "health": named(skewed(u[11], 5, 1.1), ("very good", "good", "fair", "bad", "very bad")),
    }


def energy(rows: int) -> Columns:
    """Homes with an energy certificate: ten authorities to a region, the year they were built, their consumption."""
    u = uniforms(2014, 2, 0, rows, 9)
    place, kind = skewed(u[0], 10, 0.3), skewed(u[1], len(TYPES), 0.4)
    built = 1820 + np.minimum(scale(u[2], 110) + scale(u[3], 84), 193)
    area = 30 + scale(u[4], 60) + (5 - kind) * scale(u[5], 30)
    gas = (area * 90 + scale(u[6], 12_000) + (2013 - built) * 25).astype(int)
    return {
        "dwelling": [f"D{i:07d}" for i in range(rows)],
        "local_authority": [f"LA{a:03d}" for a in (place * 10 + scale(u[7], 10)).tolist()],
        "region": named(place, REGIONS),
        "property_type": named(kind, TYPES),
        "built": [str(b) for b in built.tolist()],
        "floor_area": [str(a) for a in area.tolist()],
        "certificate_year": [str(y) for y in (2008 + scale(u[8], 6)).tolist()],
        "gas": [str(g) for g in gas.tolist()],
        "electricity": [str(e) for e in (1200 + area * 15 + scale(u[6], 3000)).tolist()],
    }


def learners(rows: int) -> Columns:
    """Enrolments in further education: some 400 learning aims, many of them rare, at 150 providers."""
    u = uniforms(2015, 3, 0, rows, 7)
    place = skewed(u[0], 9, 0.3)
    return {
        "learner": [f"L{i:07d}" for i in range(rows)],
        "region": named(place, REGIONS),
        "provider": [f"Provider {p:03d}" for p in (place * 16 + skewed(u[1], 16, 0.8)).tolist()],
        "aim": [f"Aim {a:03d}" for a in skewed(u[2], 400, 1.2).tolist()],
        "age_group": named(skewed(u[3], 3, 0.5), ("19 to 24", "25 and over", "under 19")),
        "sex": named(scale(u[4], 2), ("female", "male")),
        "level": named(scale(u[5], 4), ("entry", "1", "2", "3")),
        "outcome": named(skewed(u[6], 4, 1.0), ("achieved", "partly", "withdrawn", "no grade")),
    }


def survey(rows: int) -> Columns:
    """A household survey as registered users get it under a licence: many variables, in detail."""
    u = uniforms(2013, 4, 0, rows, 10)
    return {
        "person": [f"S{i:06d}" for i in range(rows)],
        "region": named(skewed(u[0], 10, 0.3), REGIONS),
        "age": [str(16 + a) for a in scale(u[1], 70).tolist()],
        "sex": named(scale(u[2], 2), ("female", "male")),
        "marital_status": named(skewed(u[3], 5, 0.8), ("married", "single", "divorced", "widowed", "separated")),
        "occupation": [f"SOC {o:02d}" for o in skewed(u[4], 25, 0.6).tolist()],
        "industry": named(skewed(u[5], len(INDUSTRY), 0.5), INDUSTRY),
        "household_size": [str(1 + s) for s in skewed(u[6], 7, 0.9).tolist()],
        "tenure": named(skewed(u[7], 4, 0.7), ("owned", "mortgage", "private rent", "social rent")),
        "country_of_birth": named((u[8] < 0.14).astype(int), ("UK", "elsewhere")),
        "weekly_pay": [str(p) for p in (90 + 10 * scale(u[9], 120)).tolist()],
    }


#: The files and what is in them; the survey is a tenth as long, as surveys are.
FILES: dict[str, Callable[[int], Columns]] = {
    "census": census, "energy": energy, "learners": learners, "survey": lambda rows: survey(rows // 10),
}  # fmt: skip


def write_records(folder: Path, name: str, rows: int) -> Path:
    """One of the files: census, energy, learners or survey."""
    columns, path = FILES[name](rows), folder / f"{name}.csv"
    with whole_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path
