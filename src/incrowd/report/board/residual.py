"""The risks that remain, each tied to the attack or the figure that measured it, or said to be not measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from incrowd.attack import ATTACKS
from incrowd.attack.value import Attacked
from incrowd.audit.log import RunLog
from incrowd.keys.requirements import MODELS
from incrowd.keys.saying import sentence
from incrowd.report.words import MORE_RESIDUALS, RESIDUALS, figure, limit


@dataclass(frozen=True)
class Remaining:
    """A risk that remains, what measured it in this run, and the section that shows it."""

    name: str
    words: str
    measured: tuple[str, ...]
    section: str


def residuals(log: RunLog) -> tuple[Remaining, ...]:
    """Which risks remain, and what do we know about each?"""
    found = []
    for risk in (*RESIDUALS, *MORE_RESIDUALS):
        attacks = tried(log, risk.name)
        told = tuple(f"Attack {a.name} ({a.scenario}): {a.sentence}" for a in attacks)
        said = (f"{a.sentence} {sentence(f'So says: {a.does_not_apply}')}" for a in apart(log, risk.name))
        told += tuple(dict.fromkeys(said))
        more = FIGURES[risk.name](log) if risk.name in FIGURES else ()
        section = "attacks" if attacks else SHOWN.get(risk.name, "")
        words = risk.words if risk.about_intruders else log.called.say(risk.words)
        found.append(Remaining(risk.name, words, (*told, *more), section))
    return tuple(found)


def tried(log: RunLog, *risks: str) -> list[Attacked]:
    """The attacks that measured one of these risks."""
    return [attack for attack in _about(log, *risks) if attack.in_full]


def apart(log: RunLog, *risks: str) -> list[Attacked]:
    """The attacks that would measure one of these risks, and have nothing to attack."""
    return [attack for attack in _about(log, *risks) if attack.does_not_apply]


def _about(log: RunLog, *risks: str) -> list[Attacked]:
    words = {attack.word for attack in ATTACKS.values() if attack.residual in risks}
    return [attack for attack in log.attacks if attack.attack in words]


def _known(log: RunLog) -> tuple[str, ...]:
    """The largest chance to find somebody, by scenario."""
    told = []
    for risk in log.risks:
        most = next((r for r in risk.after.risks if r.name == "prosecutor_max"), None) if risk.after else None
        if most is not None and most.value is not None:
            chance = f"at most {figure(most.value)} for somebody who is known to be in the file."
            told.append(f"Scenario {risk.before.scenario.name}: {chance}")
    return tuple(told)


def _required(residual: str) -> Callable[[RunLog], tuple[str, ...]]:
    """What was found of the requirements whose model measures a residual risk."""
    return lambda log: tuple(
        f"Required that {v.requirement}: {figure(v.achieved)} found, {limit(v)} will do."
        for v in log.verdicts
        if v.model in [name for name, model in MODELS.items() if model.residual == residual]
    )


#: Figures other than attacks that measure a risk.
FIGURES: Mapping[str, Callable[[RunLog], tuple[str, ...]]] = {
    "What k counts": _known,
    "Homogeneity": _required("Homogeneity"),
    "Clever people": lambda log: ("Human intruder test: see there.",) if log.human_test else (),
    "Skewness": _required("Skewness"),
}

#: Where the report shows these figures.
SHOWN = {"What k counts": "risk", "Homogeneity": "decision", "Skewness": "decision", "Clever people": "intruder-test"}
