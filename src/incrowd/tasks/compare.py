"""What if? Two or more plans side by side: what each keeps, what each risks, and whether each would be released."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError
from incrowd.pipeline.trial import Trial, try_out
from incrowd.plan.verdict import Verdict
from incrowd.risk.before_after import RiskLog
from incrowd.risk.value import Risk
from incrowd.rows.result import Line, Listing, plain_fields
from incrowd.secret import Secret, find_secret, has_secret, new_secret


@dataclass(frozen=True)
class ScenarioRisk:
    """One scenario after the last step: every figure with its method, interval and reason."""

    scenario: str
    figures: tuple[Risk, ...]


@dataclass(frozen=True)
class PlanFigures:
    """What one plan would come to. `refusal` says why it would not be released, by its code and message."""

    plan: str
    records_in: int
    records_kept: int
    cells_changed: int
    k: int
    uniques: int
    loss: float
    scenarios: tuple[ScenarioRisk, ...]
    verdicts: tuple[Verdict, ...]
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
        return [plain_fields(one, "scenarios", "verdicts") for one in self.items]


def compare(plans: Sequence[str | Path], secret: Secret | None = None) -> Comparison:
    """Carry out each plan up to the gate and throw the results away: nothing is released.

    All plans draw from one secret, so that what differs comes from the plans. `loss` is `keys.loss.lost_bits`: the
    share of what the keys said that is gone. It does not see values that were swapped or moved.

    >>> ic.compare(["plan.yaml", "plan.yaml"]).to_pandas()[["plan", "records_kept", "k", "loss"]]
    """
    if len(plans) < 2:
        raise InputError("D119", "there is nothing to compare.", "Name two plans or more.")
    first = Path(plans[0]).resolve().parent
    secret = secret or (find_secret(first) if has_secret(first) else new_secret())
    return Comparison(tuple(_figures(str(plan), try_out(plan, secret=secret)) for plan in plans))


def _figures(name: str, trial: Trial) -> PlanFigures:
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
        switched_off=(
            *(f"{step.number} {step.name}" for step in log.steps if step.off),
            *(f"attack {number}" for number, one in enumerate(log.about.attacks, start=1) if "off" in one),
        ),
        refusal=None if trial.refusal is None else str(trial.refusal),
    )


def _scenario(risk: RiskLog) -> ScenarioRisk:
    after = risk.after
    return ScenarioRisk(risk.before.scenario.name, () if after is None else (*after.risks, *after.worth))
