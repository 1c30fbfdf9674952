"""From a raw file to a release: the whole way on one screen. Each stage has a file of its own, in this order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from incrowd.audit.signing import Signer
from incrowd.pipeline.after import measure_after
from incrowd.pipeline.attack import attack_written
from incrowd.pipeline.before import measure_before
from incrowd.pipeline.check import Checked, check_to_release
from incrowd.pipeline.count import count_data
from incrowd.pipeline.gate import ask_gate
from incrowd.pipeline.job import ALONE, Circumstances, begin
from incrowd.pipeline.open import open_data
from incrowd.pipeline.progress import Progress
from incrowd.pipeline.protect import protect_data
from incrowd.pipeline.publish import FileRun, publish_run
from incrowd.pipeline.report import write_reports
from incrowd.pipeline.series import compare_series
from incrowd.pipeline.write import write_data
from incrowd.plan import Plan
from incrowd.secret import Secret

__all__ = ["FileRun", "Progress", "run"]


def run(
    plan: Plan | Checked | str | Path,
    *,
    folder: Path | None = None,
    out: Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
    signer: Signer | None = None,
    circumstances: Circumstances = ALONE,
) -> FileRun:
    """Take a plan from the raw file to a release: check, open, count, measure, protect step by step, write, gate,
    attack, compare with its series, measure, report, publish. Raises NotReleasable, and publishes nothing, when it must
    not be released.

    `folder` is where the files that a plan names are looked for (the plan's own folder), `out` where `runs` and the
    pointer `release` are put (the same). `memory` caps what the process may use. `progress` hears what begins, `within`
    which share of it the engine has done. `signer` signs audit and release (the key beside the secret when left out).
    `circumstances` are what the other files of the same plan, or the audit that is made again, say of this run.
    """
    checked = check_to_release(plan, folder)
    with begin(checked, out, secret, memory, progress, within, signer, circumstances) as job:
        opened = open_data(job)
        counted = count_data(opened)
        measured = measure_before(counted)
        protected = protect_data(measured)
        written = write_data(protected)
        judged = ask_gate(written)
        attacked = attack_written(judged)
        compared = compare_series(attacked)
        measured_again = measure_after(compared)
        reported = write_reports(measured_again)
        return publish_run(reported)
