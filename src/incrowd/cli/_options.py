"""What options of several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli._reading import FORMATS
from incrowd.machine.writing import place_to_write


def writable(path: Path | None) -> Path | None:
    """A place where a file can be written: said before the work, not after it."""
    return None if path is None else place_to_write(path)


def as_source(text: str) -> Any:
    """Where records are: a file, or a table of a database by its address, which is no path."""
    return text if "://" in text else Path(text)


def name_of(place: str | Path) -> str:
    """What a file is called, or a table of a database."""
    return place.name if isinstance(place, Path) else place.rpartition("table=")[2]


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]
Data = Annotated[Path, typer.Argument(help=FORMATS, parser=as_source, metavar="data")]
Header = Annotated[
    bool,
    typer.Option("--header", help="The first line names the columns, whatever it looks like."),
]
Codes = Annotated[
    Path | None,
    typer.Option(help="What values stand for: a CSV file with the columns variable, code and label."),
]
PlanFile = Annotated[Path, typer.Argument(help="The release plan, a YAML file.")]
RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder of a run (runs/ID), its release, its audit, or the pointer.")
]
Original = Annotated[
    Path | None, typer.Option(help="The data where it is now; left out, it is looked for where it was.")
]
Folder = Annotated[
    Path | None, typer.Option(help="Where the plan's other files are now; left out, the audit's own copies are used.")
]
