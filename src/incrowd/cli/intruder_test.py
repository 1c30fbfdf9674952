"""incrowd intruder-test: a test with friendly human intruders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from incrowd.intruder_test.value import Compared, Scores

intruder_app = typer.Typer(
    no_args_is_help=True,
    help="A test with friendly human intruders: new makes it, serve runs its web pages, score judges the claims.",
)
root.add_typer(intruder_app, name="intruder-test")

Test = Annotated[str, typer.Argument(help="The test: its file, or postgresql://host/database?schema=name.")]


@intruder_app.command()
def new(
    release: Annotated[Path, typer.Argument(help="A run's folder, runs/ID, or its release folder.")],
    out: Annotated[
        str, typer.Option("-o", "--out", help="Where to: a new file, or postgresql://host/database?schema=name.")
    ],
    original: Annotated[
        Path | None, typer.Option(help="The data that the release was made from, where it is now.")
    ] = None,
    plan_folder: Annotated[Path | None, typer.Option(help="Where the other files of the plan are now.")] = None,
    intruders: Annotated[str, typer.Option(help="How many, or a file with a name on each line.")] = "10",
    targets: Annotated[int, typer.Option(help="How many target cards, decoys included.")] = 10,
    decoys: Annotated[float, typer.Option(help="The share of the cards whose person is not in the release.")] = 0.3,
    scenario: Annotated[
        str | None, typer.Option(help="The plan's scenario that says what cards tell; its first when left out.")
    ] = None,
    riskiest: Annotated[
        bool, typer.Option("--riskiest", help="Targets from the smallest classes, instead of any.")
    ] = False,
    name_column: Annotated[
        list[str] | None, typer.Option(help="Show this column of the original on the cards, too. Identifies people.")
    ] = None,
    register: Annotated[Path | None, typer.Option(help="Take decoys from this file of other people.")] = None,
    hours: Annotated[float, typer.Option(help="How long each intruder has.")] = 2.0,
    expires: Annotated[
        str | None, typer.Option(help="The last day, such as 2026-12-31. In 14 days when left out.")
    ] = None,
    delete_on: Annotated[
        str | None, typer.Option(help="The day on which truth and claims are deleted. In 90 days when left out.")
    ] = None,
    prize: Annotated[str, typer.Option(help="What there is to win, and for what.")] = "",
    sources: Annotated[str | None, typer.Option(help="What intruders may use.")] = None,
    confidentiality: Annotated[str | None, typer.Option(help="What they promise.")] = None,
    title: Annotated[str | None, typer.Option(help="What the test is called; another title, other targets.")] = None,
    address: Annotated[
        str | None, typer.Option(help="Where intruders will find it, for the links; this machine when left out.")
    ] = None,
    trust: Trusted = None,
    unsigned: Unsigned = False,
) -> None:
    """Prepare a test of a release: target cards, decoys, protocol, invitations with one-time links.

    Beside the test two private files are written: the invitations, and the protocol. The truth behind the release is
    found again from the run's audit; it is stored in the test only, and deleted with it.
    """
    from incrowd.tasks.intruder_test_new import IntruderTestOptions, intruder_test_new

    texts = {"sources": sources, "confidentiality": confidentiality}
    options = IntruderTestOptions(
        intruders, targets, decoys, scenario, riskiest, tuple(name_column or ()), register, hours, expires, delete_on,
        prize, title=title, **{name: text for name, text in texts.items() if text},
    )  # fmt: skip
    made = intruder_test_new(
        release, out, options, original=original, folder=plan_folder, address=address, trust=trusting(trust, unsigned)
    )
    say(f"{made.facts.title}: {made.facts.cards} target cards ({made.decoys}), scenario {made.facts.scenario!r}.")
    say(f"Truth and claims will be deleted on {made.deletes_on}.")
    say(f"Each link works once. They are in {made.written[0]}, too; the protocol is in {made.written[1]}.")
    for each in made.invitations:
        say(f"{each.name}\t{each.link(address)}")


@intruder_app.command()
def invite(
    test: Test,
    name: Annotated[str, typer.Argument(help="Whom.")],
    address: Annotated[
        str | None, typer.Option(help="Where intruders will find it, for the link; this machine when left out.")
    ] = None,
) -> None:
    """A new link for somebody; the old one and open sessions end, claims and clock stay."""
    from incrowd.tasks.intruder_test_invite import intruder_test_invite

    say(f"{name}\t{intruder_test_invite(test, name).link(address)}")


@intruder_app.command()
def serve(
    test: Test,
    host: Annotated[str | None, typer.Option(help="The address to listen on; this machine only when left out.")] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8765,
    tls_cert: Annotated[Path | None, typer.Option(help="The certificate, to serve other machines.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key.")] = None,
    name: Annotated[list[str] | None, typer.Option(help="A name of this machine that intruders use.")] = None,
) -> None:
    """Serve the web pages of a test: to this machine only, unless there is a certificate."""
    from incrowd.tasks.intruder_test_serve import intruder_test_serve

    intruder_test_serve(test, host=host, port=port, tls_cert=tls_cert, tls_key=tls_key, names=name or (), say=say)


@intruder_app.command()
def score(
    test: Test,
    by: Annotated[
        str | None, typer.Option(help="The released key to split the claims by; the first when left out.")
    ] = None,
    decide: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file with the claims that only you can judge: written when it is not there; read, with your "
            "verdicts, when it is."
        ),
    ] = None,
    before: Annotated[str | None, typer.Option(help="An earlier test of the same release, or its scores.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the report here, as one HTML file.", callback=writable)
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the scores as JSON, for a plan's intruder_test.")
    ] = False,
) -> None:
    """Judge the claims of a test and count them. The counts are kept in the test when the rest is deleted."""
    from incrowd.intruder_test.value import dump_scores
    from incrowd.tasks.intruder_test_score import intruder_test_score

    found = intruder_test_score(test, by=by, decide=decide, before=before, report=report)
    for note in found.notes:
        say(note, err=True)
    if json_:
        say(dump_scores(found.scores))
    else:
        _show(found.scores, found.compared)


@intruder_app.command()
def erase(
    test: Test,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete truth, claims, cards, names and the log now, and the files with invitations and claims beside the test.

    Scores that were stored stay.
    """
    from incrowd.tasks.intruder_test_erase import intruder_test_erase

    if not yes:
        typer.confirm("Delete truth and claims for good?", abort=True)
    gone = intruder_test_erase(test)
    rows = gone.rows
    say(f"Erased: {rows['claim']} claims, {rows['target']} cards, {rows['intruder']} names, and the log.")
    for path in gone.deleted:
        say(f"Deleted, too: {path}")
    for path in gone.missing:
        say(f"Not found where it was written: {path}. Delete it yourself if you have moved it.")
    say("Copies that you made, such as the mails with the links, are yours to delete.")


