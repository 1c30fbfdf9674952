"""The options that tell what a release is which another tool made, for every command that takes one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incrowd.pipeline.foreign_plan import ForeignRelease

PANEL = "A file that another tool made"

Keys = Annotated[
    str | None,
    typer.Option(help="The columns that an intruder may know, separated by commas.", rich_help_panel=PANEL),
]
Sensitive = Annotated[
    str | None,
    typer.Option(help="The columns that an intruder wants to learn, separated by commas.", rich_help_panel=PANEL),
]
PlanOf = Annotated[
    Path | None,
    typer.Option(
        "--plan",
        help="A plan of the original, for roles, scenarios, codes and hierarchies; its steps are not carried out.",
        rich_help_panel=PANEL,
    ),
]
HierarchiesOf = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        help="A folder with what labels stand for: KEY.csv in ARX's format for each column.",
        rich_help_panel=PANEL,
    ),
]
IdOf = Annotated[
    str | None,
    typer.Option("--id", help="The column of both files that is the same for the same person.", rich_help_panel=PANEL),
]
SameOrder = Annotated[
    bool,
    typer.Option("--same-order", help="The records of both files are in the same order.", rich_help_panel=PANEL),
]
Required = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="What must hold in it, such as k:5; `help` lists all. May be given several times.",
        rich_help_panel=PANEL,
    ),
]  # fmt: skip


def foreign_release(
    keys: str | None, sensitive: str | None, plan: Path | None, hierarchies: Path | None, id_: str | None, order: bool
) -> ForeignRelease | None:
    """What is told of it, or None where nothing is."""
    from incrowd.pipeline.foreign_plan import ForeignRelease

    told = ForeignRelease(_names(keys), _names(sensitive), plan, hierarchies, id_, order)
    return told if told.told else None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
