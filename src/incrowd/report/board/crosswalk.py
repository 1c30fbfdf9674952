"""What three guides ask for, point by point: shown by a measurement, attested by people, or missing.

The ICO's guidance on anonymisation (2025), the UK Anonymisation Network's decision-making framework (its ten
components), and the way the ONS opens microdata (Tudor, Lowthian and Spicer 2015). The points are in our own words: the
guides themselves are what a board is bound by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from incrowd.audit.log import RunLog
from incrowd.keys.requirements import MODELS
from incrowd.report.board.residual import tried

AUTOMATED, ATTESTED, MISSING = "automated", "attested", "missing"


@dataclass(frozen=True)
class Asked:
    """A point of a guide: what shows it. All attestations that it names are needed, and the measurement if any."""

    guide: str
    point: str
    section: str  # where the internal report shows it
    measured: Callable[[RunLog], bool] | None = None
    attested: tuple[str, ...] = ()
    needs: str = ""  # what is missing when the measurement is


@dataclass(frozen=True)
class Row:
    """A point of a guide and how it stands."""

    guide: str
    point: str
    status: str
    section: str
    by: tuple[tuple[str, str], ...]  # role and date
    missing: tuple[str, ...]


def _attacked(*risks: str) -> Callable[[RunLog], bool]:
    """Whether an attack that measures one of these residual risks gave a figure."""
    return lambda log: bool(tried(log, *risks))


def _human(log: RunLog) -> bool:
    return log.human_test is not None and log.human_test.claims > 0


def _scenarios(log: RunLog) -> bool:
    return bool(log.risks)


def _used(log: RunLog) -> bool:
    return log.utility is not None and bool(log.utility.outcomes)


def _classes(log: RunLog) -> bool:
    return bool(log.verdicts)


ICO, UKAN, ONS = "ICO", "UKAN", "ONS"

ASKED: tuple[Asked, ...] = (
    Asked(ICO, "Singling out: can one person's record be told from all others?", "before-after", _classes),
    Asked(ICO, "Linkability: can records be joined to other data about the same person?", "attacks",
          _attacked("What k counts"), needs="a linkage attack"),
    Asked(ICO, "Inference: can something be learned about a person without finding the record?", "attacks",
          _attacked("Homogeneity", "Skewness"), needs="an inference, homogeneity or skewness attack"),
    Asked(ICO, "Motivated intruder: has somebody with reasonable means tried?", "intruder-test", _human,
          needs="a human intruder test"),
    Asked(ICO, "Means reasonably likely to be used: other data, cost, technology, what insiders know", "scenarios",
          _scenarios, ("external_data", "scenarios"), "intruder scenarios"),
    Asked(ICO, "Release model: risk judged for those who will have the file", "decision", _classes, ("access",)),
    Asked(ICO, "Techniques: what was done, and why it is enough", "treatment", lambda log: len(log.steps) > 1,
          needs="protection steps"),
    Asked(ICO, "Names and numbers of people are gone or replaced under a secret", "variables",
          lambda log: not any(role == "identifier" and name in log.released_columns
                              for name, (role, _) in log.variables.items())),
    Asked(ICO, "Lawful basis for making the data anonymous and releasing them", "situation", None, ("lawful_basis",)),
    Asked(ICO, "Data protection impact assessment", "crosswalk", None, ("dpia",)),
    Asked(ICO, "Accountability: who is responsible, and is trained for it", "crosswalk", None, ("governance",)),
    Asked(ICO, "Transparency: people can find out that and how their data are released", "consultation", None,
          ("transparency",)),
    Asked(ICO, "Looked at again when data or technology change", "incidents",
          lambda log: log.about.review is not None, ("monitoring",), "the next review"),
    Asked(ICO, "What happens when somebody is found", "incidents", None, ("incident_plan",)),
    Asked(UKAN, "1 The data situation: what the data are, where they come from and where they go", "situation", None,
          ("data_situation",)),
    Asked(UKAN, "2 Legal responsibilities", "situation", None, ("lawful_basis",)),
    Asked(UKAN, "3 The data themselves: variables, units, quality, detail", "variables",
          lambda log: bool(log.variables)),
    Asked(UKAN, "4 The use case: why release, who will use it, for what", "consultation",
          lambda log: bool(log.about.use_cases), ("consultation",), "use cases in the plan"),
    Asked(UKAN, "5 Ethical obligations: consent or expectations, and what a breach would mean", "residual", None,
          ("impact", "transparency")),
    Asked(UKAN, "6 Assessing disclosure risk: scenarios, data analysis, penetration tests", "risk",
          lambda log: _scenarios(log) and any(a.in_full for a in log.attacks),
          needs="scenarios and attacks"),
    Asked(UKAN, "7 Controlling disclosure: changes to the data, and to their surroundings", "treatment",
          lambda log: len(log.steps) > 1, ("access",), "protection steps"),
    Asked(UKAN, "8 Stakeholders: who they are, and how they are told and heard", "consultation", None,
          ("consultation", "transparency")),
    Asked(UKAN, "9 After the release: keep watch, review, answer", "incidents",
          lambda log: log.about.review is not None, ("monitoring",), "the next review"),
    Asked(UKAN, "10 When things go wrong: a plan for incidents", "incidents", None, ("incident_plan",)),
    Asked(ONS, "Talk to users, know the background of the file and its existing protection", "consultation", None,
          ("consultation", "data_situation")),
    Asked(ONS, "Choose the key variables, with reasons", "variables",
          lambda log: any(role == "key" for role, _ in log.variables.values()) and not log.unconfirmed,
          needs="a reason for each role that somebody wrote"),
    Asked(ONS, "Intruder scenarios, other data sources among them", "scenarios", _scenarios, ("external_data",),
          "intruder scenarios"),
    Asked(ONS, "Uniques in tables of two, three and four keys", "before-after",
          lambda log: any(risk.before.tables is not None for risk in log.risks), needs="intruder scenarios"),
    Asked(ONS, "A formal intruder test, and what was changed after it", "intruder-test", _human,
          needs="a human intruder test"),
    Asked(ONS, "Recode and suppress to k for all, and to a larger k where it is weak", "treatment",
          lambda log: any(v.passed and v.model in MODELS and MODELS[v.model].counts_people for v in log.verdicts),
          needs="a k that holds"),
    Asked(ONS, "Risk against utility: what each choice costs", "alternatives",
          lambda log: _used(log) and bool(log.utility and (log.utility.sweep or log.utility.prices)),
          needs="use cases, and a sweep or alternatives"),
    Asked(ONS, "The access level: open licence, end user licence or safe setting, decided by a panel", "decision",
          lambda log: bool(log.about.sign_offs), ("access",), "a sign-off"),
)  # fmt: skip

GUIDES = {
    ICO: "ICO, guidance on anonymisation (2025)",
    UKAN: "UKAN, anonymisation decision-making framework",
    ONS: "ONS, opening microdata",
}


def crosswalk(log: RunLog) -> tuple[Row, ...]:
    """How does each point of the three guides stand in this run?"""
    return tuple(_row(asked, log) for asked in ASKED)


def _row(asked: Asked, log: RunLog) -> Row:
    said = {name: log.about.said(name) for name in asked.attested}
    missing = [name for name, one in said.items() if one is None]
    if asked.measured is not None and not asked.measured(log):
        missing.insert(0, asked.needs or "a measurement")
    by = tuple(dict.fromkeys((one.role, one.date) for one in said.values() if one is not None))
    status = MISSING if missing else ATTESTED if by else AUTOMATED
    return Row(asked.guide, asked.point, status, asked.section, by, tuple(missing))
