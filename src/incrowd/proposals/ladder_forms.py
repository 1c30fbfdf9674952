"""Ladders of values whose form tells what is coarser: dates, UK postcodes, UK local authorities, codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from incrowd.errors import InputError
from incrowd.keys.dates import DatePart
from incrowd.keys.hierarchies import postcode_component, prefixes
from incrowd.keys.labels import date_part, prefix
from incrowd.keys.postcodes import Component, Postcode, parse
from incrowd.proposals.ladder_rungs import Key, Level, by_rule
from incrowd.rows.areas import LEVELS, is_area, regions_of

#: How dates may be written; where days and months can be told apart, one of the values must tell them.
PATTERNS = ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%d %B %Y")
SWAPPED = {
    "%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y", "%d.%m.%Y": "%m.%d.%Y",
    "%Y/%m/%d": "%Y/%d/%m",
}  # fmt: skip
#: The years of dates that are written as numbers: 19840705.
YEARS = (1850, 2100)
#: At least so much of the different values are postcodes, or local authorities.
NEARLY_ALL = 0.9
#: So many values are looked at first.
SAMPLE = 200
COMPONENTS: tuple[Component, ...] = ("sector", "district", "area")
#: Codes have at most so many levels of beginnings.
MOST = 4


def date_pattern(values: Sequence[str]) -> str | None:
    """How these dates are written, '' for ISO 8601 with or without a time; None where they are none for certain.

    >>> date_pattern(["31/12/1999", "01/02/2000"]), date_pattern(["1999-12-31 17:05"]), date_pattern(["01/02/2000"])
    ('%d/%m/%Y', '', None)
    """
    if values and _are_dates(values, None):
        return ""
    if all(len(value) == 8 and value.isdigit() for value in values):
        plausible = all(YEARS[0] <= int(value[:4]) <= YEARS[1] for value in values)
        return "%Y%m%d" if values and plausible and _are_dates(values, "%Y%m%d") else None
    for pattern in PATTERNS:
        swapped = SWAPPED.get(pattern)
        if values and _are_dates(values, pattern) and (swapped is None or not _are_dates(values, swapped)):
            return pattern
    return None


def date_levels(key: Key, pattern: str) -> list[Level]:
    """Month, quarter, year, decade."""
    parts: tuple[DatePart, ...] = ("month", "quarter", "year", "decade")
    levels = []
    for part in parts:
        written = {"date_format": pattern} if pattern else {}
        label = partial(date_part, part=part, name=key.name, pattern=pattern or None)
        levels.append(by_rule(key, label, {"date_part": part, **written}, part, f"by {part}"))
    return [level for level in levels if level is not None]


def postcode_levels(key: Key) -> list[Level] | None:
    """Sector, district, area of UK postcodes; None where the values are something else. Those that are no postcodes
    become one, or stay where there is only one.
    """
    step = max(len(key.told) // SAMPLE, 1)
    if not (_nearly_all(_is_postcode, key.told[::step]) and _nearly_all(_is_postcode, key.told)):
        return None
    key, said = _with_others(key, _is_postcode, "No postcode")
    levels = []
    for component in COMPONENTS:
        label = partial(postcode_component, component=component, name=key.name, **said)
        words = f"the postcode {component}"
        levels.append(by_rule(key, label, {"postcode": component, **said}, component, words))
    return [level for level in levels if level is not None]


def area_levels(key: Key) -> list[Level] | None:
    """The ITL regions of UK local authorities, the smallest first; None where the values are something else. Those
    that incrowd does not know become one.
    """
    if sum(map(is_area, key.told)) < 2 or not _nearly_all(is_area, key.told):
        return None
    key, said = _with_others(key, is_area, "Other area")
    levels = []
    for level in LEVELS:
        label = partial(regions_of, level=level, name=key.name, **said)
        levels.append(by_rule(key, label, {"lookup": level, **said}, level, f"the {level.upper()} region"))
    return [level for level in levels if level is not None]


def code_levels(key: Key) -> list[Level]:
    """Ever shorter beginnings: every length at which some codes become one, or some of those lengths."""
    built = prefixes(key.told, key.name)
    lengths = [max(len(label) for label in built.groups(level)) for level in range(1, built.height)]
    if len(lengths) > MOST:
        lengths = [lengths[round(i * (len(lengths) - 1) / (MOST - 1))] for i in range(MOST)]
    levels = []
    for length in lengths:
        words = f"the first {length} characters" if length > 1 else "the first character"
        levels.append(by_rule(key, partial(prefix, length=length), {"prefix": length}, f"first {length}", words))
    return [level for level in levels if level is not None]


def _with_others(key: Key, known: Callable[[str], bool], name: str) -> tuple[Key, dict[str, str]]:
    """What the values that are not known become, as a step says it. The only one keeps its own label; of several, those
    that say why there is no value go with the others, unless they are named.
    """
    strays = [value for value in (*key.told, *key.loose) if not known(value)]
    if not strays:
        return key, {}
    if len(strays) == 1 and strays[0] not in ("", "fault"):
        return key, {"others": strays[0]}
    return key.joining(set(strays) - key.named), {"others": name}


def _nearly_all(known: Callable[[str], bool], values: Sequence[str]) -> bool:
    return sum(map(known, values)) >= NEARLY_ALL * len(values) > 0


def _is_postcode(value: str) -> bool:
    return isinstance(parse(value), Postcode)


def _are_dates(values: Sequence[str], pattern: str | None) -> bool:
    try:
        return bool(date_part(values[:SAMPLE], "month", "", pattern) and date_part(values, "month", "", pattern))
    except InputError:
        return False