def _show(scores: Scores, compared: Compared | None) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    table = Table(title=scores.title, title_justify="left")
    for heading in ("confidence", "claims", "right", "partial", "wrong", "share right, at most"):
        table.add_column(heading, justify="left" if heading == "confidence" else "right")
    for line in (*scores.bands, scores.total):
        numbers = (line.claims, line.correct, line.partial, line.wrong)
        table.add_row(line.label, *map(str, numbers), f"{line.high:.1%}" if line.claims else "\N{EN DASH}")
    console.print(table)
    console.print(f"{scores.took_part} of {scores.intruders} took part; {scores.undecided} claims are not decided.")
    console.print(f"Targets identified: {scores.targets_identified}; values learned: {scores.values_learned}.")
    if (sure := scores.most_sure) is not None:
        luck = "" if sure.luck is None else f"; chance without the file {sure.luck.chance:.2g}"
        console.print(f"Surest claims (confidence {sure.label}): {sure.correct} of {sure.claims} right{luck}.")
    if scores.decoys_fitting:
        console.print(f"Decoys: {scores.decoy_pairs[0]} of {scores.decoy_pairs[1]} chances taken (false positives).")
    else:
        console.print("False positives were not measured: no decoy has a card that fits a record.")
    figures = {
        "guess without the file": scores.by_chance, "guess among those who fit": scores.by_fit, "Brier": scores.brier,
    }  # fmt: skip
    console.print("; ".join(f"{name} {value:.3g}" for name, value in figures.items() if value is not None))
    for sentence in (*scores.advice, *scores.notes, *(compared.sentences if compared else ())):
        console.print(sentence)
    console.print(marked((scores.public, "dim")))
