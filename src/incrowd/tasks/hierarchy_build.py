"""Build a hierarchy for a variable of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from incrowd.errors import InputError
from incrowd.keys import hierarchies as make
from incrowd.keys.codebook import Codebook, Scale
from incrowd.keys.hierarchy import Hierarchy
from incrowd.machine.paths import as_path
from incrowd.machine.writing import write_private
from incrowd.plan.codebook import read_variable_codes
from incrowd.rows import Reading, Rows, Source, open_source
from incrowd.rows.result import Line, Result


@dataclass(frozen=True, repr=False)
class BuiltHierarchy(Result):
    """A hierarchy; in `how` the words for the rule that was found where none was given, in `words` what each level
    holds.
    """

    hierarchy: Hierarchy
    how: str = ""
    words: tuple[str, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)  # what the leaves stand for

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
    scale: Scale | None = None,
    codes: Mapping[str, str] | str | Path | None = None,
    out: str | Path | None = None,
    unit: str | None = None,
    **reading: Unpack[Reading],
) -> BuiltHierarchy:
    """Build a hierarchy for a variable by one rule, or, without one, from how its values are distributed.

    Bands of equal `widths`, finest first; bands between `cuts`, a list for each level; bands with equally many people
    (`quantiles`, most first); beginnings of falling lengths (`prefixes`); parts of `dates` (month, year, decade); or
    neighbours put together by `groups` in an `order`. Without a rule, `scale` says whether its values are names
    (nominal), names in an order (ordinal) or amounts (numeric). `codes` says what values stand for, over what the
    data's own file says: a mapping, or a CSV file of codes, for this variable or for all. `out` is a file for it,
    in ARX's format. Where a person may have several records, `unit` says whose they are: then people are counted.
    `delimiter`, `encoding`, `sheet` and `drop_index` say how it is read.

    >>> built = ic.hierarchy_build("people.csv", "age", widths=[5, 10, 20])
    >>> built.hierarchy.height
    4
    >>> print("\\n".join(built.words))
    """
    rules = {
        "widths": widths, "cuts": cuts, "quantiles": quantiles, "prefixes": prefixes, "dates": dates, "order": order,
    }  # fmt: skip
    given = [name for name, value in rules.items() if value is not None]
    if len(given) > 1:
        raise InputError("D063", f"{len(given)} rules are given.", "Give one, or none.")
    rows = _rows(data, key, **reading)
    words = read_variable_codes(as_path(codes), key) if isinstance(codes, str | Path) else codes or {}
    said = Codebook(codes={key: words} if words else {}, scales={} if scale is None else {key: scale})
    counts, book = rows.value_counts(key, unit), said.over(rows.book)
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
        made, how = make.automatic(values, numbers, key, book)
    made = make.require_valid(made, values)
    if out is not None:
        write_private(Path(out), make.format_arx(made))
    return BuiltHierarchy(made, how, tuple(make.describe(made, book)), book.codes.get(key, {}))


def values_of(data: Source, key: str, unit: str | None = None, **reading: Unpack[Reading]) -> dict[str | None, int]:
    """The values of a column, and how many records have each; with a unit, how many people."""
    return _rows(data, key, **reading).value_counts(key, unit)


def _rows(data: Source, key: str, **reading: Unpack[Reading]) -> Rows:
    rows = open_source(data, **reading)
    if key not in rows.columns:
        raise InputError("D012", f"{key!r} is not a column of {rows.place}.")
    return rows


def told(hierarchy: Hierarchy) -> str:
    """How large a hierarchy is, in words."""
    return f"{len(hierarchy.rows)} leaves, {hierarchy.height} levels above them"
