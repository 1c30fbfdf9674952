"""Merge places that are too small."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from incrowd.errors import InputError
from incrowd.keys.postcodes import Component
from incrowd.machine.writing import write_private
from incrowd.postcodes import Merged, Places, count_places, merge_places, read_adjacency, us_zip3
from incrowd.rows import Reading, Source, open_source
from incrowd.rows.result import Line, Result


@dataclass(frozen=True, eq=False, repr=False)
class PostcodeMerge(Result):
    """The groups after merging, and the places that they were merged from."""

    merged: Merged
    places: Places

    @property
    def passes(self) -> bool:
        """Is every group large enough?"""
        return self.merged.passes

    @property
    def groups_csv(self) -> str:
        """The groups with their people, as CSV."""
        return _csv(["group", "codes", *self.merged.populations], [list(line.values()) for line in self._lines()])

    @property
    def lookup_csv(self) -> str:
        """Code and group, as CSV: a lookup for a plan's recode step."""
        return _csv([self.merged.component, "group"], sorted(self.merged.labels.items()))

    def write(self, path: str | Path) -> None:
        """Write the groups with their people to a CSV file."""
        write_private(Path(path), self.groups_csv)

    def write_lookup(self, path: str | Path) -> None:
        """Write code and group to a CSV file."""
        write_private(Path(path), self.lookup_csv)

    def _told(self) -> str:
        found = self.merged
        return (
            f"{found.before:,} groups of {found.component}, {found.below:,} below {found.threshold:,}: "
            f"{len(found.members):,} after merging ({found.way}), the smallest has {found.smallest:,}"
        )

    def _lines(self) -> Iterable[Line]:
        found = self.merged
        return [
            {"group": label, "codes": len(codes), **{name: int(found.sizes[name][i]) for name in found.populations}}
            for i, (label, codes) in enumerate(found.members.items())
        ]


def postcode_merge(
    file: Source,
    postcode: str,
    populations: Sequence[str] = (),
    *,
    component: Component = "sector",
    threshold: int = 1_000,
    way: Literal["one", "parent", "neighbours"] = "one",
    adjacency: str | Path | None = None,
    preset: Literal["us"] | None = None,
    other: str = "other",
    repair: bool = False,
    unit: str | None = None,
    **reading: Unpack[Reading],
) -> PostcodeMerge:
    """Merge the groups of a component that are below a threshold, so that every group reaches it in every population.

    `way`: all of them into one, named `other`; into their parent; or into neighbours, by shared codes or by a file of
    pairs that lie side by side (`adjacency`). `preset` 'us': three digits of ZIP codes, 000 where 20,000 people or
    fewer live. `unit` is the column that tells whose record it is, where people have several: each is counted once,
    where most of their records are. `delimiter`, `encoding`, `sheet` and `drop_index` say how it is read.

    >>> ic.postcode_merge("people.csv", "postcode", component="district", threshold=50, way="parent").passes
    True
    """
    if adjacency is not None and way != "neighbours":
        raise InputError("D184", "a file of neighbours goes with --way neighbours.")
    places = count_places(
        open_source(file, **reading), postcode, populations, finest="unit" if component == "unit" else "sector",
        repair=repair, zip_codes=preset == "us", unit=unit,
    )  # fmt: skip
    if preset == "us":
        return PostcodeMerge(us_zip3(places), places)
    pairs = None if adjacency is None else read_adjacency(Path(adjacency))
    return PostcodeMerge(merge_places(places, component, threshold, way=way, pairs=pairs, other=other), places)


def _csv(header: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return file.getvalue()
