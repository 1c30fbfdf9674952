"""incrowd init: a starter plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import Codes, Data, Header, writable
from incrowd.cli._reading import Unit, reads
from incrowd.cli._terminal import say


@root.command()
@reads
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
    codes: Codes = None,
    unit: Unit = None,
    **reading: Any,
) -> None:
    """Write a commented starter plan for a file, with a suggested role for every column.

    Its steps are tried on the file, and a comment says what they lose. Where neither name nor values told what a column
    is, the plan says 'decide': a fault of incrowd check until somebody has.
    """
    from incrowd.tasks.init import init as start

    start(data, out, kind=kind, header=header, codes=codes, force=force, unit=unit, **reading)
    say(f"{out} is a start, not a decision: read every role and reason, then run: incrowd check {out}")
