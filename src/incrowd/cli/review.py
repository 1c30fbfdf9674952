"""incrowd review: an old release looked at again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from incrowd.cli import root
from incrowd.cli._foreign import HierarchiesOf, IdOf, Keys, PlanOf, Required, SameOrder, Sensitive, foreign_release
from incrowd.cli._options import Folder, Json, Original, RunFolder
from incrowd.cli._terminal import give
from incrowd.cli._trusting import Trusted, Unsigned, trusting
from incrowd.cli.search import parse_models

if TYPE_CHECKING:
    from incrowd.audit.checked import Trust
    from incrowd.report.review import Reviewed
    from incrowd.tasks._review_all import ReviewedAll


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
    every: Annotated[
        bool,
        typer.Option("--all", help="RUN is a folder of runs: look at every release in it."),
    ] = False,
    keys: Keys = None,
    sensitive: Sensitive = None,
    plan: PlanOf = None,
    hierarchies: HierarchiesOf = None,
    id_: IdOf = None,
    same_order: SameOrder = False,
    model: Required = None,
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Json = False,
) -> None:
    """Look at an old release again, with today's tools and with files that have been published since.

    The requirements are counted in the released file as it lies there, the risk of the plan's scenarios is measured,
    and simulated intruders attack it; all of it is compared with what the audit says. Without the original no attack
    can be judged, and the review says so. Exit code 0: nothing became worse; 1: something did, was found only now, or
    could not be tried, and it is named.

    RUN may be a file that another tool made, with --keys (and --original): its classes and requirements (--model k:5)
    are counted, its risk measured, and intruders try it; there is no audit to compare with.

    With --all every release in a folder of runs is looked at, and a table says which became worse.
    """
    from incrowd.report.review import write_review
    from incrowd.tasks.review import review as look_again

    if every:
        if original is not None or folder is not None:
            raise typer.BadParameter("each release has an original of its own: leave out --original and --folder")
        _review_all(run, external or (), attack, out, trusting(trust, unsigned), json_)
    found = look_again(
        run, original=original, external=external or (), folder=folder, attacks=attack, trust=trusting(trust, unsigned),
        foreign=foreign_release(keys, sensitive, plan, hierarchies, id_, same_order),
        requirements=parse_models(model, None, hierarchies),
    )  # fmt: skip
    place = out or _home(run, found) / _stamp()
    write_review(found, place)
    if json_:
        give(found.json())
    else:
        _show_review(found, place)
    raise typer.Exit(1 if found.worse or found.only_now or found.not_tried else 0)


def _home(run: Path, found: Reviewed) -> Path:
    """Where a review is put: beside the audit, or beside a file that has none."""
    from incrowd.audit.archive import places

    if not found.has_audit:
        return run.resolve().parent
    audit = places(run)[0]
    assert audit is not None
    return audit.parent


def _review_all(
    folder: Path, external: Sequence[Path], attacks: list[str] | None, out: Path | None, trust: Trust, as_json: bool
) -> NoReturn:
    """Every release of a folder, each with a review of its own beside its audit."""
    from incrowd.cli._bars import bar
    from incrowd.report.review import write_review
    from incrowd.tasks._review_all import review_all

    with bar("review", quiet=as_json) as told:
        found = review_all(folder, external=external, attacks=attacks, trust=trust, progress=told)
    stamp = _stamp()
    for one in found:
        if one.reviewed is not None:
            write_review(one.reviewed, one.folder / stamp if out is None else out / one.run)
    if as_json:
        give(found.json())
    else:
        _show_all(found)
    raise typer.Exit(1 if found.worse or found.only_now or found.not_tried else 0)


def _show_all(found: ReviewedAll) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    colours = {"worse": "red", "found only now": "red", "not tried": "yellow", "as it was": "green"}
    table = Table(title="Releases looked at again", title_justify="left")
    for head in ("run", "release", "tier", "state", "what"):
        table.add_column(head, overflow="fold")
    for one in found:
        new = one.reviewed
        what = [*(() if new is None else (*new.worse, *new.only_now)), *one.not_tried]
        if new is not None and new.overdue:
            what.append(f"a review was due by {new.due}")
        table.add_row(
            one.run, "" if new is None else new.title, "" if new is None else new.tier,
            marked((one.state, colours[one.state])), "; ".join(what),
        )  # fmt: skip
    console.print(table)
    console.print(
        f"{len(found):,} releases: {len(found.worse):,} became worse, of {len(found.not_tried):,} something could not "
        f"be tried, of {len(found.only_now):,} something was found that was never tried before."
    )


def _show_review(found: Reviewed, place: Path) -> None:
    from incrowd.cli._consoles import console, marked

    for one in found.requirements:
        mark = ("open ", "yellow") if one.holds is None else ("holds", "green") if one.holds else ("fails", "red")
        told = one.why if one.holds is None else f"the file has {'no class' if one.has is None else f'{one.has:g}'}"
        console.print(marked(mark, f"  {found.called.say(one.requirement)} ({told})"))
    compared = "compared with the audit" if found.has_audit else "measured"
    console.print(f"{len(found.risks):,} figures of risk and {len(found.attacks):,} attacks {compared}.")
    for note in found.notes:
        console.print(marked(("note", "yellow"), f"   {note}"))
    if found.untraced:
        console.print(f"No attack could be judged: {found.untraced}.")
    if found.overdue:
        console.print(f"The plan asked for a review by {found.due}, which has passed.")
    for text in found.worse:
        console.print(marked(("worse", "red"), f"  {text}"))
    for text in found.only_now:
        console.print(marked(("found only now", "red"), f"  {text}"))
    for text in found.not_tried:
        console.print(marked(("not tried", "yellow"), f"  {text}"))
    if found.worse:
        last = ("Worse than the audit says." if found.has_audit else "Not as it should be.", "red")
    elif found.only_now:
        last = ("Nothing became worse; what was never tried before succeeds.", "red")
        last = last if found.has_audit else ("What intruders try succeeds.", "red")
    elif found.not_tried:
        last = ("Nothing that could be tried became worse.", "yellow")
        last = last if found.has_audit else ("Nothing that could be tried fails.", "yellow")
    else:
        last = ("Nothing became worse." if found.has_audit else "Nothing that was asked for fails.", "green")
    console.print(marked(last))
    console.print(f"review    {place / 'review.html'}  (internal: never publish it)", soft_wrap=True)


def _stamp() -> str:
    """The name of a review: the time, and chance, since two may be held in one second."""
    return time.strftime(f"review-%Y%m%d-%H%M%S-{secrets.token_hex(3)}")
