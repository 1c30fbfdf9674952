"""incrowd report: the decision paper and the two reports of a run, on paper or as Word."""

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
            "--pdf",
            help="Print all into the audit, by headless Chromium: decision.pdf, report.pdf and public-report.pdf.",
        ),
    ] = False,
    word: Annotated[
        bool, typer.Option("--word", help="Put the decision paper into the audit as Word: decision.docx.")
    ] = False,
    trust: Trusted = None,
    unsigned: Unsigned = False,
) -> None:
    """Where the decision paper and the two reports of a run are; with --pdf or --word, make them for paper.

    The decision paper, two pages to read and to sign, and the internal report stay in the audit. The public report may
    leave with the release; its PDF is put into the audit too, because the release folder holds what its manifest lists
    and nothing else. A run that differs from what was sealed is refused; what is made is signed with the key of the
    runs, since it comes after the seal.
    """
    from incrowd.tasks.report import report as find

    found = find(run, pdf=pdf, word=word, trust=trusting(trust, unsigned))
    for name, page in found.pages.items():
        say(f"{name:<9} {page}" + (f"\n{'':<9} {found.printed[name]}" if pdf else ""))
        if name == "decision" and found.word is not None:
            say(f"{'':<9} {found.word}")
