"""incrowd intruder-test: run a test: invite, accounts, serve, texts, a dry run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli._terminal import say
from incrowd.cli.intruder_test import Test, intruder_app


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
def account(
    test: Test,
    name: Annotated[str, typer.Argument(help="Who.")],
    role: Annotated[
        str, typer.Option(help="custodian: may do everything; judge: judges claims; observer: only reads.")
    ],
    address: Annotated[
        str | None, typer.Option(help="Where the office will be found, for the link; this machine when left out.")
    ] = None,
) -> None:
    """A link to the office for somebody who runs the test; the account is made where there is none.

    The link works once. For somebody who has an account, the old link and open sessions end.
    """
    from incrowd.tasks.intruder_test_account import intruder_test_account

    say(f"{name}\t{intruder_test_account(test, name, role=role).link(address)}")


@intruder_app.command()
def serve(
    test: Test,
    office: Annotated[
        bool, typer.Option("--office", help="The pages of custodians, judges and observers, instead of the intruders'.")
    ] = False,
    host: Annotated[str | None, typer.Option(help="The address to listen on; this machine only when left out.")] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port: 8765 when left out, 8766 for the office.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The certificate, to serve other machines.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key.")] = None,
    behind_proxy: Annotated[
        list[str] | None,
        typer.Option(help="The address of a proxy that ends TLS, such as 127.0.0.1. Nobody else is answered."),
    ] = None,
    name: Annotated[list[str] | None, typer.Option(help="A name of this machine that people use.")] = None,
    address: Annotated[
        str | None, typer.Option(help="For the office: where intruders find their pages, for new links.")
    ] = None,
) -> None:
    """Serve the web pages of a test: to this machine only, unless there is a certificate or a proxy that has one."""
    from incrowd.tasks.intruder_test_serve import intruder_test_serve

    intruder_test_serve(
        test, office=office, host=host, port=port, tls_cert=tls_cert, tls_key=tls_key, behind_proxy=behind_proxy or (),
        names=name or (), address=address, say=say,
    )  # fmt: skip


@intruder_app.command()
def texts(
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write them into.")],
) -> None:
    """Write the texts for participants into a folder, to be edited: information, code of conduct, consent, invitation.

    Give the folder to new (--texts). What stands in braces is filled in with the facts of the test.
    """
    from incrowd.tasks.intruder_test_texts import intruder_test_texts

    for path in intruder_test_texts(out):
        say(str(path))


@intruder_app.command("dry-run")
def dry_run(folder: Annotated[Path, typer.Argument(help="A new folder for it.")]) -> None:
    """Make a test to practise with: demo people, their release, and claims that were played.

    You are left a part of everybody: an intruder, a custodian, a judge and an observer. No plan may name its scores.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.tasks.intruder_test_dry_run import intruder_test_dry_run

    with step_bars() as bars:
        made = intruder_test_dry_run(folder, progress=bars.begin)
    say(f"The test is {made.test}, with {made.claims} claims that were played; its plan is {made.plan}.")
    say("Each link works once. Yours as an intruder, and in the office:")
    for name, link in ((made.intruder.name, made.intruder.link()), *((one.name, one.link()) for one in made.office)):
        say(f"{name}\t{link}")
    say(f"Serve both, each in a terminal: incrowd intruder-test serve {made.test}, and the same with --office.")
