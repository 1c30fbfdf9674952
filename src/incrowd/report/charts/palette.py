"""The colours of all charts: one for each thing, the same wherever it is drawn."""

from __future__ import annotations

import math

#: Texts, softer texts, and lines that only help the eye.
INK, SOFT, GRID = "#1d2733", "#4b5866", "#dfe4ea"

#: What is counted in a file.
CLASSES, UNIQUES, LOST, RECORDS, SMALLEST = "#6f9bc6", "#b8430b", "#5b4b8a", "#2b6f77", "#8a6a12"
#: An intruder who is right, simulated or a person; claims that are not right; what either is compared with.
SUCCESS, OTHERS, BASELINE, CONTROL = "#a3195b", "#a7b0ba", "#5f6b78", "#2e8fb0"
#: Verdicts, as the words of the pages have them.
HOLDS, FAILS, NONE = "#2f7d5b", "#9b1c1c", "#8a94a0"
#: Parts of a postcode, the finest first: told apart with any kind of colour vision.
PLACES = ("#0f6fb4", "#d1850c", "#2c8a4b", "#c4544a", "#7a5ea8")

#: Who is counted in a place; any others follow in this order.
PEOPLE = {"people": "#1b2b3a", "males": "#3a9bbf", "females": "#b04a86", "households": "#b98a12"}
#: The same under the names of the census file.
ALSO_PEOPLE = {"total": "people", "occupied_households": "households", "records": "people"}

#: Heat maps: nothing is white, and ink can be read on all of it.
HEAT = ["#ffffff", "#6f9bc6"]

#: The kind of scale for counts in a heat map, from 0 to the most: a single unique is not white beside thousands.
COUNTS = "symlog"


def shade(number: float, most: float) -> str:
    """The colour of a count on a heat map whose largest is `most`: what the scale of the chart gives.

    >>> shade(0, 500), shade(500, 500), shade(0, 0)
    ('#ffffff', '#6f9bc6', '#ffffff')
    """
    at = math.log1p(number) / math.log1p(most) if most else 0.0
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in HEAT]
    return "#" + "".join(f"{round(low + at * (high - low)):02x}" for low, high in zip(*ends, strict=True))


def key_of_counts(most: int) -> list[tuple[int, str]]:
    """The key to a heat map of counts: 0, 1, 10, 100 ... and the most, each with its colour."""
    tens = [10**power for power in range(len(str(most)))]
    numbers = [0, *(ten for ten in tens if ten * 2 <= most), most] if most else [0]
    return [(number, shade(number, most)) for number in numbers]
