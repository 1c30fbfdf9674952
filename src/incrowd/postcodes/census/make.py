"""Make the files of the census inside from the files of the Office for National Statistics.

    python -m incrowd.postcodes.census.make ../shared/data

The folder holds `postcodes/census2011_ew_by_sector.csv`, `geography/postcode_area_names.csv` and
`geography/LAD23_to_ITL_Jan2021.csv`. The same files give the same bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
#: Slips of the pen in the list of names.
SPELLING = {"Guilford": "Guildford", "Kirkaldy": "Kirkcaldy", "Hemel": "Hemel Hempstead"}
_LEVELS = ("1", "2", "3")


def sectors(source: Path) -> str:
    """Males, females and occupied households by sector. People are males and females, so they are left out."""
    lines = sorted(_read(source / "postcodes" / "census2011_ew_by_sector.csv"), key=lambda line: line["code"])
    if any(int(line["total"]) != int(line["males"]) + int(line["females"]) for line in lines):
        sys.exit("males and females of a sector are not its people: ship the total, too")
    names = ("code", "males", "females", "occupied_households")
    return _csv(("code", "males", "females", "households"), ([line[name] for name in names] for line in lines))


def areas(source: Path) -> str:
    """Postcode areas and their names."""
    lines = _read(source / "geography" / "postcode_area_names.csv")
    named = ((one["postcode_area"], one["postcode_area_name"]) for one in lines)
    return _csv(("area", "name"), sorted((area, SPELLING.get(name, name)) for area, name in named))


def authorities(source: Path) -> str:
    """Local authorities and their regions: a line for each region of the third level that an authority reaches into."""
    lines = _read(source / "geography" / "LAD23_to_ITL_Jan2021.csv")
    kept = ["LAD23CD", "LAD23NM", *(f"ITL{level}21{what}" for level in _LEVELS for what in ("CD", "NM"))]
    heads = ["code", "name", *(f"itl{level}{what}" for level in _LEVELS for what in ("", "_name"))]
    return _csv(heads, sorted({tuple(line[name] for name in kept) for line in lines}))


def packed(text: str) -> bytes:
    """The text as gzip, without the hour at which it was packed."""
    return gzip.compress(text.encode("utf-8"), 9, mtime=0)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def _csv(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return file.getvalue()


def main(source: Path) -> None:
    """Write all of them."""
    (HERE / "sectors.csv.gz").write_bytes(packed(sectors(source)))
    (HERE / "areas.csv").write_bytes(areas(source).encode("utf-8"))
    (HERE / "authorities.csv").write_bytes(authorities(source).encode("utf-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
