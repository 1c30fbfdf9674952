"""incrowd audit: audits of earlier runs compared, signed and verified."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Json, RunFolder
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from incrowd.tasks.audit_diff import Differences
    from incrowd.tasks.audit_verify import SealVerification

audit = typer.Typer(no_args_is_help=True, help="Audits of earlier runs. What is shown here stays inside.")
root.add_typer(audit, name="audit")


@audit.command("diff")
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's folder, its release or its audit.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Json = False,
) -> None:
    """Compare two audits: plan, inputs, versions, steps, classes, requirements, risks, attacks, utility, release."""
    from incrowd.tasks.audit_diff import audit_diff

    found = audit_diff(first, second, trust=trusting(trust, unsigned))
    if json_:
        say(json.dumps([asdict(one) for one in found], indent=1))
    else:
        _show_differences(found)


def _show_differences(found: Differences) -> None:
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


@audit.command("keygen")
def keygen(path: Annotated[Path, typer.Argument(metavar="KEY", help="A new file for the private key.")]) -> None:
    """Make a key to sign with: KEY, which only you may read, and KEY.pub, which you give to others.

    Tell people its fingerprint in a way that does not depend on the files: read it to them, or print it.
    """
    from incrowd.tasks.audit_keygen import audit_keygen

    made = audit_keygen(path)
    say(f"private      {made.private}  (keep it like a password)")
    say(f"public       {made.public}")
    say(f"fingerprint  {made.fingerprint}")


@audit.command("sign")
def sign(
    run: RunFolder,
    name: Annotated[str, typer.Option(help="Who signs.")],
    role: Annotated[str, typer.Option(help="As what: board, data protection officer, ...")],
    key: Annotated[Path, typer.Option(help="Your own private key (incrowd audit keygen), not the one of the runs.")],
    decision: Annotated[str, typer.Option(help="What is decided: approve or refuse.")] = "approve",
    text: Annotated[str, typer.Option(help="Why, or under which conditions. Stays in the audit.")] = "",
    trust: Trusted = None,
    unsigned: Unsigned = False,
) -> None:
    """Sign a decision about a run: your name, role and decision, and the hash of the audit's manifest.

    The manifest lists every file of audit and release, so the signature speaks of all of them. What differs from the
    manifest is refused, not signed. The signature goes into audit/signatures; keep a copy of it.
    """
    from incrowd.tasks.audit_sign import audit_sign

    made = audit_sign(
        run, name=name, role=role, decision=decision, text=text, key=key, trust=trusting(trust, unsigned)
    )  # fmt: skip
    say(f"signed    {made}  (keep a copy: nobody can see whether the last signature was taken away)")


@audit.command("verify")
def verify(run: RunFolder, trust: Trusted = None, json_: Json = False) -> None:
    """Is a run as it was sealed? Files that are unchanged, changed, missing or unlisted; who signed, and is it known?

    Also for a release that was handed out alone: incrowd audit verify FOLDER --trust publisher.pub. Exit code 0 only
    when every file is unchanged and every key that signed is known here or named with --trust; else 1.
    """
    from incrowd.tasks.audit_verify import audit_verify

    found = audit_verify(run, trust=trusting(trust))
    if json_:
        say(json.dumps({"ok": found.ok, "says": found.says, **asdict(found)}, indent=1))
    else:
        _show_seal(found)
    raise typer.Exit(0 if found.ok else 1)


def _show_seal(found: SealVerification) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    table = Table(title="Files", title_justify="left")
    for heading in ("file", ""):
        table.add_column(heading, overflow="fold")
    for file in found.files:
        colour = {"unchanged": "green", "added": "green", "removed": "yellow"}.get(file.state, "red")
        table.add_row(file.name, marked((file.state, colour)))
    console.print(table)
    known = ("known", "green") if found.known else ("not known here", "red")
    console.print(marked(f"Manifest: signature {found.signature}, key {found.fingerprint} ", known), soft_wrap=True)
    for one in found.sign_offs:
        mark = ("valid", "green") if one.known else ("key not known here", "red")
        told = f"  {one.decision}: {one.name}, {one.role}, {one.time}, key {one.fingerprint}"
        why = f" ({one.text})" if one.text else ""
        console.print(marked(mark if one.valid else ("invalid", "red"), told + why), soft_wrap=True)
    for text in found.says:
        console.print(marked(("differs", "red"), f"  {text}"), soft_wrap=True)
    last = ("As it was sealed.", "green") if found.ok else ("Not as it was sealed, or by nobody known.", "red")
    console.print(marked(last))
