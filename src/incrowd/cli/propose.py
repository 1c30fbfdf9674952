"""incrowd propose: from a goal to a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say

if TYPE_CHECKING:
    from incrowd.proposals.value import Proposal, Proposals


@root.command()
def propose(
    plan: Annotated[
        Path,
        typer.Argument(help="A plan with data, roles, scenarios and use cases; steps and requirements may be missing."),
    ],
    tier: Annotated[
        Literal["open", "safeguarded", "controlled"], typer.Option(help="Who shall get the file: the goal.")
    ] = "open",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A folder for the proposed plans, a page, a chart and the figures."),
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=7, help="How many proposals to look for.")] = 3,
    seconds: Annotated[
        float | None,
        typer.Option(min=1, help="Stop after so long with the best so far, which then depends on the machine."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace the proposals of an earlier search in the folder.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show the prices of all promises, and how it was looked for.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """Find plans that reach a goal: which recoding, which treatment of values, which k.

    In goes a plan that says what is in the file, who might look for somebody, and what the file is for. Out come
    plans that the evidence supports for the tier, each carried out up to the gate, attacked by simulated intruders and
    judged by the use cases, none beaten by another in both risk and utility; one is recommended. Steps and requirements
    that the plan has already stay. What may be done, and what must be spared, is said in the plan's block `propose`.

    Nothing is released. Ctrl-C gives the best so far. Exit code 3 when no plan reaches the goal: then it says what
    stands in the way. Take the recommended plan with: incrowd run FOLDER/recommended.yaml --out PROJECT, so that it
    is seen beside earlier releases of the project.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.proposals.write import figures
    from incrowd.tasks.propose import propose as find

    with step_bars(quiet=json_) as bars:
        found = find(
            plan, tier, out=out, most=most, seconds=seconds, force=force,
            progress=lambda what, number, _: bars.start(what) if number else bars.now(what),
        )  # fmt: skip
    if json_:
        say(figures(found).rstrip())
    else:
        show_proposals(found, verbose)
    if not found.items:
        raise typer.Exit(3)


def show_proposals(found: Proposals, verbose: bool = False, brief: bool = False) -> None:
    """The proposals side by side, the recommended one in words, or what stands in the way. If brief, without what a run
    of the plan tells as well.
    """
    from incrowd.cli._consoles import console, marked

    for line in found.added:
        console.print(f"added to the plan: {line}")
    best = found.recommended
    if best is None:
        console.print(marked(("fails", "red"), f"  no plan was found that is fit for {found.tier}"))
        for one in found.obstacles:
            console.print(f"  {one.what}" + (f"; {one.cost}" if one.cost else ""))
    else:
        if len(found) > 1 or not brief:
            console.print(_table(found))
        console.print(marked(("recommended", "green"), f"  {best.why}"))
        for change in best.changes:
            console.print(f"  {change}")
        if not brief:
            _tell(found, best)
    if verbose:
        _details(found)
    if found.stopped:
        console.print("Stopped: these are the best so far.")
    if found.out is not None:
        console.print()
        if best is not None:
            console.print(f"plan      {best.file}", soft_wrap=True)
        console.print(f"page      {found.out / 'proposals.html'}  (internal: never publish it)", soft_wrap=True)
    if not brief:
        if best is not None and best.file is not None:
            home = found.home if found.home is not None else best.file.parent
            console.print(f"run       incrowd run {best.file} --out {home}", soft_wrap=True)
        console.print("Nothing was released.")


def _tell(found: Proposals, best: Proposal) -> None:
    """What the recommended plan keeps, what was tried on it, what its dearest promise costs, what people must do."""
    from incrowd.cli._consoles import console, marked

    for case in best.use_cases:
        mark = ("keeps", "green") if case.passed else ("breaks" if case.judged else "cannot judge", "red")
        console.print(marked(mark, f"  {case.use_case}"))
    console.print(f"tried  {best.attacks} attacks; the strongest is {best.strongest}")
    promises = [price for price in found.prices if not price.key and price.back > 0]
    keys = [price for price in found.prices if price.key and price.back > 0]
    for what, some in (("The dearest promise", promises), ("The dearest key", keys)):
        if some:
            named = some[0].key or some[0].promise
            told = f"without it {some[0].back:.1%} of the information would come back ({some[0].how})"
            console.print(f"{what}: {named}; {told}.")
    for line in best.left_to_do:
        console.print(marked(("left to do", "yellow"), f"  {line}"))


def _table(found: Proposals) -> object:
    from rich.table import Table

    table = Table(title=f"Plans for tier {found.tier}, none beaten by another", title_justify="left")
    table.add_column("plan")
    for heading in ("risk", "smallest class", "information", "use cases", "records"):
        table.add_column(heading, justify="right")
    for one in found:
        table.add_row(*_row(one))
    return table


def _row(one: Proposal) -> tuple[str, ...]:
    cases = f"{one.held} of {len(one.use_cases)}" if one.use_cases else "none named"
    return one.name, f"{one.risk:.1%}", f"{one.k:,}", f"{one.information:.1%}", cases, f"{one.records_kept:,}"


def _details(found: Proposals) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    if found.prices:
        table = Table(title="What each promise of the recommended plan costs", title_justify="left")
        for heading in ("promise", "instead", "comes back", "what would be finer"):
            table.add_column(heading, justify="right" if heading == "comes back" else "left")
        for price in found.prices:
            table.add_row(price.promise, price.instead, f"{price.back:.1%}", price.how)
        console.print(table)
    console.print(f"Made as large as possible: {found.optimised}.")
    for line in found.search:
        console.print(f"- {line}")
