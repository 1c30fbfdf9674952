"""How places look in a terminal: one that was looked up, groups below a threshold, what merging gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from incrowd.cli._consoles import console, marked
from incrowd.keys.postcodes import NAMES, REASONS
from incrowd.postcodes import Analysis, Lookup, Merged, Places
from incrowd.report.words import share

SHOWN = 15  # small groups


#: The colour of a standing.
STANDING = {"below": "red", "enough": "green", "not known": "yellow"}


def show_lookup(found: Lookup, population: str) -> None:
    """What a postcode is, and the people in each of its components."""
    named = f", {found.area_name}" if found.area_name else ""
    component = NAMES.get(found.component, found.component)
    title = f"{found.code}: {component} of the format {found.format}{named} ({found.kind})"
    # So narrow that nothing is cut on 80 columns.
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for head in ("component", "code", *found.populations, f"{found.threshold:,}?"):
        table.add_column(head, justify="right" if head in found.populations else "left", no_wrap=True)
    for part in found.parts:
        figures = [f"{part.people[name]:,}" if part.people else "?" for name in found.populations]
        word = NAMES.get(part.component, part.component)
        table.add_row(
            word, part.code, *figures, marked((part.standing[population], STANDING[part.standing[population]]))
        )
    console.print(table)
    console.print(found.told(population), highlight=False)
    for note, codes in found.notes.items():
        console.print(f"{', '.join(codes)}: {note}", highlight=False)
    for inside in found.inside:
        word = NAMES.get(inside.component, inside.component)
        console.print(
            f"inside: {inside.groups:,} {word}s, {inside.below[population]:,} of them below {found.threshold:,} "
            f"{population}",
            highlight=False,
        )
    for other in found.also:
        console.print(f"Or is {other} meant?", highlight=False)
    if found.real is not None:
        _show_authority(found)


def _show_authority(found: Lookup) -> None:
    if not found.real:
        console.print(marked(("it was never given out, or is not in the directory of real postcodes", "yellow")))
    elif found.authority is None:
        told = f"{found.authority_code} (no local authority of 2023)" if found.authority_code else "none"
        console.print(f"local authority: {told}", highlight=False)
    else:
        console.print(f"local authority: {found.authority.name} ({found.authority.code})", highlight=False)
        for level, regions in found.authority.regions.items():
            console.print(f"  {level}: {' or '.join(f'{r.name} ({r.code})' for r in regions)}", highlight=False)


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
