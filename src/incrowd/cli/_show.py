"""How results look in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.cli._consoles import console, errors, marked

if TYPE_CHECKING:
    from incrowd.attack.value import Attacked
    from incrowd.audit.log import RunLog, StepLog
    from incrowd.pipeline import FileRun
    from incrowd.profiling import Column, Profile
    from incrowd.tasks.verify import Verification

HOLDS, FAILS = ("holds", "green"), ("fails", "red")
#: So many attacks are named after a run, each in so many characters: two lines of a narrow terminal.
STRONGEST, ATTACK_TOLD = 3, 140
#: What stands where something is cut: not every terminal has the one character for it.
CUT = "..."


def show_runs(files: Sequence[FileRun], verbose: bool = False) -> None:
    """Each file of a run, and where the long tables are."""
    for one in files:
        show_run(one, verbose)
    if not verbose:
        what = "Every step and every attack" if any(one.log.attacks for one in files) else "Every step"
        console.print(f"{what} is in the internal report, or with --verbose.", style="dim")


def show_run(done: FileRun, verbose: bool = False) -> None:
    """What was done, what the gate found, and where everything is; if verbose, with every step and every attack."""
    from incrowd.keys.requirements import MODELS
    from incrowd.report.board.advice import advise
    from incrowd.report.words import limit, share

    console.print(marked((done.log.title, "bold")))
    if verbose:
        console.print(_step_table(done.log.steps))
    console.print(_done(done.log))
    for verdict in done.log.verdicts:
        if verdict.model != "attack":
            near = f"; {limit(verdict)} will do" if MODELS[verdict.model].two_bounds else ""
            told = f"  {done.log.called.say(verdict.requirement)} (the file has {_number(verdict.achieved)}{near})"
            console.print(marked(HOLDS if verdict.passed else FAILS, told))
    if done.log.attacks and verbose:
        console.print(attack_table(done.log.attacks, "Attacks on the written file", scenarios=True))
    for line in _attacks(done.log):
        console.print(line)
    utility = done.log.utility
    for outcome in utility.outcomes if utility is not None else ():
        said = ("cannot judge", "yellow") if not outcome.judged else ("breaks", "red")
        mark = ("keeps", "green") if outcome.passed else said
        why = f" ({outcome.why})" if outcome.why else ""
        line = marked(mark, f"  {outcome.use_case} ", (done.log.told(outcome) + why, "dim"))
        console.print(line if verbose else _one_line(line))
    advice = advise(done.log)
    if advice.too_open(done.log.tier):
        told = f"the plan asks for {done.log.tier}, {advice.supported}"
        why = "only people can remove the reasons, which the internal report lists"
        why = why if advice.left_to_people(done.log.tier) else "the internal report says why"
        console.print(marked(("warning", "yellow"), f"  {told}: {why}"))
    lost = done.log.start.records - done.log.end.records
    part = share(lost, done.log.start.records)
    console.print(f"\n{done.log.end.records:,} records released, {lost:,} ({part}) lost.")
    for note in done.notes:
        errors.print(f"note: {note}", soft_wrap=True)
    console.print(f"release   {done.release}", soft_wrap=True)
    console.print(f"report    {done.release / 'report.html'}  (public)", soft_wrap=True)
    console.print(f"audit     {done.audit / 'report.html'}  (internal: never publish it)", soft_wrap=True)


def _one_line(text: Text) -> Text:
    """As much of it as the terminal has room for in a line."""
    if text.cell_len > console.width:
        text.truncate(console.width - len(CUT), overflow="crop")
        text.append(CUT)
    return text


def _done(log: RunLog) -> Text:
    """All steps in one line: what came, and what leaves."""
    steps = sum(not step.off for step in log.steps[1:])
    first, last = log.start, log.end
    told = ", ".join(
        f"{what} {getattr(first, what):,} to {getattr(last, what):,}" for what in ("records", "classes", "uniques")
    )
    many = f"{steps} step" if steps == 1 else f"{steps} steps"
    return marked((many, "bold"), f": {told}; smallest class {last.smallest:,}")


def _step_table(steps: Sequence[StepLog]) -> Table:
    """The file after each step."""
    table = Table()
    table.add_column("step")
    for name in ("records", "cells changed", "classes", "uniques", "smallest class"):
        table.add_column(name, justify="right")
    for step in steps:
        after = step.after
        numbers = (after.records, step.cells_changed, after.classes, after.uniques, after.smallest)
        table.add_row(step.title, *(f"{number:,}" for number in numbers))
    return table


def _attacks(log: RunLog) -> Iterator[RenderableType]:
    """How many were tried, whether the plan's limits are kept, and which few add most to a guess."""
    from incrowd.keys.saying import percent

    if not log.attacks:
        return
    excess = [(one.excess, one) for one in log.attacks if one.excess is not None]
    limits = sum(verdict.model == "attack" for verdict in log.verdicts)
    if limits:  # a run that ended well has kept them all
        many = "1 limit" if limits == 1 else f"{limits} limits"
        yield marked(HOLDS, f"  {many} to attacks, by the upper ends of their intervals")
    of = f" of {len(log.attacks)}" if len(excess) < len(log.attacks) else ""
    limited = "" if limits >= len(excess) else f", {'not all' if limits else 'none'} with a limit"
    largest = sorted((each for each in excess if each[0] > 0), key=lambda each: -each[0])[:STRONGEST]
    ending = "; the strongest add to a guess up to:" if largest else ""
    many = "attack" if len(log.attacks) == 1 else "attacks"
    yield marked(("tried", "bold"), f"  {len(excess)}{of} {many}{limited}{ending}")
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(justify="right", no_wrap=True)
    lines.add_column(overflow="fold")
    for value, one in largest:
        name = f"{shorten(f'{one.name} ({one.scenario})', ATTACK_TOLD - 40, placeholder=CUT)}: "
        acts = re.split(r"[:;] ", log.called.say(one.acts))[0]
        acts = shorten(acts, ATTACK_TOLD - len(name), placeholder=CUT)
        # Chance has a part in the decimals; something is never told as nothing, nor almost all as all.
        figure = f"{value:.0%}" if 0.01 <= value < 0.995 else percent(min(value, 1.0))
        lines.add_row(f"  {figure}", marked(name, (acts, "dim")))
    if largest:
        yield lines


