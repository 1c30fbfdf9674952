"""incrowd risk: how exposed are the people in a file?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli import root
from incrowd.cli._options import as_source, writable
from incrowd.cli._reading import PopulationReading, Unit, reads
from incrowd.cli._reading import population_reading as read_population
from incrowd.cli._terminal import say
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.keys.hierarchy import Hierarchy
    from incrowd.keys.unit_name import UnitName
    from incrowd.risk.measure import Measured
    from incrowd.risk.tables import Tables
    from incrowd.tasks.risk import Assessment

SHOWN = 5  # tables of each number of keys


@root.command()
@reads
def risk(
    source: Annotated[
        Path, typer.Argument(help="A data file, or a plan (.yaml) with scenarios.", parser=as_source, metavar="source")
    ],
    keys: Annotated[str | None, typer.Option(help="The columns an intruder may know, separated by commas.")] = None,
    weights: Annotated[str | None, typer.Option(help="The column with sampling weights.")] = None,
    unit: Unit = None,
    household: Annotated[str | None, typer.Option(help="The column that tells households apart.")] = None,
    sampling_fraction: Annotated[
        float | None, typer.Option(help="The share of the population that is in the file, such as 0.1.")
    ] = None,
    population: Annotated[Path | None, typer.Option(help="The people the file is about: a larger file.")] = None,
    population_count: Annotated[
        str | None, typer.Option(help="The population's column of counts, when a line is not a person.")
    ] = None,
    population_reading: PopulationReading = None,
    unknown_members: Annotated[
        bool, typer.Option("--unknown-members", help="The intruder does not know who is in the file.")
    ] = False,
    geography: Annotated[Path | None, typer.Option(help="The geography's levels: KEY.csv, in ARX's format.")] = None,
    measures: Annotated[
        str, typer.Option(help="Which measures, separated by commas.")
    ] = "tables,record,population,suda",
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write the figures of every record here. Keep it inside: it is about people.", callback=writable
        ),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(help="Write the heat map of uniques here, as SVG.", callback=writable)
    ] = None,
    rarest: Annotated[
        bool, typer.Option("--rarest", help="Name the rarest combinations of keys by their values. Keep it inside.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    **reading: Any,
) -> None:
    """Measure disclosure risk: uniques tables, risk of records, of the population, and special uniques.

    With a plan, each of its scenarios is measured on the data as it came; options other than --measures, --records,
    --chart, --rarest and --json are for data files. Nothing is released, and without --rarest and --records no value of
    the file is shown.
    """
    from incrowd.risk.background import Background
    from incrowd.tasks.risk import risk as measure

    names = [key.strip() for key in (keys or "").split(",") if key.strip()]
    background = Background(
        weights=weights, household=household, unit=unit, fraction=sampling_fraction, population=population,
        population_count=population_count,
        population_reading=read_population(population_reading, population),
        levels=None if geography is None else _levels(geography, names),
    )  # fmt: skip
    wanted = [name.strip() for name in measures.split(",") if name.strip()]
    found = measure(
        source, names, background=background, measures=wanted, records=records, knows_who_is_in=not unknown_members,
        rarest=rarest,
        **reading,
    )  # fmt: skip
    if chart is not None:
        _chart(found, chart)
    if json_:
        say(json.dumps(asdict(found), indent=1))
        return
    for measured in found.measured:
        _show(found, measured)
    if records is not None:
        say(f"figures of every record in {records}: keep it inside")


def _levels(geography: Path, keys: list[str]) -> dict[str, Hierarchy]:
    """The hierarchy of the key that its file is named after; none where no key is named."""
    from incrowd.errors import InputError
    from incrowd.rows.lookup import read_hierarchy

    if not keys:
        return {}
    key = next((n for n in keys if geography.stem == n or geography.stem.endswith(f"hierarchy_{n}")), None)
    if key is None:
        raise InputError("D107", "the geography's file is named after no key.", "Name it KEY.csv.")
    return {key: read_hierarchy(geography, key)}


def _chart(found: Assessment, path: Path) -> None:
    from incrowd.errors import InputError
    from incrowd.report.charts.heat import uniques_heat
    from incrowd.report.charts.look import to_svg

    tables = next((measured.tables for measured in found.measured if measured.tables is not None), None)
    if tables is None:
        raise InputError("D108", "there is nothing to chart.", "Ask for tables: --measures tables")
    write_private(path, to_svg(uniques_heat(tables)))


def _show(found: Assessment, measured: Measured) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked
    from incrowd.report.words import risk as told

    scenario = measured.scenario
    console.print(marked("\n", (f"{found.source}: {scenario.name}", "bold"), f"  ({', '.join(scenario.keys)})"))
    if titles := [f"{key}: {found.book.titles[key]}" for key in scenario.keys if key in found.book.titles]:
        console.print(marked(("; ".join(titles), "dim")))
    known = "knows" if scenario.knows_who_is_in else "does not know"
    console.print(f"{measured.records:,} records, the intruder {known} who is in the file")
    if measured.tables is not None:
        _show_tables(measured.tables, found.called)
    figures = Table(title="Figures (95% interval)", title_justify="left")
    figures.add_column("figure")
    figures.add_column("value", justify="right")
    figures.add_column("method")
    figures.add_column("what to know")
    for one in (*measured.risks, *measured.worth):
        figures.add_row(one.name.replace("_", " "), told(one), found.called.say(one.method), found.called.say(one.why))
    console.print(figures)
    if measured.special is not None:
        parts = ", ".join(f"{key} {percent:.0f}%" for key, percent in measured.special.contributions.items())
        console.print(f"special uniques (SUDA): {measured.special.records:,} records; keys in them: {parts}")
    _show_rarest(found, scenario.name)
    for level in found.geography.get(scenario.name, ()):
        console.print(f"geography {level.level}: {level.uniques:,} uniques, {level.surviving:,} unique at every level")
    for note in measured.notes:
        console.print(marked((found.called.say(note), "yellow")))


def _show_rarest(found: Assessment, scenario: str) -> None:
    from incrowd.cli._consoles import console
    from incrowd.errors import visible

    rare = found.rarest.get(scenario)
    if rare is None:
        return
    if not rare.keys:
        console.print("rarest combinations: not counted, there are too few keys or too many classes")
        return
    console.print(f"combinations of up to {rare.keys} keys that hardly anybody has: {rare.total:,}. Keep these inside:")
    for one in rare.combinations:
        told = ", ".join(f"{found.book.title(key)}: {found.book.word(key, value)}" for key, value in one.values)
        console.print(
            f"  {visible(told)} ({one.before:,} {found.called.of(one.before)})", markup=False, highlight=False
        )


def _show_tables(tables: Tables, called: UnitName) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    table = Table(title=f"Tables with most uniques, up to {tables.ways} keys", title_justify="left")
    headings = ["keys", "cells", "uniques", "pairs", f"{called.many} in cells below {tables.k}"]
    headings += ["population uniques", "unique in both"] if tables.has_population else []
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "keys" else "right")
    for size in range(1, tables.ways + 1):
        for line in [line for line in tables.lines if len(line.keys) == size][:SHOWN]:
            c = line.counted
            numbers = [c.cells, c.uniques, c.pairs, c.people_below]
            numbers += [c.population_uniques, c.matched] if tables.has_population else []
            table.add_row(" + ".join(line.keys), *(f"{number:,}" for number in numbers))
    console.print(table)
    console.print("keys by contribution: " + ", ".join(c.key for c in tables.contributions))
    for warning in tables.warnings:
        console.print(marked((warning, "yellow")))
