"""Measure what the written file exposes and what it keeps. Here the log of a run comes together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from incrowd.audit.about import about
from incrowd.audit.earlier import perturbed_before
from incrowd.audit.groups import by_group
from incrowd.audit.log import RunLog
from incrowd.audit.rarest import Rarest, rarest
from incrowd.keys.codebook import Codebook
from incrowd.pipeline.open import share_of
from incrowd.pipeline.series import Compared, with_this
from incrowd.protect import State
from incrowd.protect.meaning import released_book
from incrowd.risk.before_after import measure_end
from incrowd.rows import Rows, open_released
from incrowd.rows.columns import one_value_columns
from incrowd.utility.of_run import measure_utility


@dataclass(frozen=True, kw_only=True)
class Logged(Compared):
    """The written file, and all that was found out about its exposure."""

    log: RunLog


@dataclass(frozen=True, kw_only=True)
class MeasuredAfter(Logged):
    """The written file, read back, with what analysts keep of it in the log."""

    released: Rows


def write_log(attacked: Compared) -> Logged:
    """What happened so far as a log, with the risk of the file as it would leave."""
    plan, state, elsewhere = attacked.plan, attacked.state, attacked.circumstances
    groups = by_group((state.original or state).table, state.table) if isinstance(state, State) else ()
    few = rarest((state.original or state).table, state.table) if isinstance(state, State) else Rarest()
    log = RunLog(
        plan.title, plan.tier, plan.data.kind, plan.data.unit, attacked.steps, attacked.verdicts,
        {name: (variable.role, variable.why) for name, variable in plan.variables.items()}, attacked.columns,
        measure_end(plan, attacked.start, state, attacked.risk_before), groups=groups, rarest=few,
        at_start=attacked.at_start, about=about(plan), drawn_by=attacked.drawn_by, other_releases=attacked.others,
        attacks=(*attacked.attacks_tried, *elsewhere.together), source_hidden=elsewhere.source_hidden,
        book=attacked.book, book_after=_book_after(attacked), called=plan.data.called,
        unconfirmed=plan.unconfirmed, series=attacked.series,
    )  # fmt: skip
    return Logged(**vars(attacked), log=log)


def _book_after(attacked: Compared) -> Codebook:
    """What the released values stand for, and those of the keys before anything was taken away."""
    state, there = attacked.state, dict[str, set[str | None]]()
    if isinstance(state, State):
        for domain in (*state.table.domains, *(state.original or state).table.domains):
            there.setdefault(domain.name, set()).update(domain.values)
    return released_book(attacked.plan, attacked.context, attacked.book, there)


def measure_after(attacked: Compared) -> MeasuredAfter:
    """The risk of the file as it would leave, and what analysts keep of it; of a file that must stay, only its risk."""
    logged = write_log(attacked)
    plan, log, start, state = logged.plan, logged.log, logged.start, logged.state
    before = perturbed_before(plan, logged.earlier, log.start.records, log.drawn_by)
    logged.progress("utility: what analysts keep")
    memory = share_of(logged.cap)
    released = open_released(logged.file, spill=logged.work.spill, memory=memory)
    log = replace(log, perturbed_before=before, one_value=one_value_columns(released))
    if logged.refusal is None and isinstance(start, State) and isinstance(state, State):
        log = replace(log, utility=measure_utility(plan, logged.context, start, state, released))
    log = with_this(plan, log)
    return MeasuredAfter(**{**vars(logged), "log": log}, released=released)
