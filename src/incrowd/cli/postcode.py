"""incrowd postcode: parse postcodes, look them up, see which component keeps everyone in a crowd, merge small ones."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import Json, writable
from incrowd.cli._reading import Unit, reads
from incrowd.cli._terminal import say
from incrowd.keys.postcodes import Component
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.keys.postcodes import NoPostcode
    from incrowd.postcodes import Analysis

postcode_app = typer.Typer(
    no_args_is_help=True,
    help="UK postcodes: parse them, look them up, count people by component, merge places that are too small.",
)
root.add_typer(postcode_app, name="postcode")

Source = Annotated[Path, typer.Argument(help="A file with a line for each postcode or person, or one by code.")]
Column = Annotated[str, typer.Option(help="The column of postcodes, or of codes of one component.")]
Populations = Annotated[
    list[str] | None, typer.Option("--population", help="A column of counts; several may be given. None: count lines.")
]
Repair = Annotated[bool, typer.Option("--repair", help="Take O for 0 and I for 1 where only that makes a postcode.")]


@postcode_app.command()
def parse(
    texts: Annotated[list[str], typer.Argument(help="Postcodes, in any case and spacing.")],
    real: Annotated[
        bool, typer.Option("--real", help="Look each up among all real ones (needs the extra postcodes).")
    ] = False,
    json_: Json = False,
) -> None:
    """Split postcodes into their components. Exit code 2 when one is none: the reason, and what may be meant."""
    from rich.table import Table

    from incrowd.cli._consoles import console
    from incrowd.keys.postcodes import Postcode
    from incrowd.tasks.postcode_parse import postcode_parse

    found = postcode_parse(texts, real=real)
    good, authorities = found.good, found.authorities
    if json_:
        lines = []
        for text, one in zip(texts, found, strict=True):
            line = {"text": text, **asdict(one)}
            if isinstance(one, Postcode) and real:
                line |= {"real": authorities[one.unit] is not None, "local_authority": authorities[one.unit] or None}
            lines.append(line)
        say(json.dumps(lines, indent=1))
        raise typer.Exit(0 if len(good) == len(found) else 2)
    heads = ["postcode", "area", "district", "sub-district", "sector", "kind"]
    table = Table(*heads, *(["local authority"] if real else []))
    for one in good:
        told = (
            [authorities[one.unit] or ("no such postcode" if authorities[one.unit] is None else "none")] if real else []
        )
        table.add_row(one.unit, one.area, one.district, one.subdistrict, one.sector, one.kind, *told)
    if good:
        console.print(table)
    for text, one in zip(texts, found, strict=True):
        if not isinstance(one, Postcode):
            _no_postcode(text, one)
    raise typer.Exit(0 if len(good) == len(found) else 2)


@postcode_app.command()
def lookup(
    texts: Annotated[
        list[str], typer.Argument(help="Postcodes, areas (NE), districts (NE3), sectors ('NE3 1'), in any case.")
    ],
    threshold: Annotated[int, typer.Option(help="A component must have at least so many.")] = 1_000,
    population: Annotated[
        Literal["people", "males", "females", "households"], typer.Option(help="Whom the threshold speaks of.")
    ] = "people",
    real: Annotated[
        bool,
        typer.Option("--real", help="Local authority and regions of whole postcodes (needs the extra postcodes)."),
    ] = False,
    json_: Json = False,
) -> None:
    """Look up how many people share a postcode and each of its components, in the census of England and Wales 2011.

    What is not counted there is not known, and never enough. Exit code 2 when a text is no postcode and no part of one.
    """
    from incrowd.cli._places import show_lookup
    from incrowd.postcodes import Lookup
    from incrowd.postcodes.census import SOURCE
    from incrowd.tasks.postcode_lookup import postcode_lookup

    found = postcode_lookup(texts, threshold=threshold, population=population, real=real)
    if json_:
        lines = [one.to_dict() if isinstance(one, Lookup) else {"text": text, **asdict(one)}
                 for text, one in zip(texts, found, strict=True)]  # fmt: skip
        say(json.dumps({"source": SOURCE, "threshold": threshold, "found": lines}, indent=1))
    else:
        for good in found.good:
            show_lookup(good, population)
        if found.good:
            say(f"Source: {SOURCE}.")
    for text, one in zip(texts, found, strict=True):
        if not isinstance(one, Lookup) and not json_:
            _no_postcode(text, one)
    raise typer.Exit(0 if len(found.good) == len(found) else 2)


@postcode_app.command()
@reads
def analyse(
    file: Source,
    postcode: Column,
    population: Populations = None,
    component: Annotated[
        Component | None, typer.Option(help="Only this component, with its small groups. Default: all.")
    ] = None,
    threshold: Annotated[int, typer.Option(help="A group must have at least so many people.")] = 1_000,
    tolerance: Annotated[float, typer.Option(help="The share of groups that may be below it (to be merged).")] = 0.05,
    repair: Repair = False,
    unit: Unit = None,
    real: Annotated[
        bool, typer.Option("--real", help="Compare with all real postcodes (needs the extra postcodes).")
    ] = False,
    regions: Annotated[
        Path | None, typer.Option(help="With --real: a lookup from local authorities to regions. Default: ITL 1.")
    ] = None,
    region_columns: Annotated[
        str, typer.Option(help="The lookup's column of authority codes and its column of regions.")
    ] = "LAD23CD,ITL121NM",
    chart: Annotated[
        Path | None, typer.Option(help="Write the curves here: .html, or .svg for one population.", callback=writable)
    ] = None,
    json_: Json = False,
    **reading: Any,
) -> None:
    """Count people by postcode component, and the groups below a threshold. Shows no record of the file."""
    from incrowd.cli._places import show_analysis, show_directory
    from incrowd.tasks.postcode_analyse import postcode_analyse

    first, _, second = region_columns.partition(",")
    done = postcode_analyse(
        file, postcode, population or (), component=component, threshold=threshold, tolerance=tolerance, repair=repair,
        unit=unit, real=real, regions=regions, region_columns=(first.strip(), second.strip()), **reading,
    )  # fmt: skip
    found = done.analysis
    content: dict[str, Any] = found.to_dict()
    if component is not None:
        content["small"] = {n: [asdict(one) for one in found.small(component, n)] for n in found.places.populations}
    if (match := done.real) is not None:
        content["directory"] = {"real": match.real, "not_real": match.not_real, "no_authority": match.no_authority}
        if done.regions is not None:
            content["directory"]["by_region"] = asdict(done.regions)
    if chart is not None:
        _chart(found, chart)
    if json_:
        say(json.dumps(content, indent=1))
        return
    show_analysis(found, component)
    if real:
        show_directory(content["directory"])


@postcode_app.command()
@reads
def merge(
    file: Source,
    postcode: Column,
    population: Populations = None,
    component: Annotated[Component, typer.Option(help="The component whose groups are merged.")] = "sector",
    threshold: Annotated[int, typer.Option(help="Every group must have so many people, in every population.")] = 1_000,
    way: Annotated[
        Literal["one", "parent", "neighbours"], typer.Option(help="Small groups into one, their parent, or neighbours.")
    ] = "one",
    adjacency: Annotated[
        Path | None, typer.Option(help="With --way neighbours: a file of pairs of codes that lie side by side.")
    ] = None,
    preset: Annotated[
        Literal["us"] | None, typer.Option(help="us: three digits of ZIP codes, 000 where 20,000 people or fewer live.")
    ] = None,
    other: Annotated[str, typer.Option(help="The name of the one group of small ones.")] = "other",
    repair: Repair = False,
    unit: Unit = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write the groups with their people here.", callback=writable)
    ] = None,
    lookup: Annotated[
        Path | None,
        typer.Option(help="Write code and group here: a lookup for a plan's recode step.", callback=writable),
    ] = None,
    json_: Json = False,
    **reading: Any,
) -> None:
    """Merge the groups that are below a threshold, so that every group reaches it. Exit code 3 when one does not."""
    from incrowd.cli._places import show_merged
    from incrowd.tasks.postcode_merge import postcode_merge

    done = postcode_merge(
        file, postcode, population or (), component=component, threshold=threshold, way=way, adjacency=adjacency,
        preset=preset, other=other, repair=repair, unit=unit, **reading,
    )  # fmt: skip
    found, places = done.merged, done.places
    if out is not None:
        done.write(out)
    if lookup is not None:
        done.write_lookup(lookup)
    if json_:
        keep = ("source", "component", "populations", "threshold", "way", "before", "below", "touched",
                "people_touched", "extra", "alone", "coarser", "smallest", "passes")  # fmt: skip
        content = {name: getattr(found, name) for name in keep}
        content |= {"counted": {name: places.counted(name) for name in places.populations}}
        say(json.dumps({**content, "after": len(found.members), "invalid": dict(places.invalid)}, indent=1))
    else:
        show_merged(found, places)
    raise typer.Exit(0 if found.passes else 3)


def _no_postcode(text: str, one: NoPostcode) -> None:
    meant = f" Is {' or '.join(one.repairs)} meant?" if one.repairs else ""
    say(f"{text!r} is no postcode: {one.words}.{meant}", err=True)


def _chart(found: Analysis, path: Path) -> None:
    from incrowd.errors import InputError
    from incrowd.report.charts.look import to_svg
    from incrowd.report.charts.postcodes import curves_page, population_curves

    names = found.places.populations
    if path.suffix == ".svg" and len(names) > 1:
        raise InputError("D185", "an SVG holds the curves of one population.", "Name one, or write .html.")
    text = to_svg(population_curves(found, names[0])) if path.suffix == ".svg" else curves_page(found)
    write_private(path, text)
