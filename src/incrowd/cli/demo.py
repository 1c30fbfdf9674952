"""incrowd demo: the whole way on demo data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root


@root.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="How many people.")] = 100_000,
) -> None:
    """The whole way on demo data: 100,000 synthetic people, a plan, a release at k = 9, and its report."""
    from incrowd.cli._show import show_run, step_bars
    from incrowd.tasks.demo import demo as whole_way

    with step_bars() as bars:
        bars.start("people")
        done = whole_way(
            folder, rows=rows, people=lambda made, of: bars.within(made / of), progress=bars.begin, within=bars.within
        )
    for one in done.files:
        show_run(one)