def attack_table(attacks: Sequence[Attacked], title: str, scenarios: bool = False) -> Table:
    """How often each attack was right, of how many tries, beside a guess and beside people who are not in the file."""
    from incrowd.keys.saying import fixed, percent, percents

    table = Table(title=title, title_justify="left")
    for heading in ("attack", *(("scenario",) if scenarios else ())):
        table.add_column(heading)
    for heading in ("success (95% interval)", "tried", "baseline", "control", "residual"):
        table.add_column(heading, justify="right")
    for one in attacks:
        names = (one.name, *((one.scenario,) if scenarios else ()))
        if one.success is None or one.incomplete:
            table.add_row(*names, _untried(one), "", "", "", "")
            continue
        value, low, high = percents(one.success.value, one.success.low, one.success.high)
        interval = f"{value} ({low} to {high})"
        baseline = "none" if one.baseline is None else percent(one.baseline)
        control = "none" if one.control is None else percent(one.control.value)
        residual = "none" if one.residual is None else fixed(one.residual)
        table.add_row(*names, interval, one.tried, baseline, control, residual)
    return table


def _untried(one: Attacked) -> str:
    """In place of a figure."""
    if one.does_not_apply:
        return "does not apply"
    return "not tried in full" if one.incomplete else "not tried"


def show_verification(found: Verification, name: str) -> None:
    """The counts of a file, and whether each requirement holds."""
    table = Table(title=f"{name} by {', '.join(found.keys)}", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    rows = {
        "records": found.records,
        "people": found.people,
        "k (smallest class)": found.k,
        "classes": found.classes,
        "uniques": found.uniques,
        "classes that fail": found.failing_classes,
        "people in them": found.failing_people,
    }
    for what, number in rows.items():
        table.add_row(what, f"{number:,}")
    console.print(table)
    for finding in found.findings:
        near = f"; {finding.nearest} will do" if finding.nearest else ""
        told = f"  {finding.requirement} (the file has {_number(finding.achieved)}{near})"
        console.print(marked(HOLDS if finding.passed else FAILS, told))


def show_profile(found: Profile, name: str) -> None:
    """A line for each column, and what concerns more than one."""
    table = Table(title=f"{name}: {found.records:,} records", title_justify="left")
    for heading in ("column", "type", "distinct", "missing", "suggested role", "why"):
        right = heading in ("distinct", "missing")
        # A name that is cut off cannot be written into a plan: it is folded.
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for column in found.columns:
        table.add_row(
            column.name if column.title is None else f"{column.name}\n{column.title}",
            "\n".join((column.type, *_coding(column))),
            f"{column.distinct:,}",
            f"{column.missing:,}",
            column.role if column.certain else f"{column.role}?",
            column.reason,
        )
    console.print(table)
    for note in found.notes:
        console.print(note, soft_wrap=True)


def _coding(column: Column) -> Iterator[str]:
    """What is known of coded values, where it is more than their type says."""
    if column.scale is not None and (column.labels or (column.type == "whole number" and column.scale != "numeric")):
        yield column.scale
    if column.labels:
        yield "1 code with a label" if column.labels == 1 else f"{column.labels:,} codes with labels"
    if column.missing_codes:
        yield f"{len(column.missing_codes):,} for missing"


def _number(value: float | None) -> str:
    return "no class" if value is None else f"{value:g}"
