"""What the reports need of the plan, as values that go into the log: the log alone makes the reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.plan import Plan
from incrowd.plan.attest import AcceptedRisk

#: A longer list or mapping in a step is counted, and is to be read in the audit's plan.
LISTED = 40


@dataclass(frozen=True)
class Attested:
    """Somebody answers for something: the name of a role, the day, and what."""

    role: str
    date: str
    text: str


@dataclass(frozen=True)
class SignedOff:
    """Who decided what about this release."""

    role: str
    date: str
    decision: str
    text: str | None = None


@dataclass(frozen=True)
class NextReview:
    """When the release is looked at again, by whom, and what brings that forward."""

    role: str
    next: str
    triggers: tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What people said about the release in its plan. Whatever is None is missing, and the report says so."""

    source: str = ""
    population: str | None = None
    weights: str | None = None
    household: str | None = None
    sampling_fraction: float | None = None
    imputed_share: float = 0.0
    protection_reason: str | None = None
    exposure: Mapping[str, str] = field(default_factory=dict)  # variable -> who could know it, in words
    steps: tuple[Mapping[str, str], ...] = ()  # the parameters of each step, in words
    attacks: tuple[Mapping[str, str], ...] = ()  # those of each attack, its reason, and `off` where it is switched off
    scenarios: tuple[str, ...] = ()
    use_cases: tuple[tuple[str, str], ...] = ()  # name and test
    alternatives: tuple[str, ...] = ()
    attested: Mapping[str, Attested | None] = field(default_factory=dict)
    sign_offs: tuple[SignedOff, ...] = ()
    review: NextReview | None = None
    conditions: tuple[str, ...] = ()
    accepted: Attested | None = None  # other limits for the tier advice than the usual ones: who answers for them
    nothing_beside: Mapping[str, Attested] = field(default_factory=dict)  # who says that nothing else is published
    proposed: Mapping[str, Any] | None = None  # how `incrowd propose` came to the plan, where it did
    risk_open: float = AcceptedRisk.model_fields["open"].default
    risk_safeguarded: float = AcceptedRisk.model_fields["safeguarded"].default

    def said(self, name: str) -> Attested | None:
        """What was attested under this name, if anything."""
        return self.attested.get(name)


def about(plan: Plan) -> About:
    """Take from a plan what the reports need."""
    data, attest = plan.data, plan.attest
    protection, accepted = data.protection, attest.accepted_risk
    review = attest.review
    return About(
        source=data.source,
        population=None if data.population is None else data.population.source,
        weights=data.weights,
        household=data.household,
        sampling_fraction=None if protection is None else protection.sampling_fraction,
        imputed_share=0.0 if protection is None else protection.imputed_share,
        protection_reason=None if protection is None else protection.reason,
        exposure={name: _exposure(v.exposure.model_dump()) for name, v in plan.variables.items() if v.exposure},
        steps=tuple(_parameters(step.model_dump(mode="json", by_alias=True)) for step in plan.steps),
        attacks=tuple(
            {
                **_parameters(one.model_dump(mode="json", by_alias=True)),
                **({"reason": one.reason} if one.reason else {}),
                **({"off": "yes"} if one.off else {}),
            }
            for one in plan.attack
        ),
        scenarios=tuple(scenario.name for scenario in plan.scenarios),
        use_cases=tuple((use_case.name, use_case.test) for use_case in plan.use_cases),
        alternatives=tuple(each.name for each in plan.alternatives),
        attested={
            name: None if one is None else Attested(one.role, one.date, one.text)
            for name, one in attest.by_point().items()
        },
        sign_offs=tuple(SignedOff(s.role, s.date, s.decision, s.text) for s in attest.sign_off),
        review=None if review is None else NextReview(review.role, review.next, tuple(review.triggers)),
        conditions=tuple(attest.conditions),
        accepted=None if accepted is None else Attested(accepted.role, accepted.date, accepted.text),
        nothing_beside={
            name: Attested(one.role, one.date, one.text)
            for name, one in (("no_other_release", attest.no_other_release), ("no_tables", attest.no_tables))
            if one is not None
        },
        proposed=None if plan.proposed is None else plan.proposed.model_dump(mode="json"),
        **({} if accepted is None else {"risk_open": accepted.open, "risk_safeguarded": accepted.safeguarded}),
    )


def _exposure(answers: Mapping[str, str]) -> str:
    known = [
        f"{name.replace('_', ' ')}{' in part' if answer == 'partly' else ''}"
        for name, answer in answers.items()
        if name != "reason" and answer != "no"
    ]
    return f"{', '.join(known) or 'nobody asked about'}: {answers['reason']}"


def _parameters(step: Mapping[str, object]) -> dict[str, str]:
    """A step's own settings; its reason and its word are told elsewhere, and what was left out is not told."""
    return {
        name: _said(value)
        for name, value in step.items()
        if name not in ("step", "reason", "off") and value is not None and value != [] and value != {}
    }


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        if len(value) > LISTED:
            return f"{len(value)} entries, in plan.yaml"
        inside = [(name, one) for name, one in value.items() if one is not None and one != [] and one != {}]
        if len(inside) == 1 and inside[0][1] is True:
            return str(inside[0][0])  # a word of its own in the plan: auto
        return "; ".join(f"{name}: {_said(one)}" for name, one in inside)
    if isinstance(value, list):
        return f"{len(value)} entries, in plan.yaml" if len(value) > LISTED else ", ".join(map(_said, value))
    return str(value)
