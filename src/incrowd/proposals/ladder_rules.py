"""The ladder of a key whose hierarchy the plan names: each level as the steps that make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.keys.hierarchies import level_in_words
from incrowd.keys.hierarchies.builders import spaced_cuts
from incrowd.keys.hierarchies.stack import numbered_leaves
from incrowd.keys.hierarchy import Hierarchy
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.plan.lookups import Lookup
from incrowd.proposals.ladder_numbers import band_way
from incrowd.proposals.ladder_rungs import AS_IT_IS, Content, Key, Ladder, Rung, dropped, mapping_step, recode
from incrowd.proposals.ladder_words import in_bands


def ladder_by_rule(rule: HierarchyRule, key: Key, hierarchy: Hierarchy) -> Ladder:
    """The levels of the hierarchy as they are, each with its steps; the top is the column dropped."""
    if not hierarchy.height:
        return Ladder(key.name, hierarchy, (AS_IT_IS,), "rule of the plan")
    rungs = [_rung(rule, key, hierarchy, level) for level in range(1, hierarchy.height)]
    names = [rung.name for rung in rungs]
    if len(set(names)) < len(names):
        rungs = [Rung(str(level), rung.steps, rung.words) for level, rung in enumerate(rungs, start=1)]
    return Ladder(key.name, hierarchy, (AS_IT_IS, *rungs, dropped(key.name)), "rule of the plan")


def _rung(rule: HierarchyRule, key: Key, hierarchy: Hierarchy, level: int) -> Rung:
    """One level. Where all values are codes that a step by rule leaves alone, or there is none, it is a mapping."""
    labels = {row[0]: row[level] for row in hierarchy.rows if row[0] in key.people}
    told = level_in_words(hierarchy, level, key.book, key.people)
    if not key.told:
        return Rung(str(level), mapping_step(key.name, labels), told)
    match rule.way:
        case "file" if rule.to is None:
            return Rung(str(level), (recode(key.name, hierarchy=rule.file, level=level),), told)
        case "file":
            column = (rule.to or [])[level - 1]
            if key.apart:  # a code for no value may be in the lookup too, and the hierarchy leaves it alone
                return Rung(column, mapping_step(key.name, labels), told)
            source = {} if rule.from_ is None else {"from": rule.from_}
            return Rung(column, (recode(key.name, lookup={"file": rule.file, **source, "to": column}),), told)
        case "cuts" | "widths" | "quantiles":
            return _bands(rule, key, labels, level)
        case "date_parts":
            part = (rule.date_parts or ["month", "year", "decade"])[level - 1]
            written = {} if rule.date_format is None else {"date_format": rule.date_format}
            return Rung(part, (recode(key.name, date_part=part, **written),), f"by {part}")
        case "prefixes":
            length = (rule.prefixes or [max(len(labels[value]) for value in key.told)] * level)[level - 1]
            return Rung(f"first {length}", (recode(key.name, prefix=length),), f"the first {length} characters")
        case "postcode":
            return _postcode(rule, key, labels, level, told)
        case "itl":
            region = (rule.itl or [])[level - 1]
            return Rung(region, (recode(key.name, lookup=region, **_others(rule)),), f"the {region.upper()} region")
        case _:
            return Rung(str(level), mapping_step(key.name, labels), told)


def _bands(rule: HierarchyRule, key: Key, labels: Mapping[str, str], level: int) -> Rung:
    ordered, places = numbered_leaves(key.told, key.name)
    numbers = dict(zip(ordered, places, strict=True))
    said = [labels[value] for value in ordered]
    if rule.cuts is not None:
        name, cuts = str(level), sorted(set(rule.cuts[level - 1]))
    elif rule.widths is not None:
        width = rule.widths[level - 1]
        name = format(width.normalize(), "f")
        cuts = spaced_cuts(places[0], places[-1] + 1, width)
    else:  # every band but the first begins at the smallest number that is in it
        name = str(len(set(said)))
        starts = {labels[value]: numbers[value] for value in reversed(ordered)}
        cuts = sorted(starts.values())[1:]
    way = band_way(cuts)
    steps = mapping_step(key.name, labels) if way is None else (recode(key.name, **way),)
    return Rung(name, steps, in_bands([*said]))


def _postcode(rule: HierarchyRule, key: Key, labels: Mapping[str, str], level: int, told: str) -> Rung:
    """A component of postcodes; above the last one, the region that a lookup has for it."""
    components: Sequence[str] = rule.postcode or []
    component = components[min(level, len(components)) - 1]
    steps: list[Content] = [recode(key.name, postcode=component, **_others(rule))]
    if level <= len(components):
        return Rung(component, tuple(steps), f"the postcode {component}")
    if rule.others is not None or key.apart:  # the lookup may have a region for what is no component
        return Rung("region", mapping_step(key.name, labels), told)
    regions: Any = rule.regions
    if isinstance(regions, Lookup):
        regions = regions.model_dump(by_alias=True, exclude_none=True)
    return Rung("region", (*steps, recode(key.name, lookup=regions)), told)


def _others(rule: HierarchyRule) -> dict[str, Any]:
    return {} if rule.others is None else {"others": rule.others}
