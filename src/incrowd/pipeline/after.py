"""Measure what the written file exposes and what it keeps. Here the log of a run comes together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from incrowd.audit.about import about
from incrowd.audit.earlier import perturbed_before
from incrowd.audit.groups import by_group
from incrowd.audit.log import RunLog
from incrowd.pipeline.attack import AttackedFile
from incrowd.pipeline.open import share_of
from incrowd.protect import State
from incrowd.risk.before_after import measure_end
from incrowd.rows import Rows, open_source
from incrowd.rows.columns import one_value_columns
from incrowd.utility.of_run import measure_utility


@dataclass(frozen=True, kw_only=True)
class Logged(AttackedFile):
    """The written file, and all that was found out about its exposure."""

    log: RunLog


@dataclass(frozen=True, kw_only=True)
class MeasuredAfter(Logged):
    """The written file, read back, with what analysts keep of it in the log."""

    released: Rows


def write_log(attacked: AttackedFile) -> Logged:
    """What happened so far as a log, with the risk of the file as it would leave."""
    plan, state, elsewhere = attacked.plan, attacked.state, attacked.circumstances
    groups = by_group((state.original or state).table, state.table) if isinstance(state, State) else ()
    log = RunLog(
        plan.title, plan.tier, plan.data.kind, plan.data.unit, attacked.steps, attacked.verdicts,
        {name: (variable.role, variable.reason) for name, variable in plan.variables.items()}, attacked.columns,
        measure_end(plan, attacked.start, state, attacked.risk_before), groups=groups, at_start=attacked.at_start,
        about=about(plan), drawn_by=attacked.drawn_by, other_releases=attacked.others,
        attacks=(*attacked.attacks_tried, *elsewhere.together), source_hidden=elsewhere.source_hidden,
    )  # fmt: skip
    return Logged(**vars(attacked), log=log)


def measure_after(attacked: AttackedFile) -> MeasuredAfter:
    """The risk of the file as it would leave, and what analysts keep of it; of a file that must stay, only its risk."""
    logged = write_log(attacked)
    plan, log, start, state = logged.plan, logged.log, logged.start, logged.state
    before = perturbed_before(plan, logged.earlier, log.start.records, log.drawn_by)
    logged.progress("utility: what analysts keep")
    memory = share_of(logged.cap)
    released = open_source(logged.file, delimiter=",", encoding="utf-8", spill=logged.work.spill, memory=memory)
    log = replace(log, perturbed_before=before, one_value=one_value_columns(released))
    if logged.refusal is None and isinstance(start, State) and isinstance(state, State):
        log = replace(log, utility=measure_utility(plan, logged.context, start, state, released))
    return MeasuredAfter(**{**vars(logged), "log": log}, released=released)
