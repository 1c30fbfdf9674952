"""How places look in a terminal: groups below a threshold, what was left out, what merging gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from incrowd.cli._consoles import console, marked
from incrowd.keys.postcodes import REASONS
from incrowd.postcodes import Analysis, Merged, Places
from incrowd.report.words import share

SHOWN = 15  # small groups


def show_analysis(found: Analysis, component: str | None) -> None:
    """The table of groups below the threshold, and what to know about it."""
    places = found.places
    table = Table(title=f"{places.source}: groups with fewer than {found.threshold:,}", title_justify="left")
    heads = ("component", "population", "groups", "below", "share", "people in them", "at or above", "steep part")
    for head in heads:
        table.add_column(head, justify="left" if head in heads[:2] else "right")
    for one in found.lines:
        table.add_row(
            one.component, one.population, f"{one.groups:,}", f"{one.below:,}", share(one.below, one.groups),
            f"{one.people_below:,}", f"{one.at_or_above:,}", f"{one.steep[0]:,} to {one.steep[1]:,}",
        )  # fmt: skip
    console.print(table)
    for name in places.populations if component is None else ():
        best = found.finest(name)
        told = f"has at most {100 * found.tolerance:g}% of its groups below {found.threshold:,}"
        console.print(f"{name}: {best} is the finest component that {told}" if best else f"{name}: no component {told}")
    for name in places.populations if component else ():
        small = found.small(str(component), name)
        listed = ", ".join(f"{one.code} {one.people:,}{' (clipped)' if one.clipped else ''}" for one in small[:SHOWN])
        more = f" … and {len(small) - SHOWN:,} more" if len(small) > SHOWN else ""
        console.print(f"below, in {name}: {listed or 'none'}{more}", highlight=False)
    _show_counted(places)
    clipped = places.clipped("area") if "area" in places.components else ()
    if clipped:
        console.print(marked((f"clipped: {', '.join(clipped)} reach into a nation that the file leaves out", "yellow")))
    _show_invalid(places)


def _show_counted(places: Places) -> None:
    """What was taken for people."""
    for name in places.populations:
        told = places.counted(name)
        console.print(marked(told if places.plain(name) else (told, "yellow")), highlight=False)


def _show_invalid(places: Places) -> None:
    for reason, number in places.invalid.items():
        console.print(marked((f"{number:,} records left out: {REASONS[reason]}", "yellow")))
    if places.repairable:
        console.print(f"{places.repairable:,} of them would be postcodes with O for 0 or I for 1 swapped: --repair")
    if places.repaired:
        console.print(f"{places.repaired:,} records were repaired (O for 0, I for 1)")


def show_directory(content: Mapping[str, Any]) -> None:
    """How many postcodes are real, and where they are."""
    console.print(f"{content['real']:,} records have a real postcode, {content['not_real']:,} of good form have none")
    regions = content.get("by_region")
    if regions:
        for name, number in regions["regions"].items():
            console.print(f"  {name}: {number:,}", highlight=False)
        for code, number in regions["unknown_codes"].items():
            console.print(marked((f"  {code}: {number:,} records; the lookup does not know this code", "yellow")))


def show_merged(found: Merged, places: Places) -> None:
    """What merging left, and what it cost."""
    after = len(found.members)
    console.print(
        f"{found.before:,} groups of {found.component}, {found.below:,} below {found.threshold:,}: "
        f"{after:,} groups after merging ({found.way}), the smallest has {found.smallest:,}"
    )
    for name, number in found.people_touched.items():
        extra = f", {found.extra:,} of them large enough by themselves" if found.extra else ""
        console.print(f"{number:,} {name} in {found.touched:,} merged groups{extra}")
    if found.coarser:
        told = ", ".join(f"{number:,} {name}s" for name, number in found.coarser.items())
        console.print(f"instead of {after:,} groups a coarser component would leave {told}")
    if found.alone:
        console.print(marked((f"{found.alone:,} groups are in no pair of neighbours: shared codes decided", "yellow")))
    if not found.passes:
        console.print(marked((f"not every group has {found.threshold:,}", "yellow")))
    _show_counted(places)
    _show_invalid(places)
