"""incrowd sweep: which value of a parameter keeps the conclusions?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.tasks.sweep import Swept
    from incrowd.utility.points import Sweep, SweepPoint


@root.command()
def sweep(
    plan: Annotated[Path, typer.Argument(help="The release plan, a YAML file with use_cases.")],
    k: Annotated[str | None, typer.Option(help="Values of k to try: 2:11, or 3,5,10.")] = None,
    suppression: Annotated[
        str | None, typer.Option(help="Suppression limits of the plan's search to try: 0:0.1:0.02, or 0,0.05.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Any parameter by its path, counted from 0: steps.2.fraction=0.1,0.2. May be "
            "given several times; all combinations are tried.",
        ),
    ] = None,
    candidate: Annotated[
        list[Path] | None,
        typer.Option(help="Another plan as it stands, as one more point. May be given several times."),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            help="Write risk against utility here, as a page to zoom and point at (.html).", callback=writable
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """Try a plan with many values of a parameter: rows dropped, loss, risk, and whether each use case keeps its
    conclusion. Recommends the strictest value at which nothing breaks, and says what breaks next.

    Nothing is released. `incrowd sweep plan.yaml --k 2:11` counts the classes once for all k, so ten values cost
    little more than one; other parameters do the steps that they touch anew for each value. Without an option k is
    tried as the plan's own sweep says, or from 2 to 11.
    """
    from incrowd.cli._bars import bar
    from incrowd.tasks.sweep import sweep as measure

    with bar("values tried", quiet=json_) as done:
        found = measure(
            plan, set_ or (), k=k, suppression=suppression, candidates=candidate or (),
            progress=lambda _, number, total: done(number - 1, total - 1),
        )  # fmt: skip
    if chart is not None:
        from incrowd.report.charts.frontier import frontier_page

        write_private(chart, frontier_page(found.sweep))
    if json_:
        content = asdict(found)
        for point in (*content["sweep"]["points"], *content["sweep"]["candidates"]):
            for outcome in point["outcomes"]:
                del outcome["figures"]  # they name groups of the file as it came, and a rare one is somebody
        say(json.dumps(content, indent=1))
        return
    _show(found)
    if chart is not None:
        say(f"chart     {chart}  (internal: it is about the file before suppression)")


def _show(found: Swept) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    swept = found.sweep
    table = Table(
        title=f"What each {swept.parameter} would do: records dropped, and use cases that break", title_justify="left"
    )
    numbers = [f"for {model}" for model in swept.models]
    lines = [_line(point, swept) for point in (*swept.points, *swept.candidates)]
    for i, heading in enumerate([swept.parameter, *numbers, "released", "loss", "risk", "breaks", ""]):
        # Headings may wrap; a number must never be cut.
        widest = max(len(line[i]) for line in lines)
        table.add_column(heading, justify="left" if i > len(numbers) + 3 else "right", min_width=widest)
    for line in lines:
        table.add_row(*line)
    console.print(table)
    for i, name in enumerate(swept.use_cases):
        console.print(f"({i + 1}) {name}")
    console.print(f"\n{swept.advice}")
    if found.prices:
        _show_prices(found)
    console.print("Nothing was released.")


def _show_prices(found: Swept) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    table = Table(title="What was not required, priced in records at the plan's own values", title_justify="left")
    table.add_column("requirements")
    table.add_column("dropped", justify="right")
    table.add_column("of all", justify="right")
    for price in found.prices:
        table.add_row(price.name, f"{price.dropped:,}", f"{price.share:.1%}")
    console.print()
    console.print(table)


def _line(point: SweepPoint, swept: Sweep) -> list[str]:
    numbers = [f"{point.dropped.get(model, 0):,}" for model in swept.models]
    loss = "" if point.loss is None else f"{point.loss:.3f}"
    risk = "" if point.risk_mean is None else f"{point.risk_mean:.2%}"
    breaks = ", ".join(f"({swept.use_cases.index(name) + 1})" for name in point.broken)
    marks = (("plan", swept.chosen), ("recommended", swept.recommended))
    remark = point.why or ", ".join(word for word, label in marks if label == point.label)
    nothing = "none" if point.outcomes else ""
    return [point.label, *numbers, f"{point.released:,}", loss, risk, breaks or nothing, remark]
