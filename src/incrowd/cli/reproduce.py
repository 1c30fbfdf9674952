"""incrowd reproduce: a release made again from its audit."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Folder, Json, Original, RunFolder
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from rich.text import Text

    from incrowd.tasks.reproduce import Reproduction


@root.command()
def reproduce(
    run: RunFolder,
    original: Original = None,
    folder: Folder = None,
    memory: Annotated[str | None, typer.Option(help="The most memory it may use, such as 8GB.")] = None,
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Json = False,
) -> None:
    """Make a release again from its audit, in a private folder, and compare the bytes. Nothing is published.

    First the audit and the release are compared with what was sealed: a copy that differs is refused, and so is one
    that is signed with a key that is not known here. Then every file that the plan names is compared with the hash
    that the audit has of it, and named when it is another one; then every file of the release, as it lies there and as
    it was made again. Exit code 0 only when everything is the same, else 1.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.tasks.reproduce import reproduce as make_again

    with step_bars(quiet=json_) as bars:
        found = make_again(
            run, original=original, folder=folder, memory=memory, progress=bars.begin, within=bars.within,
            trust=trusting(trust, unsigned),
        )  # fmt: skip
    if json_:
        say(json.dumps({"same": found.same, "data_same": found.data_same, **asdict(found)}, indent=1))
    else:
        _show_reproduction(found)
    raise typer.Exit(0 if found.same else 1)


def _show_reproduction(found: Reproduction) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    table = Table(title="What went in", title_justify="left")
    for heading in ("file", "place in the plan", "compared", ""):
        table.add_column(heading)
    for entry in found.inputs:
        table.add_row(entry.name, entry.place, entry.where, _mark(entry.state))
    console.print(table)
    table = Table(title="What came out", title_justify="left")
    for heading in ("file", "as it lies there", "made again"):
        table.add_column(heading)
    for file in found.files:
        table.add_row(file.name, _mark(file.stored), _mark(file.again))
    console.print(table)
    if found.plan != "same":
        told = "The audit's plan is not the one that was run: its bytes differ."
        console.print(marked((told, "red"), " Nothing was run again."))
    elif found.refused is not None:
        console.print(marked((f"The plan is refused now ({found.refused}): its release was not made again.", "red")))
    for name, (then, now) in found.versions.items():
        console.print(f"{name} was {then or 'not installed'}, is {now or 'not installed'}")
    for name in found.changed_since:
        console.print(f"{name} has changed since; the audit's copy was used")
    if found.data_same and not found.same:
        console.print("The data was made again with the same bytes; other things differ.")
    if not found.signed:
        console.print(marked(("The audit has no signature: nobody vouches for what this was compared with.", "yellow")))
    console.print(marked(("The same bytes.", "green") if found.same else ("Not the same bytes.", "red")))


def _mark(state: str | None) -> Text:
    from incrowd.cli._consoles import marked

    colour = {"same": "green", "differs": "red", "missing": "red"}.get(state or "", "")
    return marked("\N{EN DASH}" if state is None else (state, colour))
