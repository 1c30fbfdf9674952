"""What is in one row of the demo file? All columns of one batch of people, drawn from a seed.

A batch depends on its seed, its stream and its number only. So batches can be made in any order, none has
to be kept, and 56 million people need no more memory than 100,000.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa

from incrowd.demo import demographics, money, names
from incrowd.demo import weights as w
from incrowd.demo.draw import Floats, Ints, scale, uniforms
from incrowd.demo.places import draw_districts, draw_postcodes, places

# The day on which everybody is as old as `age` says: the middle of the year of the district boundaries.
REFERENCE_DAY = date(2023, 6, 30)
BATCH = 100_000  # part of what a seed means: another size makes another file

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("area", pa.string()),
        ("postcode", pa.string()),
        ("dob", pa.date32()),
        ("age", pa.int32()),
        ("gender", pa.string()),
        ("marital_status", pa.string()),
        ("num_children", pa.int32()),
        ("qualifications", pa.string()),
        ("occupation", pa.string()),
        ("income", pa.int32()),
        ("on_benefits", pa.string()),
        ("home_ownership", pa.string()),
        ("credit_score", pa.int32()),
    ]
)
# Which of a person's uniform numbers decides what.
DISTRICT = 0
DEMOGRAPHICS = slice(1, 1 + demographics.WIDTH)
MONEY = slice(DEMOGRAPHICS.stop, DEMOGRAPHICS.stop + money.WIDTH)
NAME = slice(MONEY.stop, MONEY.stop + names.WIDTH)
OUTWARD, INWARD, BIRTHDAY = NAME.stop, NAME.stop + 1, NAME.stop + 2
WIDTH = NAME.stop + 3


def draw_people(seed: int, stream: int, batch: int, rows: int) -> pa.RecordBatch:
    """Who are the first `rows` people of this batch? The same ones, whatever `rows` is."""
    uniform = uniforms(seed, stream, batch, rows, WIDTH)
    district = draw_districts(uniform[DISTRICT])
    people = demographics.draw_demographics(uniform[DEMOGRAPHICS], places().region[district])
    owns = money.draw_money(uniform[MONEY], people, district)
    columns = {
        "name": names.draw_names(uniform[NAME], people.gender, people.age),
        "area": _label(places().districts, district),
        "postcode": draw_postcodes(uniform[OUTWARD], uniform[INWARD], district),
        "dob": _births(uniform[BIRTHDAY], people.age),
        "age": people.age.astype(np.int32),
        "gender": _label(w.GENDERS, people.gender),
        "marital_status": _label(w.MARITAL, people.marital),
        "num_children": people.children.astype(np.int32),
        "qualifications": _label(w.QUALIFICATIONS, people.qualification),
        "occupation": _label(w.OCCUPATIONS, people.occupation),
        "income": owns.income.astype(np.int32),
        "on_benefits": _label(("No", "Yes"), owns.benefits.astype(np.int64)),
        "home_ownership": _label(("No", "Yes"), owns.home.astype(np.int64)),
        "credit_score": owns.credit.astype(np.int32),
    }
    return pa.record_batch([columns[field.name] for field in SCHEMA], schema=SCHEMA)


def _label(labels: tuple[str, ...], place: Ints) -> pa.Array:
    """The label at each place."""
    return pa.array(labels).take(place)


def _births(uniform: Floats, age: Ints) -> pa.Array:
    """A date of birth that makes each person `age` years old on the reference day."""
    first, days = _birth_ranges()
    born = first[age - w.YOUNGEST] + scale(uniform, days[age - w.YOUNGEST])
    return pa.array(born.astype(np.int32)).cast(pa.date32())


@cache
def _birth_ranges() -> tuple[Ints, Ints]:
    """By age: the first day of birth (in days since 1970), and how many days in a row give this age."""
    day, epoch = REFERENCE_DAY, date(1970, 1, 1)
    ages = range(w.YOUNGEST, w.OLDEST + 1)
    first = [day.replace(year=day.year - age - 1) + timedelta(days=1) for age in ages]
    last = [day.replace(year=day.year - age) for age in ages]
    days = [(end - start).days + 1 for start, end in zip(first, last, strict=True)]
    return np.array([(start - epoch).days for start in first]), np.array(days)
