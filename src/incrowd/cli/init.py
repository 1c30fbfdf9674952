"""incrowd init: a starter plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import Data, Header, writable
from incrowd.cli._terminal import say
from incrowd.machine.writing import write_private


@root.command()
def init(
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the plan.", callback=writable)] = Path(
        "plan.yaml"
    ),
    kind: Annotated[
        Literal["survey", "administrative", "census"], typer.Option(help="How the records were collected.")
    ] = "survey",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
    header: Header = False,
) -> None:
    """Write a commented starter plan for a file, with a suggested role for every column."""
    import os

    from incrowd.errors import InputError
    from incrowd.profiling import profile as measure
    from incrowd.profiling import starter_plan
    from incrowd.rows import open_source
    from incrowd.rows.header import refuse_records_as_names

    if out.exists() and not force:
        raise InputError("D018", f"{out} exists already.", "Choose another name with -o, or use --force.")
    # The plan names the data from its own folder, so that the two can move together.
    source = os.path.relpath(data.resolve(), out.resolve().parent)
    rows = open_source(data)
    if not header:
        refuse_records_as_names(rows)
    text = starter_plan(measure(rows), source, kind=kind)
    write_private(out, text)
    say(f"{out} is a start, not a decision: read every role and reason, then run: incrowd check {out}")
