"""What if? Two or more plans side by side: what each keeps, what each risks, and whether each would be released."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.attack.value import Attacked
from incrowd.errors import Fault, InputError, PlanError
from incrowd.pipeline.check import Checked
from incrowd.pipeline.check import check as check_plan
from incrowd.pipeline.progress import Progress
from incrowd.pipeline.trial import Trial, try_out
from incrowd.plan.verdict import Verdict
from incrowd.risk.before_after import RiskLog
from incrowd.risk.value import Risk
from incrowd.rows.result import Line, Listing, plain_fields
from incrowd.secret import Secret, secret_to_try
from incrowd.tasks.check import data_faults


@dataclass(frozen=True)
class ScenarioRisk:
    """One scenario after the last step: every figure with its method, interval and reason."""

    scenario: str
    figures: tuple[Risk, ...]


@dataclass(frozen=True)
class UseCaseVerdict:
    """Whether a use case keeps its conclusion. Its figures name values of the file as it came: they stay inside."""

    use_case: str
    passed: bool
    judged: bool


@dataclass(frozen=True)
class PlanFigures:
    """What one plan would come to. `refusal` says why it would not be released, by its code and message; then no attack
    of the plan was tried.
    """

    plan: str
    records_in: int
    records_kept: int
    cells_changed: int
    k: int
    uniques: int
    loss: float
    scenarios: tuple[ScenarioRisk, ...]
    verdicts: tuple[Verdict, ...]
    attacks: tuple[Attacked, ...]
    use_cases: tuple[UseCaseVerdict, ...]
    switched_off: tuple[str, ...]
    refusal: str | None


@dataclass(frozen=True, repr=False)
class Comparison(Listing[PlanFigures]):
    """Plans side by side, in the order in which they were named."""

    items: tuple[PlanFigures, ...]

    def _told(self) -> str:
        told = (f"{one.plan}: {one.records_kept:,} of {one.records_in:,} records, k = {one.k:,}" for one in self.items)
        return "; ".join(told)

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(one, "scenarios", "verdicts", "attacks", "use_cases") for one in self.items]


def compare(plans: Sequence[str | Path], secret: Secret | None = None, progress: Progress | None = None) -> Comparison:
    """Carry out each plan up to the gate, with its attacks and use cases, and throw the results away: nothing is
    released.

    The faults of all plans are told before the first is carried out. All plans draw from one secret, that of the first
    plan's project, so that what differs comes from the plans, and a run of it will be the same. `loss` is
    `keys.loss.lost_bits`: the share of what the keys said that is gone. It does not see values that were swapped or
    moved. `progress` hears what begins.

    >>> ic.compare(["plan.yaml", "plan.yaml"]).to_pandas()[["plan", "records_kept", "k", "loss"]]
    """
    plans = [plans] if isinstance(plans, str | Path) else plans
    if len(plans) < 2:
        raise InputError("D119", "there is nothing to compare.", "Name two plans or more.")
    checked = _all_checked(plans)
    secret = secret or secret_to_try(checked[0].folder)
    found = []
    for plan, one in zip(plans, checked, strict=True):
        said = None if progress is None else _of_plan(str(plan), progress)
        found.append(plan_figures(str(plan), try_out(one, secret=secret, progress=said)))
    return Comparison(tuple(found))


def _all_checked(plans: Sequence[str | Path]) -> list[Checked]:
    """The plans, none with a fault: one that fails after an hour of work on another has wasted the hour."""
    checked: list[Checked] = []
    faults: list[Fault] = []
    for plan in plans:
        try:
            one = check_plan(plan)
            found = data_faults(one.plan, one.folder)
        except PlanError as error:
            found = error.faults
        else:
            checked.append(one)
        faults += [replace(fault, place=f"{plan}: {fault.place}") for fault in found]
    if faults:
        raise PlanError(faults)
    return checked


def _of_plan(plan: str, progress: Progress) -> Progress:
    return lambda what, number, total: progress(f"{plan}: {what}", number, total)


def plan_figures(name: str, trial: Trial) -> PlanFigures:
    """What a trial of a plan came to."""
    log = trial.log
    return PlanFigures(
        plan=name,
        records_in=log.start.records,
        records_kept=log.end.records,
        cells_changed=sum(step.cells_changed for step in log.steps),
        k=log.end.smallest,
        uniques=log.end.uniques,
        loss=trial.loss,
        scenarios=tuple(_scenario(risk) for risk in log.risks),
        verdicts=log.verdicts,
        # The lines of those most at risk are about people, and stay where they were found.
        attacks=tuple(replace(one, worst=()) for one in log.attacks),
        use_cases=tuple(UseCaseVerdict(o.use_case, o.passed, o.judged) for o in trial.utility.outcomes),
        switched_off=(
            *(f"{step.number} {step.name}" for step in log.steps if step.off),
            *(f"attack {number}" for number, one in enumerate(log.about.attacks, start=1) if "off" in one),
        ),
        refusal=None if trial.refusal is None else str(trial.refusal),
    )


def _scenario(risk: RiskLog) -> ScenarioRisk:
    after = risk.after
    return ScenarioRisk(risk.before.scenario.name, () if after is None else (*after.risks, *after.worth))
