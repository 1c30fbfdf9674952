"""incrowd reproduce, audit and review: what can be done with a run that was kept."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import app
from incrowd.cli._terminal import give, say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from rich.text import Text

    from incrowd.report.review import Reviewed
    from incrowd.tasks.audit_diff import Difference
    from incrowd.tasks.reproduce import Reproduction

audit_app = typer.Typer(no_args_is_help=True, help="Audits of earlier runs. What is shown here stays inside.")
app.add_typer(audit_app, name="audit")

RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder of a run (runs/ID), its release, its audit, or the pointer.")
]
Original = Annotated[
    Path | None, typer.Option(help="The data where it is now; left out, it is looked for where it was.")
]
Folder = Annotated[
    Path | None, typer.Option(help="Where the plan's other files are now; left out, the audit's own copies are used.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]


@app.command()
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
    from incrowd.cli._show import step_bars
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


@audit_app.command("diff")
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's folder, its release or its audit.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Json = False,
) -> None:
    """Compare two audits: plan, inputs, versions, steps, classes, requirements, risks, attacks, utility, release."""
    from incrowd.tasks.audit_diff import diff_audits

    found = diff_audits(first, second, trust=trusting(trust, unsigned))
    if json_:
        say(json.dumps([asdict(one) for one in found], indent=1))
    else:
        _show_differences(found)


def _show_differences(found: tuple[Difference, ...]) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    if not found:
        console.print("The two audits tell the same.")
        return
    table = Table(title="What differs", title_justify="left")
    for heading in ("part", "what", "A", "B"):
        table.add_column(heading, overflow="fold")
    for one in found:
        sides = ("\N{EN DASH}" if side is None else side for side in (one.first, one.second))
        table.add_row(one.part, one.what, *sides)
    console.print(table)


@app.command()
def review(
    run: RunFolder,
    original: Original = None,
    external: Annotated[
        list[Path] | None,
        typer.Option(help="A file about people that intruders may have now. May be given several times."),
    ] = None,
    folder: Folder = None,
    attack: Annotated[
        list[str] | None, typer.Option(help="Only this attack. May be given several times; all when left out.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A new folder for review.json and review.html (default: beside the audit).")
    ] = None,
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Json = False,
) -> None:
    """Look at an old release again, with today's tools and with files that have been published since.

    The requirements are counted in the released file as it lies there, the risk of the plan's scenarios is measured,
    and simulated intruders attack it; all of it is compared with what the audit says. Without the original no attack
    can be judged, and the review says so. Exit code 0: nothing became worse; 1: something did, or could not be tried,
    and it is named.
    """
    import time

    from incrowd.audit.archive import places
    from incrowd.report.review import write_review
    from incrowd.tasks.review import review as look_again

    found = look_again(
        run, original=original, external=external or (), folder=folder, attacks=attack, trust=trusting(trust, unsigned)
    )
    audit = places(run)[0]
    assert audit is not None
    place = out or audit.parent / time.strftime("review-%Y%m%d-%H%M%S")
    write_review(found, place)
    if json_:
        give(found.json())
    else:
        _show_review(found, place)
    raise typer.Exit(1 if found.worse or found.not_tried else 0)


def _show_review(found: Reviewed, place: Path) -> None:
    from incrowd.cli._consoles import console, marked

    for one in found.requirements:
        mark = ("open ", "yellow") if one.holds is None else ("holds", "green") if one.holds else ("fails", "red")
        told = one.why if one.holds is None else f"the file has {'no class' if one.has is None else f'{one.has:g}'}"
        console.print(marked(mark, f"  {one.requirement} ({told})"))
    console.print(f"{len(found.risks):,} figures of risk and {len(found.attacks):,} attacks compared with the audit.")
    for note in found.notes:
        console.print(marked(("note", "yellow"), f"   {note}"))
    if found.untraced:
        console.print(f"No attack could be judged: {found.untraced}.")
    if found.overdue:
        console.print(f"The plan asked for a review by {found.due}, which has passed.")
    for text in found.worse:
        console.print(marked(("worse", "red"), f"  {text}"))
    for text in found.not_tried:
        console.print(marked(("not tried", "yellow"), f"  {text}"))
    if found.worse:
        last = ("Worse than the audit says.", "red")
    elif found.not_tried:
        last = ("Nothing that could be tried became worse.", "yellow")
    else:
        last = ("Nothing became worse.", "green")
    console.print(marked(last))
    console.print(f"review    {place / 'review.html'}  (internal: never publish it)", soft_wrap=True)
