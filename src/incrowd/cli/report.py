"""incrowd report: the two reports of a run, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting


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
    from incrowd.tasks.report import report as find

    found = find(run, pdf=pdf, trust=trusting(trust, unsigned))
    for name, page in found.pages.items():
        say(f"{name:<9} {page}" + (f"\n{'':<9} {found.printed[name]}" if pdf else ""))
