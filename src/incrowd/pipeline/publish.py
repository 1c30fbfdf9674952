"""Publish: the file, its pointer and its table, or none of them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from incrowd.audit.earlier import said_of_others
from incrowd.audit.log import RunLog
from incrowd.audit.signing import leave_public
from incrowd.machine.stopping import check as check_stop
from incrowd.machine.stopping import held
from incrowd.pipeline.protect import NOTHING
from incrowd.pipeline.report import Reported
from incrowd.pipeline.series import refuse_newer
from incrowd.report.series import write_series_page
from incrowd.rows.publish import published_table


@dataclass(frozen=True)
class FileRun:
    """A run that ended well: where it is and what happened in it."""

    folder: Path
    release: Path
    audit: Path
    log: RunLog
    notes: tuple[str, ...] = ()  # what the custodian should know of the plan and of the files beside the data


def publish_run(reported: Reported) -> FileRun:
    """Give the release its place among the runs, and move the pointer to it."""
    work, log = reported.work, reported.log
    reported.unwatch()
    with ExitStack() as whole, published_table(reported.plan.release.table, reported.released, log.released_columns):
        check_stop()  # the last moment to stop
        whole.enter_context(held())  # the file, its pointer and its table, or none of them
        place = work.publish(reported.files.entries, reported.audited, partial(refuse_newer, reported))
    if reported.signer is not None:
        leave_public(work.home, reported.signer.public)
    page = () if log.series is None else write_series_page(work.home)
    notes = (*reported.notes, *_notes(log), *reported.files.notes, *page)
    return FileRun(place, place / "release", place / "audit", log, notes)


def _notes(log: RunLog) -> tuple[str, ...]:
    """What the custodian should know of the run itself."""
    others = (said_of_others(log.other_releases),) if log.other_releases else ()
    still = (f"step {step.number} ({step.title}) {NOTHING}" for step in log.steps if NOTHING in step.notes)
    series = () if log.series is None else log.series.notes
    return (*log.perturbed_before, *others, *series, *still)
