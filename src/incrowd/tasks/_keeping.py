"""What would analysts keep of a plan's release? Carried out up to the gate, without its attacks, and thrown away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.audit.log import RunLog
from incrowd.pipeline.check import check
from incrowd.pipeline.progress import Progress
from incrowd.pipeline.trial import try_out
from incrowd.plan.verdict import Verdict
from incrowd.utility.general import General
from incrowd.utility.loss import Loss, Subgroup
from incrowd.utility.outcome import Outcome


@dataclass(frozen=True)
class Keeping:
    """The original beside the release that a plan would make. It names groups of the file as it came: it stays inside.

    `refusal` says why it would not be released, by the requirements; attacks are not tried.
    """

    records_in: int
    records_kept: int
    cells_changed: int
    smallest: int
    verdicts: tuple[Verdict, ...]
    refusal: str | None
    outcomes: tuple[Outcome, ...]
    loss: Loss
    general: General | None
    subgroups: tuple[Subgroup, ...]

    @property
    def held(self) -> int:
        """How many use cases keep their conclusion."""
        return sum(outcome.passed for outcome in self.outcomes)


def try_keeping(plan: str | Path, progress: Progress | None = None) -> Keeping:
    """Try a plan out, and judge it by its use cases alone: attacks change nothing of what is released, and take long.

    It draws from the project's secret, so that a run of the plan will keep the same.
    """
    checked = check(plan)
    quiet = replace(checked, plan=checked.plan.model_copy(update={"attack": []}))
    trial = try_out(quiet, progress=progress)
    log, utility = trial.log, trial.utility
    return Keeping(
        records_in=log.start.records,
        records_kept=log.end.records,
        cells_changed=sum(step.cells_changed for step in log.steps),
        smallest=log.end.smallest,
        verdicts=log.verdicts,
        refusal=None if trial.refusal is None else str(trial.refusal),
        outcomes=tuple(_in_words(log, outcome) for outcome in utility.outcomes),
        loss=utility.loss,
        general=utility.general,
        subgroups=tuple(replace(one, value=log.word(one.variable, one.value)) for one in utility.subgroups),
    )


def _in_words(log: RunLog, outcome: Outcome) -> Outcome:
    """With what codes stand for, where the plan says it."""
    say = log.book_after.say
    figures = tuple(
        replace(one, name=log.word(outcome.by, one.name) if outcome.by else say(one.name)) for one in outcome.figures
    )
    return replace(outcome, rule=say(outcome.rule), found=log.told(outcome), figures=figures)
