"""From the raw file to a release: one file, or one for each tier of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from incrowd import pipeline
from incrowd.audit.checked import Trust
from incrowd.audit.log import RunLog
from incrowd.audit.signing import Signer, read_key
from incrowd.errors import InputError
from incrowd.pipeline.progress import Progress
from incrowd.pipeline.tiers import run_tiers
from incrowd.plan import Plan, inspect_plan, read_text
from incrowd.rows import open_released
from incrowd.rows.result import Line, Result
from incrowd.secret import Secret
from incrowd.tasks.report import need_browser, report


@dataclass(frozen=True, repr=False)
class Run(Result):
    """A run that ended well: the file that it released, or one for each tier.

    A plan without tiers has one: `release` is the folder that may leave, `audit` the one that stays inside, `log` what
    happened. A plan with tiers has several, and they are had by name: `done.tiers["open"].release`.
    """

    files: tuple[pipeline.FileRun, ...]

    @property
    def tiers(self) -> dict[str, Run]:
        """The run of each tier."""
        return {one.log.tier: Run((one,)) for one in self.files}

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._only.folder

    @property
    def release(self) -> Path:
        """The folder that may leave."""
        return self._only.release

    @property
    def audit(self) -> Path:
        """The folder that stays inside."""
        return self._only.audit

    @property
    def log(self) -> RunLog:
        """What happened, step by step."""
        return self._only.log

    @property
    def notes(self) -> tuple[str, ...]:
        """What the custodian should know of the files beside the data."""
        return self._only.notes

    @property
    def _only(self) -> pipeline.FileRun:
        if len(self.files) > 1:
            names = ", ".join(self.tiers)
            raise InputError("D317", "this run released a file for each tier.", f"Name one of its tiers: {names}.")
        return self.files[0]

    def to_arrow(self) -> pa.Table:
        """The released records, as Arrow reads the released file: texts, or the types of a Parquet file."""
        plan = inspect_plan(read_text(self.audit / "plan.yaml"), self.folder).plan
        assert plan is not None  # it was run
        rows = open_released(self.release / plan.release.file)
        return rows.collect(rows.table, "the released records")

    def _told(self) -> str:
        ends = ((one, one.log.end) for one in self.files)
        return "; ".join(
            f"{one.log.title} ({one.log.tier}): {end.records:,} records, k = {end.smallest:,}, in {one.release}"
            for one, end in ends
        )

    def _shown(self) -> Iterable[Line]:
        """The steps, and not the records."""
        return [
            {
                "tier": one.log.tier, "step": step.title, "records removed": step.records_removed,
                "cells changed": step.cells_changed, "classes": step.after.classes, "uniques": step.after.uniques,
                "smallest class": step.after.smallest,
            }
            for one in self.files
            for step in one.log.steps
        ]  # fmt: skip

    def _charts(self) -> Iterable[str]:
        from incrowd.report.charts.look import to_svg
        from incrowd.report.charts.run import classes_by_step

        return [to_svg(classes_by_step(one.log.steps)) for one in self.files]


def run(
    plan: Plan | str | Path,
    *,
    folder: str | Path | None = None,
    out: str | Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    signing_key: str | Path | None = None,
    pdf: bool = False,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
) -> Run:
    """Take a plan from the raw file to a release: protect, count the written file again, publish or refuse.

    Raises NotReleasable, and publishes nothing, when a requirement does not hold. A plan with tiers makes a file for
    each, or none of them. `folder` is where the files that a `Plan` names are looked for, `out` where `runs` and the
    pointer `release` are put (beside the plan when left out). `memory` caps what the process may use ('8GB').
    `signing_key` signs audit and release (the key beside the secret when left out). With `pdf` decision paper and
    reports are printed too. `progress` hears what begins, `within` which share of it the engine has done. The data of a
    plan are files or a database, never a table in memory: the audit holds the hash of the bytes that were read.

    >>> done = ic.run("plan.yaml")
    >>> done.release.name, done.log.end.smallest >= 9
    ('release', True)
    """
    if pdf:
        need_browser()  # before an hour of work
    signer = None if signing_key is None else read_key(Path(signing_key))
    home = None if out is None else Path(out)
    files = None if folder is None else Path(folder)
    done = run_tiers(
        plan, folder=files, out=home, secret=secret, memory=memory, progress=progress, within=within, signer=signer
    )
    if pdf:
        for one in done:
            report(one.folder, pdf=True, trust=_of(signer), signing_key=signing_key)
    return Run(done)


def _of(signer: Signer | None) -> Trust:
    return Trust() if signer is None else Trust((signer.public,))
