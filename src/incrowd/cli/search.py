"""incrowd search: the recoding of a file's keys that costs least."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incrowd.cli import root
from incrowd.cli._options import Data, writable
from incrowd.cli._reading import Unit, reads
from incrowd.cli._terminal import say

if TYPE_CHECKING:
    from incrowd.keys.hierarchy import Hierarchy
    from incrowd.keys.requirements import Requirement
    from incrowd.keys.search.frontier import FrontierPoint
    from incrowd.tasks.search import FoundRecoding

# Examples, not the list: the models themselves would be imported for every command's help.
# Not a single letter for the column: Rich takes `:A:` for an emoji.
MODEL_HELP = (
    "A requirement, may be given several times, such as k:5, distinct_l:NAME:3, t:NAME:0.2:ordered or "
    "weak_k:3:on=age,sex:where=area=Wales; NAME is a sensitive column. '--model help' shows how all are written."
)
Models = Annotated[list[str] | None, typer.Option("--model", help=MODEL_HELP)]


@root.command()
@reads
def search(
    file: Data,
    keys: Annotated[str, typer.Option(help="The columns that may be recoded, separated by commas.")],
    hierarchies: Annotated[
        Path | None, typer.Option(help="A folder with a hierarchy for each key: KEY.csv or *hierarchy_KEY.csv.")
    ] = None,
    k: Annotated[int, typer.Option(help="Every class must have at least so many people.")] = 5,
    suppression: Annotated[
        float, typer.Option(min=0, max=1, help="The share of the records that may be suppressed.")
    ] = 0.0,
    objective: Annotated[
        Literal["arithmetic", "geometric", "discernibility", "class_size", "entropy", "precision"],
        typer.Option(help="What is to be least."),
    ] = "geometric",
    model: Models = None,
    unit: Unit = None,
    local: Annotated[bool, typer.Option("--local", help="A recoding per class: less loss, mixed labels.")] = False,
    auto: Annotated[bool, typer.Option("--auto", help="Build hierarchies that are not in the folder.")] = False,
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop after so long with the best so far.")] = None,
    frontier: Annotated[
        bool, typer.Option("--frontier", help="Also: loss against k, and loss against suppression.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="Write the file with its keys recoded, other columns as they are.", callback=writable
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    **reading: Any,
) -> None:
    """Find the recoding of the keys that costs least, so that every requirement holds.

    Without --local the result is the proven optimum over all combinations of hierarchy levels (or says that it is
    not proven). Exit code 3 when even the coarsest recoding does not satisfy the requirements.
    """
    from incrowd.tasks.search import search as find

    names = [key.strip() for key in keys.split(",") if key.strip()]
    trees = hierarchies_in(hierarchies, names)
    requirements = parse_models(model, k, hierarchies)
    found = find(
        file, names, requirements, trees, suppression=suppression, objective=objective, local=local, auto=auto,
        seconds=seconds, frontier=frontier, out=out, unit=unit, **reading,
    )  # fmt: skip
    if json_:
        content = asdict(replace(found, frontier=None))
        del content["frontier"]
        if (lines := found.frontier) is not None:
            content["frontier"] = {"k": _points(lines.k), "suppression": _points(lines.suppression)}
        say(json.dumps(content, indent=1))
        return
    _show(found)


def parse_models(texts: list[str] | None, k: int | None, hierarchies: Path | None = None) -> list[Requirement]:
    """k and the models of the command line."""
    from incrowd.keys.requirements import K, forms, parse_model

    if "help" in (texts or []):
        say("\n".join(form.spelling(name) for name, form in forms().items()))
        raise typer.Exit
    trees = (
        {}
        if hierarchies is None
        else hierarchies_in(hierarchies, [text.split(":")[1] for text in texts or [] if ":" in text])
    )
    first: list[Requirement] = [] if k is None else [K(k)]
    return first + [parse_model(text, trees) for text in texts or []]


def hierarchies_in(folder: Path | None, names: list[str]) -> dict[str, Hierarchy]:
    """The hierarchies that a folder has for some variables."""
    from incrowd.rows.lookup import find_hierarchies

    return {} if folder is None else find_hierarchies(folder, names)


def _points(points: tuple[FrontierPoint, ...]) -> list[dict[str, float | None]]:
    return [
        {
            "value": point.value,
            "loss_arithmetic": None if point.found is None else point.found.loss_arithmetic,
            "loss_geometric": None if point.found is None else point.found.loss_geometric,
            "suppressed": None if point.found is None else point.found.suppressed,
        }
        for point in points
    ]


def _show(found: FoundRecoding) -> None:
    from rich.markup import escape
    from rich.table import Table

    from incrowd.cli._consoles import console

    if found.levels is not None:
        table = Table(title="Levels", title_justify="left")
        table.add_column("key")
        table.add_column("level", justify="right")
        table.add_column("holds", overflow="fold")
        for name, level in found.levels.items():
            table.add_row(escape(name), str(level), escape((found.holds or {}).get(name, "")))
        console.print(table)
    console.print(f"loss         {found.loss_arithmetic:.6f} arithmetic, {found.loss_geometric:.6f} geometric")
    console.print(f"suppressed   {found.suppressed:,} of {found.records:,} records")
    console.print(f"classes      {found.classes:,}")
    if found.nodes is not None:
        proof = "proven optimal" if found.proven else f"not proven: the optimum may score {found.gap:.6f} less"
        console.print(f"lattice      {found.nodes:,} nodes, {found.counted:,} counted; {proof}")
    else:
        console.print("a heuristic: less loss than any level per key, not proven optimal")
    if found.out is not None:
        console.print(f"written to   {found.out}")
        console.print("All other columns are in it as they were, identifiers too: a release comes from a plan.")
    lines = found.frontier
    for name, part in () if lines is None else (("k", lines.k), ("suppression", lines.suppression)):
        table = Table(title=f"Loss against {name}", title_justify="left")
        for heading in (name, "arithmetic", "geometric", "suppressed"):
            table.add_column(heading, justify="right")
        for point in part:
            best = point.found
            figures = ("-", "-", "-") if best is None else (
                f"{best.loss_arithmetic:.4f}", f"{best.loss_geometric:.4f}", f"{best.suppressed:,}"
            )  # fmt: skip
            table.add_row(f"{point.value:g}", *figures)
        console.print(table)
