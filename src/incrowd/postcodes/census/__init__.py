"""The census inside: people of England and Wales 2011 by postcode sector, the names of areas, regions of authorities.

Public figures of the Office for National Statistics (NOTICE.md names source and licence); `make.py` made the files
beside this one. Coarser components are sums of the sectors. Nothing finer than a sector is in it.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np

from incrowd.postcodes.count import Places

#: To be shown wherever its figures are.
SOURCE = (
    "Office for National Statistics, census of England and Wales 2011, postcode estimates; Open Government Licence v3.0"
)
_DAY = "on census day, 27 March 2011"
#: The populations, in the order in which they are shown, and what their figures are.
POPULATIONS: Mapping[str, str] = MappingProxyType(
    {
        "people": f"People who usually lived there {_DAY}.",
        "males": f"Males who usually lived there {_DAY}.",
        "females": f"Females who usually lived there {_DAY}.",
        "households": f"Households with at least one person who usually lived there {_DAY}.",
    }
)


@dataclass(frozen=True)
class Region:
    """A region of the International Territorial Levels (ITL), as of January 2021."""

    code: str
    name: str


@dataclass(frozen=True)
class Authority:
    """A local authority of 2023 and its regions, the largest first. A few lie in two regions of one level."""

    code: str
    name: str
    itl1: tuple[Region, ...]
    itl2: tuple[Region, ...]
    itl3: tuple[Region, ...]

    @property
    def regions(self) -> dict[str, tuple[Region, ...]]:
        """Its regions by level."""
        return {"ITL 1": self.itl1, "ITL 2": self.itl2, "ITL 3": self.itl3}


@cache
def read_census() -> Places:
    """The people of England and Wales by postcode sector, as any other file of places.

    It misleads in two ways. A sector that was given out after 2011 is not in it. And the Office swapped some records
    between places before it published: a single small figure may not be exact.

    >>> places = read_census()
    >>> len(places.codes), int(places.sizes["people"].sum())
    (8246, 56075912)
    """
    lines = list(csv.DictReader(io.StringIO(gzip.decompress(_read("sectors.csv.gz")).decode("utf-8"))))
    sizes = {
        name: np.array([int(line[name]) for line in lines], np.int64) for name in ("males", "females", "households")
    }
    sizes = {"people": sizes["males"] + sizes["females"], **sizes}
    for values in sizes.values():
        values.setflags(write=False)  # every caller gets the same ones
    return Places(
        "the census of 2011", "sector", tuple(line["code"] for line in lines), sizes,
        np.ones(len(lines), np.int64), False, explained=POPULATIONS,
    )  # fmt: skip


@cache
def area_names() -> Mapping[str, str]:
    """The town or place that each postcode area is named after; areas that are no place have none.

    >>> area_names()["NE"]
    'Newcastle'
    """
    return MappingProxyType({line["area"]: line["name"] for line in _lines("areas.csv")})


@cache
def authorities() -> Mapping[str, Authority]:
    """The local authorities of the United Kingdom in 2023 by code, each with its regions.

    >>> authorities()["E08000021"].name, [region.name for region in authorities()["E08000021"].itl1]
    ('Newcastle upon Tyne', ['North East (England)'])
    """
    lines: dict[str, list[dict[str, str]]] = {}
    for line in _lines("authorities.csv"):
        lines.setdefault(line["code"], []).append(line)
    return MappingProxyType({code: _authority(code, own) for code, own in lines.items()})


def find_authorities(text: str) -> tuple[Authority, ...]:
    """The local authorities of this code or name; else those whose name holds the text, where it has three letters.

    >>> [one.code for one in find_authorities("gateshead")]
    ['E08000037']
    """
    wanted = text.strip().casefold()
    known = authorities().values()
    exact = tuple(one for one in known if wanted in (one.code.casefold(), one.name.casefold()))
    if exact or len(wanted) < 3:
        return exact
    return tuple(one for one in known if wanted in one.name.casefold())


def _authority(code: str, lines: list[dict[str, str]]) -> Authority:
    one, two, three = (
        tuple(dict.fromkeys(Region(line[f"itl{level}"], line[f"itl{level}_name"]) for line in lines)) for level in "123"
    )
    return Authority(code, lines[0]["name"], one, two, three)


def _lines(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_read(name).decode("utf-8"))))


def _read(name: str) -> bytes:
    return files(__name__).joinpath(name).read_bytes()
