"""incrowd report: the two reports of a run, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

if TYPE_CHECKING:
    from incrowd.audit.checked import Trust
    from incrowd.audit.signing import Signer


@root.command()
def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run, runs/ID, its release folder, or the pointer.")],
    pdf: Annotated[
        bool,
        typer.Option(
            "--pdf", help="Print both into the audit: report.pdf and public-report.pdf, by headless Chromium."
        ),
    ] = False,
    trust: Trusted = None,
    unsigned: Unsigned = False,
) -> None:
    """Where the two reports of a run are; with --pdf, print them.

    The internal report stays in the audit. The public one may leave with the release; its PDF is put into the audit
    too, because the release folder holds what its manifest lists and nothing else. A run that differs from what was
    sealed is refused; the PDFs are signed with the key of the runs, since they come after the seal.
    """
    from incrowd.report.pdf import need_browser

    if pdf:
        need_browser()
    found = pages(run)
    from incrowd.tasks.audit_sign import refuse_forgery

    refuse_forgery(run, trusting(trust, unsigned))
    printed = print_pages(found, trusting(trust, unsigned)) if pdf else {}
    for name, page in found.items():
        say(f"{name:<9} {page}" + (f"\n{'':<9} {printed[name]}" if pdf else ""))


def print_pages(found: dict[str, Path], trust: Trust, signer: Signer | None = None) -> dict[str, Path]:
    """Each report on paper, in the audit, vouched for by the key of the runs."""
    from tempfile import TemporaryDirectory

    from incrowd.report.pdf import print_pdf
    from incrowd.tasks.audit_sign import add_files

    names = {"internal": "report.pdf", "public": "public-report.pdf"}
    with TemporaryDirectory(prefix="incrowd-") as private:  # mode 0700
        printed = {names[n]: print_pdf(page, Path(private, names[n])).read_bytes() for n, page in found.items()}
    audit = add_files(next(iter(found.values())).parents[1], printed, trust, signer)
    return {name: audit / names[name] for name in found}


def pages(run: Path) -> dict[str, Path]:
    """The reports of a run: the internal one, and the public one where something was released."""
    from incrowd.errors import InputError

    folder = run.resolve()
    folder = folder.parent if folder.name in ("release", "audit") else folder
    found = {"internal": folder / "audit" / "report.html", "public": folder / "release" / "report.html"}
    there = {name: page for name, page in found.items() if page.is_file()}
    if not there:
        raise InputError("D230", f"{run} has no report.", "Name the folder of a run, runs/ID, or the pointer release.")
    return there
