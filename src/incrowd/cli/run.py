"""incrowd run: from the raw file to a release."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Json, PlanFile
from incrowd.cli._terminal import say
from incrowd.cli._trusting import SigningKey

if TYPE_CHECKING:
    from incrowd.pipeline import FileRun

#: What `run --json` takes from the log.
SHOWN = ("title", "tier", "kind", "unit", "steps", "verdicts", "variables", "released_columns", "risks")


@root.command()
def run(
    plan: PlanFile,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to put runs/ and the pointer release (default: beside the plan)."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory the run may use, such as 8GB; the engine spills to the disk.")
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also print decision paper and reports to PDF, with headless Chromium.")
    ] = False,
    signing_key: SigningKey = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Also show the file after each step, every attack with its baseline and control, and what each use "
            "case found in full, as in the internal report.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Take a plan from the raw file to a release: protect, count the written file again, publish or refuse.

    Exit code 0: released; 2: a fault in the plan or the data; 3: a requirement does not hold, nothing is released
    and an earlier release stays as it is.

    A plan with tiers makes a file for each, in a folder named after the tier, or none of them.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.cli._show import show_runs
    from incrowd.tasks.run import run as whole_way

    with step_bars(quiet=json_) as bars:
        done = whole_way(
            plan, out=out, memory=memory, signing_key=signing_key, pdf=pdf, progress=bars.begin, within=bars.within
        )
    if json_:
        content = [_for_scripts(one) for one in done.files]
        say(json.dumps(content if len(content) > 1 else content[0], indent=1))
        return
    show_runs(done.files, verbose)


def _for_scripts(done: FileRun) -> dict[str, object]:
    """A run for scripts: what is named here and nothing else. Figures by group name values of the file as it came, and
    a rare value is somebody; they stay in the audit, as do the lines of records at risk, and what a step noted or
    found: which values were merged, or exchanged by which matrix.
    """
    from incrowd.report.board.advice import advise

    log = asdict(done.log)
    shown = {name: log[name] for name in SHOWN}
    inside = {"notes", "found"}
    shown["steps"] = [{name: value for name, value in one.items() if name not in inside} for one in log["steps"]]
    shown["attacks"] = [{name: value for name, value in one.items() if name != "worst"} for one in log["attacks"]]
    if done.log.utility is not None:
        verdicts = [{"use_case": o.use_case, "passed": o.passed} for o in done.log.utility.outcomes]
        shown["utility"] = {"loss": log["utility"]["loss"], "outcomes": verdicts}
    places = {"release": str(done.release), "audit": str(done.audit)}
    return {**places, "notes": done.notes, "advice": asdict(advise(done.log)), **shown}
