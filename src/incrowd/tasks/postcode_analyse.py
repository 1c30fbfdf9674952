"""Which component of a postcode keeps everyone in a crowd?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from incrowd.errors import InputError
from incrowd.keys.postcodes import Component
from incrowd.postcodes import Analysis, analyse_places, count_places
from incrowd.postcodes.census import authorities
from incrowd.postcodes.directory import read_directory
from incrowd.postcodes.regions import ByRegion, by_region, read_columns
from incrowd.rows import Reading, Source, open_source
from incrowd.rows.directory import Match
from incrowd.rows.result import Line, Result, plain_fields


@dataclass(frozen=True, eq=False, repr=False)
class PostcodeAnalysis(Result):
    """People by component, and the groups below a threshold; `real` and `regions` where they were asked for."""

    analysis: Analysis
    real: Match | None = None
    regions: ByRegion | None = None

    def _told(self) -> str:
        found = self.analysis
        best = (f"{name}: {found.finest(name) or 'none'}" for name in found.places.populations)
        return f"finest component with crowds of {found.threshold:,}: {', '.join(best)}"

    def _lines(self) -> Iterable[Line]:
        return [
            {**plain_fields(one), "steep_from": one.steep[0], "steep_to": one.steep[1]} for one in self.analysis.lines
        ]

    def _charts(self) -> Iterable[str]:
        from incrowd.report.charts.look import to_svg
        from incrowd.report.charts.postcodes import population_curves

        return [to_svg(population_curves(self.analysis, name)) for name in self.analysis.places.populations]


def postcode_analyse(
    file: Source,
    postcode: str,
    populations: Sequence[str] = (),
    *,
    component: Component | None = None,
    threshold: int = 1_000,
    tolerance: float = 0.05,
    repair: bool = False,
    unit: str | None = None,
    real: bool = False,
    regions: str | Path | None = None,
    region_columns: tuple[str, str] = ("LAD23CD", "ITL121NM"),
    **reading: Unpack[Reading],
) -> PostcodeAnalysis:
    """Count people by postcode component, and the groups below a threshold. No record of the file is in the answer.

    `postcode` is a column of postcodes, or of codes of one component; `populations` are columns of counts (without any,
    a line is a person). `unit` is the column that tells whose record it is, where people have several: each is counted
    once, where most of their records are. `tolerance` is the share of groups that may be below the threshold, to be
    merged. With `real` they are compared with all real postcodes (needs the extra `postcodes`); `regions` is a lookup
    from their local authorities to regions, without which those of the first territorial level (ITL 1) are taken.
    `delimiter`, `encoding`, `sheet` and `drop_index` say how it is read.

    >>> ic.postcode_analyse("people.csv", "postcode", threshold=50).to_pandas()[["component", "groups", "below"]]
    """
    if regions is not None and not real:
        raise InputError("D183", "regions are found through real postcodes.", "Add --real.")
    rows = open_source(file, **reading)
    places = count_places(rows, postcode, populations, finest="unit" if component == "unit" else "sector",
                          repair=repair, unit=unit)  # fmt: skip
    found = analyse_places(places, threshold, components=[component] if component else None, tolerance=tolerance)
    if not real:
        return PostcodeAnalysis(found)
    if not places.per_postcode:
        raise InputError("D186", "only whole postcodes can be compared with real ones.", "This file is aggregated.")
    match = read_directory().match(rows, postcode)
    if regions is None:
        known = {code: one.itl1[0].name for code, one in authorities().items()}  # no authority lies in two of them
    else:
        known = read_columns(Path(regions), *region_columns)
    return PostcodeAnalysis(found, match, by_region(match, known))
