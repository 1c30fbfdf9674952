"""incrowd hierarchy: build, show, validate and write hierarchies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.keys.hierarchy import Hierarchy

hierarchy_app = typer.Typer(
    no_args_is_help=True, help="Hierarchies: ways to coarsen one variable, level by level. ARX's CSV format in and out."
)
root.add_typer(hierarchy_app, name="hierarchy")

HierarchyFile = Annotated[Path, typer.Argument(help="A hierarchy in ARX's format: no header, first column the leaf.")]


@hierarchy_app.command()
def build(
    data: Annotated[Path, typer.Argument(help="The file whose values are to be coarsened.")],
    key: Annotated[str, typer.Option(help="The variable.")],
    widths: Annotated[str | None, typer.Option(help="Bands of equal width, finest first: 5,10,20")] = None,
    cuts: Annotated[
        str | None, typer.Option(help="Bands by cut points, levels separated by a slash: 16,30,45,60/16,45")
    ] = None,
    quantiles: Annotated[str | None, typer.Option(help="Bands with equally many people, most first: 16,8,4,2")] = None,
    prefixes: Annotated[str | None, typer.Option(help="Lengths of beginnings, falling: 4,3,1")] = None,
    dates: Annotated[str | None, typer.Option(help="Parts of dates: month,year,decade")] = None,
    date_format: Annotated[str, typer.Option(help="How dates are written.")] = "%Y-%m-%d",
    order: Annotated[
        str | None, typer.Option(help="The values in their order, for --groups: none,school,degree")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="With --order: neighbours put together, level by level: 2,2")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write it.", callback=writable)] = None,
) -> None:
    """Build a hierarchy for a variable by a rule, or, without one, from how its values are distributed."""
    from incrowd.errors import InputError
    from incrowd.keys import hierarchies as make

    rules = {
        "widths": widths,
        "cuts": cuts,
        "quantiles": quantiles,
        "prefixes": prefixes,
        "dates": dates,
        "order": order,
    }
    given = [name for name, value in rules.items() if value is not None]
    if len(given) > 1:
        raise InputError("D063", f"{len(given)} rules are given.", "Give one, or none.")
    counts = _counted(data, key)
    values = sorted(counts, key=lambda value: (value is not None, value or ""))
    numbers, how = [counts[value] for value in values], ""
    match given:
        case ["widths"]:
            made = make.equal_bands(values, key, _numbers(widths))
        case ["cuts"]:
            made = make.cut_bands(values, key, [_numbers(level) for level in str(cuts).split("/")])
        case ["quantiles"]:
            made = make.quantile_bands(values, numbers, key, [int(n) for n in _numbers(quantiles)])
        case ["prefixes"]:
            made = make.prefixes(values, key, [int(n) for n in _numbers(prefixes)])
        case ["dates"]:
            made = make.date_parts(values, key, str(dates).split(","), date_format)  # type: ignore[arg-type]
        case ["order"]:
            made = make.ordered_groups(str(order).split(","), key, [int(n) for n in _numbers(groups or "2")])
        case _:
            made, how = make.automatic(values, numbers, key)
    _finish(make.require_valid(made, values), out, how)


@hierarchy_app.command()
def show(
    file: HierarchyFile,
    depth: Annotated[int | None, typer.Option(min=0, help="How many levels from the top.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many branches of each node.")] = 8,
) -> None:
    """Show a hierarchy as a tree."""
    from incrowd.keys.hierarchies import tree_lines
    from incrowd.rows.lookup import read_hierarchy

    for line in tree_lines(read_hierarchy(file, file.stem), limit=limit, depth=depth):
        say(line)


@hierarchy_app.command()
def validate(
    file: HierarchyFile,
    data: Annotated[Path | None, typer.Option(help="A file whose values must all be covered.")] = None,
    key: Annotated[str | None, typer.Option(help="With --data: the variable (default: the hierarchy's name).")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the faults as JSON.")] = False,
) -> None:
    """Check that values are covered, levels nest and there is one top. Exit code 2 when there are faults."""
    from incrowd.errors import PlanError
    from incrowd.keys.hierarchies import validate as check
    from incrowd.rows.lookup import read_hierarchy

    name = key or file.stem.rpartition("hierarchy_")[2]
    hierarchy = read_hierarchy(file, name)
    values = None if data is None else list(_counted(data, name))
    faults = check(hierarchy, values)
    if faults:
        raise PlanError(faults)
    if json_:
        say(json.dumps({"faults": []}))
    else:
        say(f"{file}: {len(hierarchy.rows)} leaves, {hierarchy.height} levels above them, no faults.")


def _counted(data: Path, key: str) -> dict[str | None, int]:
    """The values of a column, and how many records have each."""
    from incrowd.errors import InputError
    from incrowd.rows import open_source

    rows = open_source(data)
    if key not in rows.columns:
        raise InputError("D012", f"{key!r} is not a column of {rows.place}.")
    return rows.value_counts(key)


def _numbers(text: str | None) -> list[float]:
    from incrowd.errors import InputError

    try:
        return [float(part) if "." in part else int(part) for part in str(text).split(",")]
    except ValueError:
        raise InputError("D064", "a list of numbers cannot be read.", "Write it as 5,10,20") from None


def _finish(hierarchy: Hierarchy, out: Path | None, how: str) -> None:
    from incrowd.keys.hierarchies import format_arx, tree_lines

    if out is None:
        for line in tree_lines(hierarchy):
            say(line)
    else:
        write_private(out, format_arx(hierarchy))
        say(f"{out}: {len(hierarchy.rows)} leaves, {hierarchy.height} levels above them. {how}".strip())
