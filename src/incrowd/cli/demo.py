"""incrowd demo: the whole way on demo data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root

if TYPE_CHECKING:
    from incrowd.audit.log import RunLog
    from incrowd.tasks.run import Run


@root.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demo.")] = Path("demo"),
    rows: Annotated[int, typer.Option(help="How many people.")] = 100_000,
    propose: Annotated[
        bool, typer.Option(help="Also look for a plan that may be opened, and run it beside the study's.")
    ] = True,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Also show how classes grow and uniques vanish step by step, and every attack on the release.",
        ),
    ] = False,
) -> None:
    """The whole way on demo data: 100,000 synthetic people, the plan of a study at k = 9, what intruders find in its
    release, and a plan that `incrowd propose` finds for an open file, with both reports of each.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.cli._consoles import console
    from incrowd.cli._show import show_runs
    from incrowd.tasks.demo import demo as whole_way

    with step_bars() as bars:
        bars.start("people")
        done = whole_way(
            folder, rows=rows, people=lambda made, of: bars.within(made / of), progress=bars.begin, within=bars.within
        )
    if propose:
        console.print("1. The plan of the study", style="bold")
    show_runs(done.files, verbose)
    if propose:
        _go_on(folder, done, verbose)


def _go_on(folder: Path, study: Run, verbose: bool) -> None:
    """From the goal to a plan, and its release beside that of the study."""
    from incrowd.cli._bars import step_bars
    from incrowd.cli._consoles import console
    from incrowd.cli._show import show_runs
    from incrowd.cli.propose import show_proposals
    from incrowd.tasks.propose import propose
    from incrowd.tasks.run import run

    console.print("\n2. From a goal to a plan: incrowd propose plan.yaml --tier open", style="bold")
    with step_bars() as bars:
        found = propose(
            folder / "plan.yaml", "open", out=folder / "proposals", most=1, force=True,
            progress=lambda what, number, _: bars.start(what) if number else bars.now(what),
        )  # fmt: skip
    show_proposals(found, verbose, brief=True)
    best = found.recommended
    if best is None or best.file is None:
        return
    console.print("\n3. The proposed plan", style="bold")
    with step_bars() as bars:
        done = run(best.file, progress=bars.begin, within=bars.within)
    show_runs(done.files, verbose)
    _side_by_side(study.log, done.log)


def _side_by_side(study: RunLog, proposed: RunLog) -> None:
    """Both releases in one table."""
    from rich.table import Table

    from incrowd.cli._consoles import console
    from incrowd.report.board.advice import advise, most

    table = Table(title="Side by side", title_justify="left")
    for heading in ("", "the study's plan", "the proposed plan"):
        table.add_column(heading, justify="right" if heading else "left")
    logs, limit = (study, proposed), study.about.risk_open
    figures = [[worst for one in log.attacks if (worst := most(one)) is not None] for log in logs]
    against = [advise(log).against("open") for log in logs]
    outcomes = [log.utility.outcomes if log.utility is not None else () for log in logs]
    lines = {
        "records released": [f"{log.end.records:,}" for log in logs],
        "smallest class": [f"{log.end.smallest:,}" for log in logs],
        "conclusions kept": [f"{sum(one.passed for one in each)} of {len(each)}" for each in outcomes],
        "attacks tried": [f"{len(each):,}" for each in figures],
        f"attacks above {limit:.0%} beyond a guess": [f"{sum(f > limit for f in each):,}" for each in figures],
        "the most that one may add": [f"{max(each, default=0.0):.0%}" for each in figures],
        "reasons against open": [f"{len(each)}" for each in against],
        "of them only for people to remove": [f"{sum(one.by_people for one in each)}" for each in against],
    }
    for what, cells in lines.items():
        table.add_row(what, *cells)
    console.print()
    console.print(table)
