"""A plan carried out up to the gate and the attacks, and thrown away: nothing is reported, nothing published."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.earlier import find_earlier
from incrowd.audit.log import RunLog
from incrowd.audit.series import find_series
from incrowd.audit.workspace import open_workspace
from incrowd.errors import NotReleasable
from incrowd.keys.loss import lost_bits
from incrowd.pipeline.after import Logged, write_log
from incrowd.pipeline.attack import attack_written
from incrowd.pipeline.before import measure_before
from incrowd.pipeline.check import Checked, check
from incrowd.pipeline.count import Counted, count_data
from incrowd.pipeline.gate import ask_gate
from incrowd.pipeline.job import Job, needs_lines
from incrowd.pipeline.open import open_data
from incrowd.pipeline.progress import Progress, numbered
from incrowd.pipeline.protect import protect_data
from incrowd.pipeline.series import compare_series
from incrowd.pipeline.write import write_data
from incrowd.plan import Plan
from incrowd.protect import require_in_memory
from incrowd.rows import open_released
from incrowd.secret import Secret, secret_to_try
from incrowd.utility.of_run import UtilityLog, measure_utility


@dataclass(frozen=True)
class Trial:
    """What a run would have been: its log, why it would be refused (None when it would not be), its loss, and what
    analysts would keep of it, refused or not.
    """

    log: RunLog
    refusal: NotReleasable | None
    loss: float
    utility: UtilityLog


def try_out(
    plan: Plan | Checked | str | Path,
    *,
    folder: Path | None = None,
    secret: Secret | None = None,
    progress: Progress | None = None,
) -> Trial:
    """Carry a plan out up to the gate and its attacks, and throw the result away: nothing is released and no audit is
    kept.

    It works in a private folder under `runs`, as a run does, and clears it at the end. It draws from the project's
    secret, so that a run of the plan will be the same; where there is none, it is made.
    """
    checked = check(plan, folder)
    plan, folder = checked.plan, checked.folder
    begins = numbered(progress, len(plan.steps) + 4 + bool(plan.attacks))
    with open_workspace(folder) as work, ExitStack() as stack:
        begins("read and count")
        secret = secret or secret_to_try(folder)
        earlier, found = find_earlier(plan, folder, folder), find_series(plan, folder)
        job = Job(
            plan=plan, folder=folder, secret=secret, work=work, stack=stack, earlier=earlier, found=found,
            keep_lines=needs_lines(plan), progress=begins,
        )  # fmt: skip
        counted = open_and_count(job)
        start = require_in_memory(counted.start, "a comparison")
        done = carry_out(counted)
        end = require_in_memory(done.state, "a comparison")
        begins("utility: what analysts keep")
        released = open_released(done.file, spill=work.spill)
        stack.callback(released.close)
        # What the plan tries beside itself is not compared, and would be most of the work.
        alone = plan.model_copy(update={"sweep": None, "alternatives": []})
        utility = measure_utility(alone, done.context, start, end, released)
        return Trial(done.log, done.refusal, lost_bits(start.table, end.table), utility)


def open_and_count(job: Job) -> Counted:
    """The first stages of every run."""
    return count_data(open_data(job))


def carry_out(counted: Counted) -> Logged:
    """The stages of a run from the count to the attacks, with the log of what they did."""
    written = write_data(protect_data(measure_before(counted)))
    return write_log(compare_series(attack_written(ask_gate(written))))
