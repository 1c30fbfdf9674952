"""incrowd demo-data: people who do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import say


@root.command("demo-data")
def demo_data(
    rows: Annotated[str, typer.Option(help="How many people; 1e6 is understood.")] = "100000",
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Where to write: .csv or .parquet (default: people.csv).", callback=writable),
    ] = None,
    format_: Annotated[
        Literal["csv", "parquet"] | None, typer.Option("--format", help="Without -o: people.csv or people.parquet.")
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="Also write the larger population that the file is a sample of.", callback=writable),
    ] = None,
) -> None:
    """Write a synthetic population of people who do not exist, to try incrowd on."""
    from incrowd.cli._bars import bar
    from incrowd.errors import InputError
    from incrowd.tasks.demo_data import demo_data as write

    try:
        number = int(float(rows))
    except (ValueError, OverflowError):
        raise InputError("D017", f"--rows {rows} is not a number.") from None
    ending = "parquet" if out is not None and out.suffix.lower() == ".parquet" else "csv"
    if out is not None and format_ not in (None, ending):
        raise InputError("D093", f"--format {format_} does not go with a file called {out.name}.", "Leave one out.")
    out = out or Path(f"people.{format_ or 'csv'}")
    with bar("people") as progress:
        write(out, rows=number, seed=seed, population=population, progress=progress)
    say(f"{number:,} people in {out}" + (f", their population in {population}" if population else ""))
