"""A ladder for a key: ways to say it ever more coarsely, as a hierarchy to search and as steps of a plan."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.reading import Reading, are_numbers, read_values
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import KeyTable
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.proposals.ladder_forms import (
    area_levels,
    code_levels,
    date_levels,
    date_pattern,
    postcode_levels,
)
from incrowd.proposals.ladder_names import MANY, name_levels, ordered_levels
from incrowd.proposals.ladder_numbers import number_levels
from incrowd.proposals.ladder_rules import ladder_by_rule
from incrowd.proposals.ladder_rungs import AS_IT_IS, LONGEST_MAPPING, Key, Ladder, Level, Rung, finish
from incrowd.protect.hierarchies import make_hierarchy, people_of

__all__ = ["Ladder", "Rung", "ladder_of"]

#: How names without an order are put together.
_MERGED = ("the merging that loses least: the fewest people first", "values that few people have put together")


def ladder_of(
    name: str,
    table: KeyTable,
    folder: Path,
    book: Codebook,
    rule: HierarchyRule | None = None,
    named: Collection[str] = (),
) -> Ladder:
    """How can a key be said more coarsely, and by which steps of a plan? A rule of the plan decides, other than `auto`;
    else what the values are.

    The steps of rung i give every value the label that it has at level i of the hierarchy; at the top the column is
    gone. Missing stays missing below it. `named` values keep their label up to the top, as do those that say why there
    is no value. Misleads where records leave the file before the steps of the ladder: small values are then others.

    >>> from incrowd.keys.table import from_records
    >>> table = from_records({"home": ["owned"] * 5 + ["rented"] * 4 + ["boat"] * 3})
    >>> made = ladder_of("home", table, Path("."), Codebook())
    >>> made.rungs[1].steps[0]["mapping"]
    {'boat': 'boat or rented', 'rented': 'boat or rented'}
    >>> [(rung.name, rung.words) for rung in made.rungs]
    [('as it is', 'as it is'), ('2', 'boat and rented together'), ('dropped', 'left out')]
    """
    people = people_of(table, name)
    leaves = [value for value in people if value is not None]
    if not leaves:
        return Ladder(name, Hierarchy(name, ((" ",),)), (AS_IT_IS,), "no value at all: nothing to recode")
    if rule is not None and rule.way != "auto":
        made = make_hierarchy(rule, name, table, folder, book)
        declared = set(book.missing.get(name, ())) - set(rule.order or ())
        apart = tuple(value for value in leaves if value in declared)
        told = tuple(value for value in leaves if value not in declared)
        return ladder_by_rule(rule, Key(name, table, people, book, told, apart), made)
    if len(leaves) == 1 and None not in people:
        return Ladder(name, Hierarchy(name, ((leaves[0],),)), (AS_IT_IS,), "one value only: nothing to recode")
    reading = read_values(leaves, name, book)
    keeping = {*reading.apart, *named}
    apart = tuple(value for value in leaves if value in keeping)
    told = tuple(value for value in leaves if value not in keeping)
    key = Key(name, table, people, book, told, apart, frozenset(named) & set(leaves))
    levels, how = _levels(key, reading) if told else ([], "every value is named: all or nothing")
    if not levels and key.loose and len(told) > LONGEST_MAPPING:
        how += "; no step that is short enough to read would leave alone what stands apart"
        how += "" if key.named.issuperset(key.loose) else ": declare it (missing_codes)"
    return finish(key, levels, how, how in _MERGED)


def _unlabelled_numbers(key: Key) -> bool:
    """Numbers that nobody calls codes: neighbours among few of them may be alike, the two rarest hardly are."""
    book = key.book
    return are_numbers(key.told) and not book.codes.get(key.name) and book.scales.get(key.name) != "nominal"


def _levels(key: Key, reading: Reading) -> tuple[list[Level], str]:
    """The levels between the values and the top, and how they were made."""
    kind = reading.kind
    written = None if kind == "ordered" or key.book.scales.get(key.name) == "numeric" else date_pattern(key.told)
    if written is not None:
        return date_levels(key, written), "by the calendar"
    if kind == "ordered" and not (len(key.told) > MANY and are_numbers(key.told)):
        return ordered_levels(key, reading.values), "neighbours put together, the fewest people first"
    if kind in ("ordered", "numbers") or (kind == "names" and _unlabelled_numbers(key)):
        return number_levels(key), "bands at round numbers"
    if (levels := postcode_levels(key)) is not None:
        return levels, "components of UK postcodes"
    if (levels := area_levels(key)) is not None:
        return levels, "ITL regions of UK local authorities"
    if kind == "codes":
        return code_levels(key), "ever shorter beginnings"
    if len(key.told) > MANY:
        return name_levels(key), _MERGED[1]
    return name_levels(key), _MERGED[0]
