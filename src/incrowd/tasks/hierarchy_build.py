"""Build a hierarchy for a variable of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys import hierarchies as make
from incrowd.keys.hierarchy import Hierarchy
from incrowd.machine.writing import write_private
from incrowd.rows import Source, open_source
from incrowd.rows.result import Line, Result


@dataclass(frozen=True, repr=False)
class BuiltHierarchy(Result):
    """A hierarchy, and in `how` the words for the rule that was found where none was given."""

    hierarchy: Hierarchy
    how: str = ""

    def _told(self) -> str:
        return f"{self.hierarchy.name}, {told(self.hierarchy)}. {self.how}".strip()

    def _lines(self) -> Iterable[Line]:
        names = ("leaf", *(f"level {level}" for level in range(1, self.hierarchy.height + 1)))
        return [dict(zip(names, row, strict=True)) for row in self.hierarchy.rows]


def hierarchy_build(
    data: Source,
    key: str,
    *,
    widths: Sequence[float] | None = None,
    cuts: Sequence[Sequence[float]] | None = None,
    quantiles: Sequence[int] | None = None,
    prefixes: Sequence[int] | None = None,
    dates: Sequence[str] | None = None,
    date_format: str = "%Y-%m-%d",
    order: Sequence[str] | None = None,
    groups: Sequence[int] = (2,),
    out: str | Path | None = None,
) -> BuiltHierarchy:
    """Build a hierarchy for a variable by one rule, or, without one, from how its values are distributed.

    Bands of equal `widths`, finest first; bands between `cuts`, a list for each level; bands with equally many people
    (`quantiles`, most first); beginnings of falling lengths (`prefixes`); parts of `dates` (month, year, decade); or
    neighbours put together by `groups` in an `order`. `out` is a file for it, in ARX's format.

    >>> ic.hierarchy_build("people.csv", "age", widths=[5, 10, 20]).hierarchy.height
    4
    """
    rules = {
        "widths": widths, "cuts": cuts, "quantiles": quantiles, "prefixes": prefixes, "dates": dates, "order": order,
    }  # fmt: skip
    given = [name for name, value in rules.items() if value is not None]
    if len(given) > 1:
        raise InputError("D063", f"{len(given)} rules are given.", "Give one, or none.")
    counts = values_of(data, key)
    values = sorted(counts, key=lambda value: (value is not None, value or ""))
    numbers, how = [counts[value] for value in values], ""
    if widths is not None:
        made = make.equal_bands(values, key, widths)
    elif cuts is not None:
        made = make.cut_bands(values, key, cuts)
    elif quantiles is not None:
        made = make.quantile_bands(values, numbers, key, quantiles)
    elif prefixes is not None:
        made = make.prefixes(values, key, prefixes)
    elif dates is not None:
        made = make.date_parts(values, key, dates, date_format)  # type: ignore[arg-type]
    elif order is not None:
        made = make.ordered_groups(order, key, groups)
    else:
        made, how = make.automatic(values, numbers, key)
    made = make.require_valid(made, values)
    if out is not None:
        write_private(Path(out), make.format_arx(made))
    return BuiltHierarchy(made, how)


def values_of(data: Source, key: str) -> dict[str | None, int]:
    """The values of a column, and how many records have each."""
    rows = open_source(data)
    if key not in rows.columns:
        raise InputError("D012", f"{key!r} is not a column of {rows.place}.")
    return rows.value_counts(key)


def told(hierarchy: Hierarchy) -> str:
    """How large a hierarchy is, in words."""
    return f"{len(hierarchy.rows)} leaves, {hierarchy.height} levels above them"
