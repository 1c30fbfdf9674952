"""Make the hierarchies that a plan names: from files, or by rule from the values of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from incrowd.errors import InputError
from incrowd.keys import hierarchies as build
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.apart import with_apart
from incrowd.keys.hierarchies.reading import known_order
from incrowd.keys.hierarchies.stack import leaves_of, stack
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import KeyTable
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.rows.areas import area_hierarchy
from incrowd.rows.lookup import look_up, read_hierarchy, read_lookup


def make_hierarchy(
    rule: HierarchyRule, name: str, table: KeyTable, folder: Path, book: Codebook | None = None
) -> Hierarchy:
    """The hierarchy of one key of the table. Codes that are declared to say why there is no value stand apart."""
    values, counts = values_of(table, name)
    if rule.way == "auto":
        return automatic_hierarchy(values, counts, name, book)[0]
    declared = set((book or Codebook()).missing.get(name, ())) - set(rule.order or ())
    if rule.mappings is not None or (rule.file is not None and rule.to is None):
        declared = set()  # these speak of every value themselves
    told = [value for value in values if value not in declared]
    if all(value is None for value in told):
        told, declared = values, set()
    made = _by_rule(rule, name, told, people_of(table, name), folder, book or Codebook())
    apart = [value for value in values if value is not None and value in declared]
    return build.require_valid(with_apart(made, apart), values)


def automatic_hierarchy(
    values: Sequence[str | None], counts: Sequence[int], name: str, book: Codebook | None = None
) -> tuple[Hierarchy, str]:
    """A hierarchy from the values themselves, and how it was made; a key without any value stays as it is."""
    if all(value is None for value in values):
        return Hierarchy(name, ((" ",),)), "no value at all: nothing to recode"
    made, how = build.automatic(values, counts, name, book)
    return build.require_valid(made, values), how


def values_of(table: KeyTable, name: str) -> tuple[list[str | None], list[int]]:
    """The values of a key, and their records. One that nobody has any more is there with none: whoever was suppressed
    is still compared with.
    """
    one, _ = table.project([name])
    values = list(one.domains[0].values)
    return values, np.bincount(one.codes[0], one.records, len(values)).astype(np.int64).tolist()


def people_of(table: KeyTable, name: str) -> dict[str | None, int]:
    """How many records each value of a key has."""
    return dict(zip(*values_of(table, name), strict=True))


def _by_rule(
    rule: HierarchyRule,
    name: str,
    values: list[str | None],
    counts: Mapping[str | None, int],
    folder: Path,
    book: Codebook,
) -> Hierarchy:
    match rule.way:
        case "file":
            assert rule.file is not None
            return read_hierarchy(folder / rule.file, name) if rule.to is None else _columns(rule, name, values, folder)
        case "cuts":
            return build.cut_bands(values, name, rule.cuts or [])
        case "widths":
            return build.equal_bands(values, name, rule.widths or [])
        case "quantiles":
            return build.quantile_bands(values, [counts[value] for value in values], name, rule.quantiles or [])
        case "prefixes":
            return build.prefixes(values, name, rule.prefixes or None)
        case "date_parts":
            parts = rule.date_parts or ["month", "year", "decade"]
            return build.date_parts(values, name, parts, rule.date_format or "%Y-%m-%d")
        case "mappings":
            return build.mapped(values, name, rule.mappings or [])
        case "postcode":
            table, regions = rule.region_table, None
            if table is not None:
                regions = read_lookup(folder / table.file, table.from_, table.to)
            return build.postcodes(values, name, rule.postcode or [], regions, rule.others)
        case "itl":
            return area_hierarchy(values, name, rule.itl or [], rule.others)
        case _:
            return build.ordered_groups(rule.order or _order(name, values, book), name, rule.groups or [])


def _columns(rule: HierarchyRule, name: str, values: list[str | None], folder: Path) -> Hierarchy:
    """Columns of a lookup, the finest first."""
    leaves = leaves_of(values, name)
    path = folder / str(rule.file)
    return stack(leaves, [look_up(path, (rule.from_, to), leaves, name) for to in rule.to or ()], name)


def _order(name: str, values: list[str | None], book: Codebook) -> list[str]:
    """The order of an ordinal variable, where the rule does not give it."""
    order = known_order(leaves_of(values, name), name, book)
    if order is None:
        hint = "Give it: order: [...] beside groups, or list the variable's codes in their order."
        raise InputError("D354", f"nothing tells the order of the values of {name!r}.", hint)
    return order


def no_hierarchy(name: str, table: KeyTable) -> Hierarchy:
    """For a key that must stay as it is: one level, which costs nothing."""
    values = table.domains[table.names.index(name)].values
    return Hierarchy(name, tuple((value,) for value in values if value is not None) or ((" ",),))
