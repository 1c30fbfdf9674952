"""incrowd init: a starter plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import Data, Header, writable
from incrowd.cli._terminal import say


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
    from incrowd.tasks.init import init as start

    start(data, out, kind=kind, header=header, force=force)
    say(f"{out} is a start, not a decision: read every role and reason, then run: incrowd check {out}")
