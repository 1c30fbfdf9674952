"""Where do people live? The 318 districts of England and Wales, their ten regions and their postcodes.

`districts.csv` is a small table of public facts as of 2023: the district, its ITL1 region, its people in
thousands (2021 census), how many per cent its people earn more or less than their region (rough), and its
outward codes, where `TS24-27` stands for TS24, TS25, TS26 and TS27. A code that lies in several districts
is named at one or two.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.demo.draw import Floats, Ints, cumulate, pick, scale

# The order of the regions in every table of the model: as the Office for National Statistics lists them.
REGIONS = (
    "North East",
    "North West",
    "Yorkshire and The Humber",
    "East Midlands",
    "West Midlands",
    "East of England",
    "London",
    "South East",
    "South West",
    "Wales",
)
# The second half of a postcode never has C I K M O V: they are mistaken for other characters in
# handwriting.
INWARD_LETTERS = "ABDEFGHJLNPQRSTUWXYZ"
INWARD_CODES = 10 * len(INWARD_LETTERS) ** 2
OUTWARD_ITEM = re.compile(r"([A-Z]{1,2})(\d{1,2})(?:-(\d{1,2})|([A-Z]))?")


@dataclass(frozen=True)
class Places:
    """The districts, ready to draw from; `first` and `size` say where a district's outward codes lie."""

    districts: tuple[str, ...]
    region: Ints
    wealth: Floats
    thresholds: Floats
    outward: tuple[str, ...]
    first: Ints
    size: Ints

    def outward_of(self, district: str) -> tuple[str, ...]:
        """Which outward codes has this district?"""
        place = self.districts.index(district)
        start = int(self.first[place])
        return self.outward[start : start + int(self.size[place])]


def spell_out(ranges: str) -> list[str]:
    """Which outward codes does a text stand for? spell_out("E1W M8-10") = ["E1W", "M8", "M9", "M10"]."""
    codes = []
    for item in ranges.split():
        match = OUTWARD_ITEM.fullmatch(item)
        if match is None:
            raise ValueError(f"districts.csv: {item!r} is no outward code")
        area, low, high, letter = match.groups()
        codes += [f"{area}{number}{letter or ''}" for number in range(int(low), int(high or low) + 1)]
    return codes


@cache
def places() -> Places:
    """What is in `districts.csv`?"""
    text = files("incrowd.demo").joinpath("districts.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    codes = [spell_out(row["outward"]) for row in rows]
    size = np.array([len(found) for found in codes], dtype=np.int64)
    return Places(
        districts=tuple(row["district"] for row in rows),
        region=np.array([REGIONS.index(row["region"]) for row in rows], dtype=np.int64),
        wealth=np.array([1 + int(row["wealth"]) / 100 for row in rows]),
        thresholds=cumulate([int(row["thousands"]) for row in rows]),
        outward=tuple(code for found in codes for code in found),
        first=np.cumsum(size) - size,
        size=size,
    )


def draw_districts(uniform: Floats) -> Ints:
    """In which district does each person live? As many people as really live there."""
    return pick(uniform, places().thresholds)


def draw_postcodes(uniform: Floats, inward_uniform: Floats, district: Ints) -> pa.Array:
    """Which postcode has each person? An outward code of the district, and any inward code."""
    here = places()
    outward = here.first[district] + scale(uniform, here.size[district])
    inward = scale(inward_uniform, INWARD_CODES)
    return pc.binary_join_element_wise(pa.array(here.outward).take(outward), _inward().take(inward), " ")


@cache
def _inward() -> pa.Array:
    """All inward codes, from 0AA to 9ZZ."""
    letters = INWARD_LETTERS
    return pa.array([f"{digit}{one}{two}" for digit in range(10) for one in letters for two in letters])


def region_of_district() -> dict[str, str]:
    """Which ITL1 region does each of the 318 districts lie in?"""
    here = places()
    return {district: REGIONS[region] for district, region in zip(here.districts, here.region, strict=True)}
