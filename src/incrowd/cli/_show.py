"""How results look in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from incrowd.cli._consoles import console, errors, marked
from incrowd.machine import stopping

if TYPE_CHECKING:
    from incrowd.attack.value import Attacked
    from incrowd.pipeline import FileRun
    from incrowd.profiling import Column, Profile
    from incrowd.tasks.verify import Verification

HOLDS, FAILS = ("holds", "green"), ("fails", "red")


@contextmanager
def bar(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar for work that counts things; a quiet one is not shown."""
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=quiet,
    ) as progress:
        task = progress.add_task(what, total=None)

        def told(done: int, total: int) -> None:
            stopping.check()  # whoever swallowed a stop on the way here
            progress.update(task, completed=done, total=total)

        yield told


class StepBars:
    """A line with a bar for each step of a run. How long a step will take is said only once the engine says how far
    it is: then it is the time so far, extended to the whole. Where nobody knows, the bar only moves.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._current: TaskID | None = None

    def begin(self, what: str, number: int, total: int) -> None:
        """The next step; the one before is done."""
        self.start(f"{number}/{total} {what}")

    def start(self, what: str) -> None:
        """What comes next; what came before is done."""
        stopping.check()
        self.end()
        self._current = self._progress.add_task(what, total=None)

    def within(self, share: float) -> None:
        """A share of the step is done. A step with several queries starts anew with each of them."""
        if self._current is not None:
            self._progress.update(self._current, total=1.0, completed=min(share, 0.99))

    def end(self) -> None:
        """The step is done."""
        if self._current is not None:
            self._progress.update(self._current, total=1.0, completed=1.0)


@contextmanager
def step_bars(quiet: bool = False) -> Iterator[StepBars]:
    """Bars for the steps of a run; quiet ones are not shown."""
    with Progress(
        TextColumn("{task.description:<40}", markup=False),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=quiet,
    ) as progress:
        bars = StepBars(progress)
        yield bars
        bars.end()


def show_run(done: FileRun) -> None:
    """What each step did, what the gate found, and where everything is."""
    from incrowd.keys.requirements import MODELS
    from incrowd.report.board.advice import advise
    from incrowd.report.words import limit, share

    table = Table(title=done.log.title, title_justify="left")
    table.add_column("step")
    for name in ("records", "cells changed", "classes", "uniques", "smallest class"):
        table.add_column(name, justify="right")
    for step in done.log.steps:
        after = step.after
        numbers = (after.records, step.cells_changed, after.classes, after.uniques, after.smallest)
        table.add_row(step.title, *(f"{number:,}" for number in numbers))
    console.print(table)
    for verdict in done.log.verdicts:
        if verdict.model != "attack":
            near = f"; {limit(verdict)} will do" if MODELS[verdict.model].two_bounds else ""
            told = f"  {done.log.called.say(verdict.requirement)} (the file has {_number(verdict.achieved)}{near})"
            console.print(marked(HOLDS if verdict.passed else FAILS, told))
    if done.log.attacks:
        console.print(attack_table(done.log.attacks, "Attacks on the written file", scenarios=True))
    if limits := [verdict for verdict in done.log.verdicts if verdict.model == "attack"]:
        # A run that ended well has kept them all.
        console.print(marked(HOLDS, f"  {len(limits)} limits to attacks, by the upper ends of their intervals"))
    utility = done.log.utility
    for outcome in utility.outcomes if utility is not None else ():
        said = ("cannot judge", "yellow") if not outcome.judged else ("breaks", "red")
        mark = ("keeps", "green") if outcome.passed else said
        why = f" ({outcome.why})" if outcome.why else ""
        console.print(marked(mark, f"  {outcome.use_case} ", (done.log.told(outcome) + why, "dim")))
    advice = advise(done.log)
    if advice.too_open(done.log.tier):
        told = f"the plan asks for {done.log.tier}, {advice.supported}"
        console.print(marked(("warning", "yellow"), f"  {told}: the internal report says why"))
    lost = done.log.start.records - done.log.end.records
    part = share(lost, done.log.start.records)
    console.print(f"\n{done.log.end.records:,} records released, {lost:,} ({part}) lost.")
    for note in done.notes:
        errors.print(f"note: {note}", soft_wrap=True)
    console.print(f"release   {done.release}", soft_wrap=True)
    console.print(f"report    {done.release / 'report.html'}  (public)", soft_wrap=True)
    console.print(f"audit     {done.audit / 'report.html'}  (internal: never publish it)", soft_wrap=True)


def attack_table(attacks: Sequence[Attacked], title: str, scenarios: bool = False) -> Table:
    """How often each attack was right, beside a guess and beside people who are not in the file."""
    from incrowd.keys.saying import fixed, percent, percents

    table = Table(title=title, title_justify="left")
    for heading in ("attack", *(("scenario",) if scenarios else ())):
        table.add_column(heading)
    for heading in ("success (95% interval)", "baseline", "control", "residual"):
        table.add_column(heading, justify="right")
    for one in attacks:
        names = (one.name, *((one.scenario,) if scenarios else ()))
        if one.success is None:
            table.add_row(*names, "does not apply" if one.does_not_apply else "not tried", "", "", "")
            continue
        value, low, high = percents(one.success.value, one.success.low, one.success.high)
        interval = f"{value} ({low} to {high})"
        baseline = "none" if one.baseline is None else percent(one.baseline)
        control = "none" if one.control is None else percent(one.control.value)
        table.add_row(*names, interval, baseline, control, "none" if one.residual is None else fixed(one.residual))
    return table


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
