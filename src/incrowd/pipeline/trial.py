"""A plan carried out up to the gate and the attacks, and thrown away: nothing is reported, nothing published."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.earlier import find_earlier
from incrowd.audit.log import RunLog
from incrowd.audit.workspace import open_workspace
from incrowd.errors import NotReleasable
from incrowd.keys.loss import lost_bits
from incrowd.pipeline.after import Logged, write_log
from incrowd.pipeline.attack import attack_written
from incrowd.pipeline.before import measure_before
from incrowd.pipeline.check import Checked, check
from incrowd.pipeline.count import Counted, count_data
from incrowd.pipeline.gate import ask_gate
from incrowd.pipeline.job import Job
from incrowd.pipeline.open import open_data
from incrowd.pipeline.protect import protect_data
from incrowd.pipeline.write import write_data
from incrowd.plan import Plan
from incrowd.protect import require_in_memory
from incrowd.secret import Secret, find_secret, has_secret, new_secret


@dataclass(frozen=True)
class Trial:
    """What a run would have been: its log, why it would be refused (None when it would not be), and its loss."""

    log: RunLog
    refusal: NotReleasable | None
    loss: float


def try_out(plan: Plan | Checked | str | Path, *, folder: Path | None = None, secret: Secret | None = None) -> Trial:
    """Carry a plan out up to the gate, and throw the result away: nothing is released and no audit is kept.

    It works in a private folder under `runs`, as a run does, and clears it at the end. Where there is no secret yet, it
    takes one that nobody will know.
    """
    checked = check(plan, folder)
    plan, folder = checked.plan, checked.folder
    with open_workspace(folder) as work, ExitStack() as stack:
        secret = secret or (find_secret(folder) if has_secret(folder) else new_secret())
        earlier, lines = find_earlier(plan, folder, folder), bool(plan.attacks)
        counted = open_and_count(
            Job(plan=plan, folder=folder, secret=secret, work=work, stack=stack, earlier=earlier, keep_lines=lines)
        )
        start = require_in_memory(counted.start, "a comparison")
        done = carry_out(counted)
        loss = lost_bits(start.table, require_in_memory(done.state, "a comparison").table)
        return Trial(done.log, done.refusal, loss)


def open_and_count(job: Job) -> Counted:
    """The first stages of every run."""
    return count_data(open_data(job))


def carry_out(counted: Counted) -> Logged:
    """The stages of a run from the count to the attacks, with the log of what they did."""
    written = write_data(protect_data(measure_before(counted)))
    return write_log(attack_written(ask_gate(written)))
