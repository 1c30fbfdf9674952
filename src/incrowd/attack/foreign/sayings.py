"""What dates and postcodes are called when less is said of them: 1984-03-12 is 1984-03, 03/1984, 1984, 1980s."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from incrowd.keys.dates import MONTHS, read_moment, say_part
from incrowd.keys.postcodes import COMPONENTS, Postcode, parse

#: How dates are written, besides ISO.
FORMATS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d", "%d-%m-%Y")
#: From this share of values that are dates (or postcodes) on, a column is one of them.
MOSTLY = 0.9


def sayings_of(labels: Sequence[str], values: Sequence[str | None]) -> Mapping[str, list[int]]:
    """Every coarser name of the values, in small letters, with the codes of the values that it stands for. `labels`
    are those of the release.
    """
    found: dict[str, list[int]] = {}
    for code, name in (*_dates(values), *_postcodes(values), *_beginnings(labels, values)):
        found.setdefault(name.casefold(), []).append(code)
    return found


def _dates(values: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    there = [(code, value.strip()) for code, value in enumerate(values) if value is not None]
    ways = [way for way in (None, *FORMATS) if len(_read(there, way)) >= max(MOSTLY * len(there), 1)]
    # 03/04/1984 can be read in two ways: then only the year is told.
    sure = len(ways) == 1
    for code, day in _read(there, ways[0]) if ways else ():
        yield code, say_part(day, "year")
        yield code, say_part(day, "decade")
        if sure:
            year, month, name = day.year, f"{day.month:02d}", MONTHS[day.month - 1]
            quarter = f"Q{(day.month + 2) // 3}"
            for written in (
                f"{year}-{month}", f"{month}/{year}", f"{day.month}/{year}", f"{year}/{month}", f"{month}.{year}",
                f"{name} {year}", f"{name[:3]} {year}", f"{year}-{quarter}", f"{quarter} {year}", f"{year}{quarter}",
                f"{year}-{month}-01",
            ):  # fmt: skip
                yield code, written


def _read(there: Sequence[tuple[int, str]], way: str | None) -> list[tuple[int, dt.datetime]]:
    found = []
    for number, (code, value) in enumerate(there):
        try:
            found.append((code, read_moment(value, way)))
        except ValueError:
            if not found and number > 20:
                break
    return found


def _postcodes(values: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    read = [(code, parse(value)) for code, value in enumerate(values) if value is not None]
    good = [(code, one) for code, one in read if isinstance(one, Postcode)]
    if not good or len(good) < MOSTLY * len(read):
        return
    for code, one in good:
        for name in dict.fromkeys((*(one.component(part) for part in COMPONENTS), one.outward)):
            yield code, name


def _beginnings(labels: Sequence[str], values: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Of codes of one length (47677), how they begin (476), where all labels are of one length, too."""
    there = [(code, value) for code, value in enumerate(values) if value is not None]
    lengths, cut = {len(value) for _, value in there}, {len(label.strip()) for label in labels}
    if len(lengths) == 1 and len(cut) == 1 and 1 < min(cut) < min(lengths) and all(v.isalnum() for _, v in there):
        for code, value in there:
            yield code, value[: min(cut)]
