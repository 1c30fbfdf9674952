"""incrowd audit keygen, sign and verify: who vouches for an audit, and is it still the one that they saw?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting
from incrowd.cli.audit import Json, RunFolder, audit_app

if TYPE_CHECKING:
    from incrowd.tasks.audit_sign import SealVerification


@audit_app.command("keygen")
def keygen(path: Annotated[Path, typer.Argument(metavar="KEY", help="A new file for the private key.")]) -> None:
    """Make a key to sign with: KEY, which only you may read, and KEY.pub, which you give to others.

    Tell people its fingerprint in a way that does not depend on the files: read it to them, or print it.
    """
    from incrowd.audit.signing import make_key, public_file

    signer = make_key(path)
    say(f"private      {path}  (keep it like a password)")
    say(f"public       {public_file(path)}")
    say(f"fingerprint  {signer.public.fingerprint}")


@audit_app.command("sign")
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
    from incrowd.tasks.audit_sign import sign_audit

    made = sign_audit(
        run, name=name, role=role, decision=decision, text=text, key=key, trust=trusting(trust, unsigned)
    )  # fmt: skip
    say(f"signed    {made}  (keep a copy: nobody can see whether the last signature was taken away)")


@audit_app.command("verify")
def verify(run: RunFolder, trust: Trusted = None, json_: Json = False) -> None:
    """Is a run as it was sealed? Files that are unchanged, changed, missing or unlisted; who signed, and is it known?

    Also for a release that was handed out alone: incrowd audit verify FOLDER --trust publisher.pub. Exit code 0 only
    when every file is unchanged and every key that signed is known here or named with --trust; else 1.
    """
    from incrowd.tasks.audit_sign import verify_audit

    found = verify_audit(run, trust=trusting(trust))
    if json_:
        say(json.dumps({"ok": found.ok, "says": found.says, **asdict(found)}, indent=1))
    else:
        _show(found)
    raise typer.Exit(0 if found.ok else 1)


def _show(found: SealVerification) -> None:
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
