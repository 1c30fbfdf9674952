"""Bars for long work: what is done at the moment, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from incrowd.cli._consoles import errors
from incrowd.machine import stopping


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

    def now(self, what: str) -> None:
        """What is done at the moment within the step."""
        stopping.check()
        if self._current is not None:
            begun = self._progress.tasks[-1].description.partition(": ")[0]
            self._progress.update(self._current, description=f"{begun}: {what}")

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
