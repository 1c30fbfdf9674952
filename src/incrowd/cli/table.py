"""incrowd table: counts to publish beside a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import writable
from incrowd.cli._terminal import give, say
from incrowd.cli._trusting import Trusted, Unsigned, trusting


@root.command()
def table(
    source: Annotated[Path, typer.Argument(help="The release plan (.yaml), or a release: the folder 'release'.")],
    by: Annotated[str, typer.Option(help="The variables of the table, separated by commas.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write the table here, as CSV; without it, it is printed.", callback=writable),
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Count the plan's population instead of its data.")
    ] = False,
    ptable: Annotated[
        Path | None, typer.Option(help="A perturbation table: CSV with pcv, ckey, pvalue (default: the 10-5 rule).")
    ] = None,
    threshold: Annotated[int, typer.Option(min=0, help="Counts below this are not shown.")] = 10,
    audit: Annotated[
        Path | None,
        typer.Option(help="Write true counts, cell keys and noise here. Keep it inside.", callback=writable),
    ] = None,
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the table as JSON, for scripts.")] = False,
) -> None:
    """Count a table to publish beside a release, with cell-key perturbation (the method of ONS).

    Every record has a key from the secret; the keys of a cell's records add up to the cell's key, and the cell's key
    and count decide what is added to the count. So the same people get the same noise in every table, and asking twice
    tells nothing new. Small counts are not shown, nor values that too few records have in all.

    The default table of perturbations is the 10-5 rule: counts below 10 are hidden, others rounded to 5. It is
    rounding, and two tables that differ in a few people can undo it by subtraction: a table with noise of its own
    (--ptable) is better.

    Refused (exit code 3) when the table can be counted in the release: everybody has the true counts there, and the
    noise beside them protects nobody. Publish a table by something that is not released, or of a larger population.

    Example: incrowd table plan.yaml --by area,occupation -o table.csv
    """
    from incrowd.errors import InputError
    from incrowd.keys.spreadsheet import formulas_in
    from incrowd.tasks.table import table as count

    names = [name.strip() for name in by.split(",") if name.strip()]
    found = count(
        source, names, population=population, ptable=ptable, threshold=threshold, trust=trusting(trust, unsigned)
    )
    done = found.published
    try:
        if audit is not None:
            found.write_audit(audit)
        if out is not None:
            out.write_text(done.csv(), encoding="utf-8", newline="")
    except OSError as error:
        raise InputError("D143", f"the table cannot be written ({error.strerror}).") from None
    if json_:
        cells = [
            {**dict(zip(done.by, cell, strict=True)), "count": count}
            for cell, count in zip(done.cells, done.counts, strict=True)
        ]
        content = {"by": done.by, "threshold": threshold, "suppressed": done.suppressed, "words": done.words,
                   "cells": cells}  # fmt: skip
        say(json.dumps(content, indent=1))
    elif out is None:
        give(done.csv())
    else:
        say(f"{len(done.cells):,} cells in {out}, {done.suppressed:,} of them without a count")
    if found.omitted:
        say(f"{found.omitted:,} values are not listed: too few records have them", err=True)
    if many := formulas_in([*done.by, *(value for cell in done.cells for value in cell)]):
        say(f"{many:,} cells begin like formulas, which a spreadsheet would run", err=True)
    if audit is not None:
        say(f"true counts in {audit}: keep it inside", err=True)
