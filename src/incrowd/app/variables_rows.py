"""The variables and scenarios of a plan as the page Variables shows them: as they are written, with what the profile
suggests beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from incrowd.app.data_settings import percent_of
from incrowd.app.edits import as_written
from incrowd.app.looking import look
from incrowd.app.sessions import Project, Session
from incrowd.app.variables_edit import QUESTIONS, is_confirmed
from incrowd.errors import Fault
from incrowd.plan.prepare import derivations, source_columns
from incrowd.profiling import Column

#: So many faults are shown beside a variable; all are listed with the plan.
FAULTS = 3


@dataclass(frozen=True)
class Row:
    """A variable: what the plan says of it, and what the profile suggests."""

    name: str
    role: str
    reason: str = ""
    label: str = ""
    said: str = ""  # what a starter plan says for it
    decide: bool = False  # it said so because nothing told the role
    confirmed: bool = False
    state: str = ""  # new: not in the plan; gone: not in the file; made: by a step
    column: Column | None = None
    exposure: dict[str, str] | None = None
    faults: tuple[str, ...] = ()

    @property
    def undecided(self) -> bool:
        """Whether somebody has to look at it first."""
        return self.state == "new" or (self.decide and not self.confirmed)

    @property
    def offered(self) -> bool:
        """Whether there is a suggestion to be taken."""
        return self.column is not None and (not self.confirmed or self.role != self.column.role)

    @property
    def sure(self) -> bool:
        """Whether name or values told the role, and nobody has confirmed it."""
        return self.column is not None and self.column.certain and not self.confirmed

    @property
    def unanswered(self) -> int:
        """How many questions about who could know it are open, where somebody has answered one."""
        return 0 if self.exposure is None else sum(question not in self.exposure for question in QUESTIONS)

    @property
    def advice(self) -> str:
        """What the answers about who could know it say against its role."""
        if self.exposure is None:
            return ""
        known = any(self.exposure.get(question, "no") != "no" for question in QUESTIONS)
        if known and self.role in ("sensitive", "other"):
            return "Others may know it: think of the role key."
        if self.unanswered:
            return f"Who could know it: {self.unanswered} of {len(QUESTIONS)} questions are not answered."
        return "" if known or self.role != "key" else "Nobody seems to know it: is it a key?"


def columns_of(session: Session, project: Project) -> list[Column]:
    """The columns of the file by their names in the plan; none where the file is not known yet."""
    found = look(session)
    if found is None:
        return []
    names = source_columns(project.plan, [one.name for one in found.profile.columns], found.profile.place)[0]
    return [replace(one, name=name) for one, name in zip(found.profile.columns, names, strict=True)]


def one_of(columns: Sequence[Column], name: str) -> Column | None:
    """The column of this name, where there is one."""
    return next((column for column in columns if column.name == name), None)


def rows_of(session: Session, project: Project) -> list[Row]:
    """What nobody has decided comes first, then the others in the plan's order."""
    said = as_written(project.document.text).get("variables")
    variables = said if isinstance(said, dict) else {}
    checked = project.document.checked
    columns = {} if checked.plan is None else {one.name: one for one in columns_of(session, project)}
    made = [] if checked.plan is None else [step.into for _, step in derivations(checked.plan)]
    rows = [
        Row(name, column.role, column=column, state="new", said=column.reason, decide=not column.certain)
        for name, column in columns.items() if name not in variables
    ]  # fmt: skip
    for name, given in variables.items():
        one = given if isinstance(given, dict) else {}
        state = "" if not columns or name in columns else "made" if name in made else "gone"
        exposure = one.get("exposure")
        row = Row(
            name, _text(one, "role"), _text(one, "reason"), _text(one, "label"),
            _text(one, "suggested") or _text(one, "decide"), "decide" in one, is_confirmed(one), state,
            columns.get(name), exposure if isinstance(exposure, dict) else None, _faults(checked.faults, name),
        )  # fmt: skip
        rows.append(row)
    return sorted(rows, key=lambda row: (row.state != "new", not row.decide))


def _faults(faults: Sequence[Fault], name: str) -> tuple[str, ...]:
    """What the check says of a variable, wherever the plan names it. That it is to be decided, its row says already."""
    place = f"variables.{name}"
    others = [one for one in faults if one.code != "P097"]
    mine = [one for one in others if f"{one.place}.".startswith(f"{place}.") or f"{name!r}" in one.message]
    return tuple(str(one) for one in mine[:FAULTS])


def _text(given: dict[str, Any], field: str) -> str:
    found = given.get(field)
    return found if isinstance(found, str) else ""


@dataclass(frozen=True)
class Told:
    """A scenario as it is written: what an intruder knows, and in which share of cases (%) that is wrong."""

    number: int
    name: str
    known: tuple[str, ...]
    error: dict[str, str]
    knows: bool
    geography: str


def scenarios_of(project: Project) -> list[Told]:
    """The scenarios as they are written, each with its number; what is none is left to the check."""
    said = as_written(project.document.text).get("scenarios")
    found = []
    for number, one in enumerate(said if isinstance(said, list) else []):
        if not isinstance(one, dict):
            continue
        error, keys, place = one.get("error"), one.get("keys"), one.get("geography")
        told = Told(
            number, _text(one, "name"), tuple(str(key) for key in keys) if isinstance(keys, list) else (),
            {key: percent_of(share) for key, share in error.items()} if isinstance(error, dict) else {},
            str(one.get("knows_who_is_in", "true")).lower() in ("true", "yes", "on", "1", "t", "y"),
            _text(place, "key") if isinstance(place, dict) else "",
        )  # fmt: skip
        found.append(told)
    return found
