"""Make the hierarchies that a plan names: from files, or by rule from the values of the key."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from incrowd.keys import hierarchies as build
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import KeyTable
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.rows.lookup import read_hierarchy, read_lookup


def make_hierarchy(rule: HierarchyRule, name: str, table: KeyTable, folder: Path) -> Hierarchy:
    """The hierarchy of one key of the table."""
    one, _ = table.project([name])
    values = list(one.domains[0].values)
    # Values that nobody has any more are there with a count of 0: whoever was suppressed is still compared with.
    counts = np.bincount(one.codes[0], one.records, len(values)).astype(np.int64).tolist()
    match rule.way:
        case "file":
            assert rule.file is not None
            made = read_hierarchy(folder / rule.file, name)
        case "auto":
            made, _ = build.automatic(values, counts, name)
        case "cuts":
            made = build.cut_bands(values, name, rule.cuts or [])
        case "widths":
            made = build.equal_bands(values, name, rule.widths or [])
        case "quantiles":
            made = build.quantile_bands(values, counts, name, rule.quantiles or [])
        case "prefixes":
            made = build.prefixes(values, name, rule.prefixes or None)
        case "date_parts":
            parts = rule.date_parts or ["month", "year", "decade"]
            made = build.date_parts(values, name, parts, rule.date_format or "%Y-%m-%d")
        case "mappings":
            made = build.mapped(values, name, rule.mappings or [])
        case "postcode":
            regions = None if rule.regions is None else read_lookup(folder / rule.regions)
            made = build.postcodes(values, name, rule.postcode or [], regions, rule.others)
        case _:
            made = build.ordered_groups(rule.order or [], name, rule.groups or [])
    return build.require_valid(made, values)


def no_hierarchy(name: str, table: KeyTable) -> Hierarchy:
    """For a key that must stay as it is: one level, which costs nothing."""
    values = table.domains[table.names.index(name)].values
    return Hierarchy(name, tuple((value,) for value in values if value is not None) or ((" ",),))
