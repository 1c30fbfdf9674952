"""incrowd hierarchy: build, show, validate and write hierarchies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, overload

import typer

from incrowd.cli import root
from incrowd.cli._options import as_source, writable
from incrowd.cli._reading import Unit, reads
from incrowd.cli._terminal import say

hierarchy_app = typer.Typer(
    no_args_is_help=True, help="Hierarchies: ways to coarsen one variable, level by level. ARX's CSV format in and out."
)
root.add_typer(hierarchy_app, name="hierarchy")

HierarchyFile = Annotated[Path, typer.Argument(help="A hierarchy in ARX's format: no header, first column the leaf.")]


VariableCodes = Annotated[
    Path | None, typer.Option(help="What values stand for: a CSV file of codes, for this variable or for all.")
]


@hierarchy_app.command()
@reads
def build(
    data: Annotated[
        Path, typer.Argument(help="The file whose values are to be coarsened.", parser=as_source, metavar="data")
    ],
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
    scale: Annotated[
        Literal["nominal", "ordinal", "numeric"] | None,
        typer.Option(help="Without a rule: whether the values are names, names in an order, or amounts."),
    ] = None,
    codes: VariableCodes = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write it.", callback=writable)] = None,
    unit: Unit = None,
    **reading: Any,
) -> None:
    """Build a hierarchy for a variable by a rule, or, without one, from how its values are distributed."""
    from incrowd.keys.hierarchies import tree_lines
    from incrowd.tasks.hierarchy_build import hierarchy_build, told

    found = hierarchy_build(
        data, key, widths=_numbers(widths), cuts=None if cuts is None else [_numbers(one) for one in cuts.split("/")],
        quantiles=_whole(quantiles), prefixes=_whole(prefixes), dates=None if dates is None else dates.split(","),
        date_format=date_format, order=None if order is None else order.split(","), groups=_whole(groups) or (2,),
        scale=scale, codes=codes, out=out, unit=unit, **reading,
    )  # fmt: skip
    if found.how:
        say(f"{key}: {found.how}")
    say("\n".join(found.words))
    if out is None:
        say("\n" + "\n".join(tree_lines(found.hierarchy, words=found.codes)))
    else:
        say(f"{out}: {told(found.hierarchy)}.")


@hierarchy_app.command()
def show(
    file: HierarchyFile,
    depth: Annotated[int | None, typer.Option(min=0, help="How many levels from the top.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many branches of each node.")] = 8,
    codes: VariableCodes = None,
) -> None:
    """Show a hierarchy as a tree."""
    from incrowd.tasks.hierarchy_show import hierarchy_show

    say(hierarchy_show(file, depth=depth, limit=limit, codes=codes))


@hierarchy_app.command()
@reads
def validate(
    file: HierarchyFile,
    data: Annotated[Path | None, typer.Option(help="A file whose values must all be covered.")] = None,
    key: Annotated[str | None, typer.Option(help="With --data: the variable (default: the hierarchy's name).")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the faults as JSON.")] = False,
    **reading: Any,
) -> None:
    """Check that values are covered, levels nest and there is one top. Exit code 2 when there are faults."""
    from incrowd.errors import PlanError
    from incrowd.tasks.hierarchy_build import told
    from incrowd.tasks.hierarchy_validate import hierarchy_validate

    found = hierarchy_validate(file, data=data, key=key, **reading)
    if found.faults:
        raise PlanError(list(found.faults))
    if json_:
        say(json.dumps({"faults": []}))
    else:
        say(f"{file}: {told(found.hierarchy)}, no faults.")


@overload
def _numbers(text: str) -> list[float]: ...


@overload
def _numbers(text: None) -> None: ...


def _numbers(text: str | None) -> list[float] | None:
    from incrowd.errors import InputError

    if text is None:
        return None
    try:
        return [float(part) if "." in part else int(part) for part in text.split(",")]
    except ValueError:
        raise InputError("D064", "a list of numbers cannot be read.", "Write it as 5,10,20") from None


def _whole(text: str | None) -> list[int] | None:
    return None if text is None else [int(number) for number in _numbers(text)]
