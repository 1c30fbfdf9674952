"""incrowd intruder-test: a test with friendly human intruders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting
from incrowd.machine.writing import write_private as write_page

if TYPE_CHECKING:
    from incrowd.intruder_test.making import Invitation
    from incrowd.intruder_test.value import Compared, Scores

intruder_app = typer.Typer(
    no_args_is_help=True,
    help="A test with friendly human intruders: new makes it, serve runs its web pages, score judges the claims.",
)
root.add_typer(intruder_app, name="intruder-test")

Test = Annotated[str, typer.Argument(help="The test: its file, or postgresql://host/database?schema=name.")]
ADDRESS = "http://127.0.0.1:8765"


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
    with _extra():
        from incrowd.intruder_test.custodian import opened
        from incrowd.intruder_test.erasing import remember
        from incrowd.intruder_test.making import write_private
        from incrowd.intruder_test.protocol import CONFIDENTIALITY, SOURCES, day
        from incrowd.intruder_test.store import is_file
        from incrowd.tasks.intruder_test import Options, new_test
    from incrowd.errors import InputError

    stem = Path(out) if is_file(out) else Path("intruder-test")
    beside = [stem.with_suffix(ending) for ending in (".invitations.txt", ".protocol.md")]
    if there := next((path for path in beside if path.exists()), None):
        raise InputError("D215", f"there is something at {there} already.", "Nothing is overwritten: move it.")
    options = Options(
        intruders, targets, decoys, scenario, riskiest, tuple(name_column or ()), register, hours, expires, delete_on,
        prize, sources or SOURCES, confidentiality or CONFIDENTIALITY, title,
    )  # fmt: skip
    made = new_test(
        release, out, options, original=original, folder=plan_folder, trust=trusting(trust, unsigned)
    )  # fmt: skip
    lines = [f"{each.name}\t{_link(address, each)}" for each in made.invitations]
    with opened(out) as store:
        remember(store, beside[0])
    write_private(beside[0], "\n".join(lines) + "\n")
    write_private(beside[1], made.protocol)
    say(f"{made.facts.title}: {made.facts.cards} target cards ({made.decoys}), scenario {made.facts.scenario!r}.")
    say(f"Truth and claims will be deleted on {day(made.facts.delete_on)}.")
    say(f"Each link works once. They are in {beside[0]}, too; the protocol is in {beside[1]}.")
    for line in lines:
        say(line)


@intruder_app.command()
def invite(
    test: Test,
    name: Annotated[str, typer.Argument(help="Whom.")],
    address: Annotated[
        str | None, typer.Option(help="Where intruders will find it, for the link; this machine when left out.")
    ] = None,
) -> None:
    """A new link for somebody; the old one and open sessions end, claims and clock stay."""
    with _extra():
        from incrowd.intruder_test.custodian import invite as again
        from incrowd.intruder_test.custodian import opened
        from incrowd.intruder_test.making import Invitation
    with opened(test) as store:
        say(f"{name}\t{_link(address, Invitation(name, again(store, name)))}")


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
    with _extra():
        from incrowd.intruder_test.serving import server
    host = "127.0.0.1" if host is None else host
    running = server(test, host, port, tls_cert, tls_key, name or ())
    say(f"Serving on {'https' if tls_cert else 'http'}://{host}:{port}. End it with Ctrl-C.")
    running.run()


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
    with _extra():
        from incrowd.intruder_test import custodian
        from incrowd.intruder_test.erasing import remember
        from incrowd.intruder_test.making import write_private
        from incrowd.intruder_test.scoring import compare_scores
        from incrowd.intruder_test.scoring import score as count
    from incrowd.intruder_test.value import dump_scores

    with custodian.opened(test) as store:
        if store.erased:
            scores = custodian.kept_scores(store)
            if scores is None or decide is not None:
                custodian.need_alive(store)
        else:
            found = custodian.material(store)
            if decide is not None and decide.exists():
                say(f"{custodian.decide(store, decide, found.judged)} verdicts taken over from {decide}.", err=True)
                found = custodian.material(store)
            elif decide is not None:
                remember(store, decide)
                write_private(decide, custodian.undecided_csv(found.judged))
                words = "Write correct, partial or wrong into its last column, and run this again."
                say(f"The claims that only you can judge are in {decide}. {words}", err=True)
            scores = count(found, store.now, by)
            custodian.keep_scores(store, scores)
        assert scores is not None
    compared = None if before is None else compare_scores(_earlier(before), scores)
    if report is not None:
        from incrowd.report.tested import intruder_report

        write_page(report, intruder_report(scores, compared))
    if json_:
        say(dump_scores(scores))
    else:
        _show(scores, compared)


@intruder_app.command()
def erase(
    test: Test,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete truth, claims, cards, names and the log now, and the files with invitations and claims beside the test.

    Scores that were stored stay.
    """
    with _extra():
        from incrowd.intruder_test.custodian import opened
        from incrowd.intruder_test.erasing import erase as delete
    if not yes:
        typer.confirm("Delete truth and claims for good?", abort=True)
    with opened(test, due=False) as store:
        gone = delete(store)
    rows = gone.rows
    say(f"Erased: {rows['claim']} claims, {rows['target']} cards, {rows['intruder']} names, and the log.")
    for path in gone.deleted:
        say(f"Deleted, too: {path}")
    for path in gone.missing:
        say(f"Not found where it was written: {path}. Delete it yourself if you have moved it.")
    say("Copies that you made, such as the mails with the links, are yours to delete.")


@contextmanager
def _extra() -> Iterator[None]:
    from incrowd.errors import missing_extra

    try:
        yield
    except ImportError:
        raise missing_extra("what an intruder test needs", "intruders", "X026") from None


def _link(address: str | None, invitation: Invitation) -> str:
    return f"{(address or ADDRESS).rstrip('/')}/enter/{invitation.token}"


def _earlier(place: str) -> Scores:
    from incrowd.intruder_test.custodian import kept_scores, material, opened
    from incrowd.intruder_test.scoring import score as count
    from incrowd.intruder_test.value import load_scores
    from incrowd.plan import read_text

    if place.endswith(".json"):
        return load_scores(read_text(Path(place)), place)
    with opened(place) as store:
        kept = kept_scores(store)
        return kept if kept is not None else count(material(store), store.now)


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
