"""Uniques tables: which combinations of few keys single people out, in the file and in the population?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from incrowd.keys.rollup import CellCounts, count_tables
from incrowd.keys.table import KeyTable, Recode

#: More keys, or more dimensions, give more tables than a person can judge.
MOST_KEYS, MOST_WAYS = 6, 4


@dataclass(frozen=True)
class Contribution:
    """How much one key adds to what the tables single out: its share of the uniques in tables that it is in.

    `share` is the part of all table uniques that fall into tables with this key; `added` the uniques that vanish
    from the largest tables when this key is left out, as a share of those uniques.
    """

    key: str
    share: float
    added: float


@dataclass(frozen=True)
class TableLine:
    """One table: its keys and the counts of its cells."""

    keys: tuple[str, ...]
    counted: CellCounts


@dataclass(frozen=True)
class Tables:
    """All tables of 1 to `ways` keys, most uniques first within each number of keys."""

    scenario: str
    k: int
    ways: int
    lines: tuple[TableLine, ...]
    contributions: tuple[Contribution, ...]
    warnings: tuple[str, ...]
    has_population: bool

    @property
    def counts(self) -> dict[tuple[str, ...], CellCounts]:
        """The tables by their keys."""
        return {line.keys: line.counted for line in self.lines}


def uniques_tables(table: KeyTable, scenario: str, ways: int = MOST_WAYS, k: int = 3) -> Tables:
    """Which combinations of 1, 2, 3 and 4 keys leave people alone or in small cells?

    For each table: cells that occur, cells of one (uniques), of two (pairs) and below k, people in those, the same in
    the population where the table has one, and `matched`: cells with one person in the file who is alone in the
    population too. A sample unique is no finding by itself; a matched one is.

    Misleads: with many keys every record is unique somewhere, and the number of tables grows so fast that nobody reads
    them: above six keys or four dimensions the result carries a warning. Rows with several records for a person count
    people. Reference: Tudor and Lowthian (ONS 2014), the census teaching file.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": ["30", "30", "40"], "sex": ["f", "m", "m"]})
    >>> uniques_tables(people, "all").counts[("age",)].uniques
    1
    """
    warnings = []
    if len(table.names) > MOST_KEYS:
        warnings.append(f"{len(table.names)} keys: choose at most {MOST_KEYS} that an intruder knows together.")
    if ways > MOST_WAYS:
        warnings.append(f"tables of {ways} keys: above {MOST_WAYS} nearly everybody is unique, and it says little.")
    found = dict(count_tables(table, ways, k))
    ordered = sorted(found.items(), key=lambda item: (len(item[0]), -item[1].uniques, item[0]))
    lines = tuple(TableLine(keys, counted) for keys, counted in ordered)
    return Tables(
        scenario, k, min(ways, len(table.names)), lines, _contributions(table.names, found), tuple(warnings),
        table.population is not None,
    )  # fmt: skip


def _contributions(keys: Iterable[str], counts: Mapping[tuple[str, ...], CellCounts]) -> tuple[Contribution, ...]:
    """Rank the keys: by their share of the uniques of the largest tables, then by what leaving them out saves."""
    largest = max(len(names) for names in counts)
    top = {frozenset(names): counted.uniques for names, counted in counts.items() if len(names) == largest}
    smaller = {frozenset(names): counted.uniques for names, counted in counts.items() if len(names) == largest - 1}
    total = sum(top.values())
    ranked = []
    for key in keys:
        inside = {names: uniques for names, uniques in top.items() if key in names}
        saved = sum(uniques - smaller.get(names - {key}, 0) for names, uniques in inside.items())
        held = sum(inside.values())
        ranked.append(Contribution(key, held / total if total else 0.0, saved / held if held else 0.0))
    return tuple(sorted(ranked, key=lambda c: (-c.share * c.added, -c.share, c.key)))


def by_geography(
    table: KeyTable, levels: Mapping[str, Recode | None], key: str, scenario: str, ways: int = MOST_WAYS, k: int = 3
) -> dict[str, Tables]:
    """The same tables with the geography said at each level, nation to local authority: is the area too fine?

    `levels` maps the name of a level to the recode of the geography key; None is the key as it stands. The rows are
    not counted again.
    """
    return {
        name: uniques_tables(table if recode is None else table.recode({key: recode}), scenario, ways, k)
        for name, recode in levels.items()
    }
