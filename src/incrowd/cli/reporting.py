"""incrowd report: the two reports of a run, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import app


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run, runs/ID, its release folder, or the pointer.")],
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print each report to report.pdf beside it, with headless Chromium.")
    ] = False,
) -> None:
    """Where the two reports of a run are; with --pdf, print them.

    The internal report stays in the audit. The public one may leave with the release.
    """
    from incrowd.evidence.pdf import need_browser, print_pdf

    if pdf:
        need_browser()
    for name, page in pages(run).items():
        told = f"{name:<9} {page}"
        if pdf:
            told += f"\n{'':<9} {print_pdf(page, page.with_suffix('.pdf'))}"
        typer.echo(told)


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
