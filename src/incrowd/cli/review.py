"""incrowd review: an old release looked at again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Folder, Json, Original, RunFolder
from incrowd.cli._terminal import give
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from incrowd.report.review import Reviewed


@root.command()
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
