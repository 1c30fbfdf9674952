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
    from incrowd.cli._show import bar, show_run, step_bars
    from incrowd.demo import write_demo, write_example
    from incrowd.errors import IncrowdError
    from incrowd.pipeline import run as run_plan

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IncrowdError("X004", f"no run can be stored in {folder} ({error.strerror}).") from None
    with bar("people") as progress:
        write_demo(folder / "people.csv", rows=rows, seed=1, progress=progress)
    plan = write_example(folder)
    with step_bars() as bars:
        done = run_plan(plan, progress=bars.begin, within=bars.within)
    show_run(done)
