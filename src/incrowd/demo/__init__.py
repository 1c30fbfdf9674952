"""The synthetic population that ships with the project: nobody in it exists, and it behaves as if they did.

`write_demo("people.csv", rows=100_000, seed=1)` writes it. The files of the room:

    draw.py          how a seed becomes choices, to the same bit on every machine
    places.py        districts, regions, postcodes (districts.csv)
    weights.py       how people are spread over the keys: the model's numbers
    demographics.py  the keys, drawn with those weights
    money.py         the sensitive columns
    names.py         the identifier
    people.py        one batch of rows
    files.py         CSV or Parquet, whole or not at all
    example.py       the household-finances plan beside them (plan.yaml)
    write.py         the file, its population, the lookup of regions
    ons/             three files that the ONS opened: their plans, and data of the same shape
"""

from incrowd.demo.example import write_example
from incrowd.demo.ons import ONS, write_ons
from incrowd.demo.people import REFERENCE_DAY
from incrowd.demo.places import REGIONS, region_of_district
from incrowd.demo.write import write_demo, write_regions_lookup

__all__ = [
    "ONS",
    "REFERENCE_DAY",
    "REGIONS",
    "region_of_district",
    "write_demo",
    "write_example",
    "write_ons",
    "write_regions_lookup",
]
