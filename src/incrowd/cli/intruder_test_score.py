"""incrowd intruder-test score, advise and erase: count the claims, say what to change in the plan, and end a test."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.cli.intruder_test import Test, intruder_app

if TYPE_CHECKING:
    from incrowd.intruder_test.rounds import Compared
    from incrowd.intruder_test.value import Scores
    from incrowd.tasks.compare import PlanFigures
    from incrowd.tasks.intruder_test_advise import IntruderAdvice


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
    before: Annotated[
        str | None, typer.Option(help="An earlier test, or its scores: of this release, or of the round before.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write the report here, as one HTML file with every claim. It is deleted with the test.",
            callback=writable,
        ),
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the scores as JSON, for a plan's intruder_test.")
    ] = False,
) -> None:
    """Judge the claims of a test and count them. The counts are kept in the test when the rest is deleted."""
    from incrowd.intruder_test.value import dump_scores
    from incrowd.tasks.intruder_test_score import intruder_test_score

    found = intruder_test_score(test, by=by, decide=decide, before=before, report=report)
    for note in found.notes:
        say(note, err=True)
    if json_:
        say(dump_scores(found.scores))
    else:
        _show(found.scores, found.compared)


@intruder_app.command()
def advise(
    test: Annotated[str, typer.Argument(help="The test, or its scores (a .json file).")],
    plan: Annotated[Path, typer.Argument(help="The plan of the tested release, a YAML file.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="A new file beside the plan: the plan with the first change and its reason."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """What to change in the plan after a test: the variables that right claims used, said more coarsely or left out,
    and what each change costs by the plan's use cases.

    Every change is carried out up to the gate; nothing is released, and nothing is overwritten.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.tasks.intruder_test_advise import intruder_test_advise

    with step_bars(quiet=json_) as bars:
        found = intruder_test_advise(test, plan, out=out, progress=bars.begin)
    if json_:
        items = [asdict(one) for one in found]
        whole = {"before": asdict(found.before), "changes": items, "notes": found.notes}
        say(json.dumps({**whole, "out": None if found.out is None else str(found.out)}, indent=1))
        return
    _show_advice(found)


def _show_advice(found: IntruderAdvice) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    before = found.before
    table = Table(title="What to change. Nothing was released.", title_justify="left")
    headings = ("", "claims that used it", "taken away of that", "records kept", "k", "use cases kept", "released")
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    table.add_row("as it is", "", "", *_costs(before))
    for number, one in enumerate(found, start=1):
        table.add_row(f"{number}.", f"{one.claims} of {one.of}", f"{one.taken_away:.0%}", *_costs(one.after))
    console.print(table)
    for number, one in enumerate(found, start=1):
        console.print(f"{number}. {one.variable}: {one.change}.", soft_wrap=True)
        if one.use_cases_lost:
            console.print(f"   Would lose: {', '.join(one.use_cases_lost)}.", soft_wrap=True)
        if one.after.refusal is not None:
            console.print(f"   Would not be released: {one.after.refusal}", soft_wrap=True)
    for note in found.notes:
        console.print(note, soft_wrap=True)
    if found.out is not None:
        console.print(f"The plan with the first change is in {found.out}. Check it, run it, and test the new release.")


def _costs(one: PlanFigures) -> tuple[str, ...]:
    kept = sum(case.passed and case.judged for case in one.use_cases)
    cases = f"{kept} of {len(one.use_cases)}" if one.use_cases else "none in the plan"
    records = f"{one.records_kept:,} of {one.records_in:,}"
    return records, f"{one.k:,}", cases, "yes" if one.refusal is None else "no"


def _show(scores: Scores, compared: Compared | None) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console, marked

    if scores.dry_run:
        console.print("A dry run, to practise: it says nothing about any release, and no plan may name its scores.")
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
    for team in scores.by_team if len(scores.by_team) > 1 else ():
        knows = "knows who is in the file" if team.all_in_file else "does not know who is in the file"
        right = f"{team.line.correct} of {team.line.claims} right, at most {team.line.high:.1%}"
        console.print(f"Team {team.name} ({team.scenario}, {knows}): {right}; sure finds: {team.sure_finds}.")
    if (said := scores.judging) is not None and scores.claims:
        console.print(
            f"Judged by two people: {said.by_two}, by one: {said.by_one}, by nobody: {said.by_nobody}; disputed: "
            f"{said.disputed}; right for a wrong reason: {said.wrong_reason}."
        )
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


@intruder_app.command()
def erase(
    test: Test,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    by: Annotated[str | None, typer.Option(help="Who erases it, for the certificate.")] = None,
) -> None:
    """Delete truth, claims, cards, names and the log now, and the files with invitations and claims beside the test.

    Scores that were stored stay. A certificate of what was erased is stored in the test and written beside it.
    """
    from incrowd.tasks.intruder_test_erase import intruder_test_erase

    if not yes:
        typer.confirm("Delete truth and claims for good?", abort=True)
    gone = intruder_test_erase(test, by=by)
    rows = gone.rows
    say(f"Erased: {rows['claim']} claims, {rows['target']} cards, {rows['intruder']} names, and the log.")
    for path in gone.deleted:
        say(f"Deleted, too: {path}")
    for path in gone.missing:
        say(f"Not found where it was written: {path}. Delete it yourself if you have moved it.")
    for path in gone.left_alone:
        say(f"No file any more, and left alone: {path}. Look whether it holds what was written, and delete that.")
    if gone.written is not None:
        say(f"The certificate is in {gone.written}.")
    say("Copies that you made, such as the mails with the links, are yours to delete.")
