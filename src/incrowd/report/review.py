"""What a review of an old release finds: then and now, and what became worse. It stays inside."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from incrowd.attack.external import ONE_TO_ONE
from incrowd.attack.value import Attacked
from incrowd.errors import InputError
from incrowd.keys.saying import percent
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.machine.writing import write_private
from incrowd.report import words
from incrowd.report.render import render
from incrowd.rows.result import Line, Result, plain_fields

#: What stands for the comparison with the audit where another tool made the release.
NO_AUDIT = "no audit"
#: Figures may differ in their last digits from one machine to another.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class ReviewedRequirement:
    """A requirement then and now; None where it was not, or cannot be, counted, and `why` says so."""

    requirement: str
    held: bool | None
    had: float | None
    holds: bool | None
    has: float | None
    why: str = ""

    @property
    def worse(self) -> bool:
        """It held, or was not asked, and does not hold now."""
        return self.holds is False


@dataclass(frozen=True)
class RiskThenNow:
    """A figure of risk then and now."""

    scenario: str
    name: str
    method: str
    measured_then: bool
    then: float | None
    now: float | None
    why: str = ""

    @property
    def worse(self) -> bool:
        """Larger than it was; or new, and somebody of another file stands alone beside one record."""
        if self.now is None:
            return False
        if not self.measured_then or self.then is None:
            return self.name == ONE_TO_ONE and self.now > 0
        return self.now > self.then + TOLERANCE * max(1.0, abs(self.then))


@dataclass(frozen=True)
class AttackThenNow:
    """An attack then and now; then is None for one that was not tried."""

    then: Attacked | None
    now: Attacked
    accepted: float  # the risk that the plan accepts for an open file

    @property
    def tried_then(self) -> bool:
        """Whether the audit has a figure to compare with."""
        return self.then is not None and self.then.in_full

    @property
    def worse(self) -> bool:
        """More often right than it was; or new, and beyond chance it adds more to a guess than is accepted."""
        success = self.now.success
        if success is None:
            return False
        if self.then is not None and self.then.in_full and self.then.success is not None:
            return success.value > self.then.success.value + TOLERANCE
        control, guess = self.now.control, self.now.baseline or 0.0
        beside = control.high if control is not None and self.now.fair else guess
        return success.hits > 0 and beside < 1 and (success.low - beside) / (1 - beside) > self.accepted

    @property
    def lost(self) -> bool:
        """It was tried in full then, and cannot be now."""
        return not self.now.in_full and self.tried_then


@dataclass(frozen=True, repr=False)
class Reviewed(Result):
    """A release looked at again."""

    title: str
    tier: str
    today: str
    due: str | None  # when the plan asked for a review
    released: str  # same, differs or unknown: the released file beside the audit's hash; or NO_AUDIT
    untraced: str  # why no attack could be judged; empty when all could
    requirements: tuple[ReviewedRequirement, ...]
    risks: tuple[RiskThenNow, ...]
    attacks: tuple[AttackThenNow, ...]
    left_out: tuple[str, ...]  # attacks of the audit that could not be tried again
    external: tuple[str, ...]
    notes: tuple[str, ...] = ()  # what limits the figures
    not_tried: tuple[str, ...] = ()  # files and attacks that were asked for and could not be tried: no news of them
    called: UnitName = PEOPLE  # what those in the file are called

    @property
    def has_audit(self) -> bool:
        """Whether there is something to compare with."""
        return self.released != NO_AUDIT

    @property
    def overdue(self) -> bool:
        """Whether the day for the review that the plan names has passed."""
        return self.due is not None and self.due < self.today

    @property
    def worse(self) -> tuple[str, ...]:
        """What became worse, in words."""
        found = []
        if self.released == "differs":
            found.append("the released file is not the one of the audit: its bytes differ")
        for one in self.requirements:
            if one.worse:
                found.append(f"required: {self.called.say(one.requirement)}; the file has {words.figure(one.has)}")
        for risk in self.risks:
            if risk.worse:
                then = words.small(risk.then) if risk.measured_then else "not measured"
                name = risk.name.replace("_", " ")
                found.append(f"{risk.scenario}: {name} is {words.small(risk.now)}, was {then}")
        return (*found, *self._attacks(lambda one: one.tried_then or bool(self.external)))

    @property
    def only_now(self) -> tuple[str, ...]:
        """What succeeds and was never tried before, with nothing new to know: it was so then, and nobody knew."""
        return self._attacks(lambda one: not one.tried_then and not self.external)

    def _attacks(self, which: Callable[[AttackThenNow], bool]) -> tuple[str, ...]:
        found = []
        for attack in filter(which, self.attacks):
            success = attack.now.success
            if attack.worse and success is not None:
                before = attack.then.success if attack.then is not None and attack.tried_then else None
                then = "not tried" if before is None else percent(before.value)
                name = f"{attack.now.scenario}: {attack.now.name}"
                found.append(f"{name} is right in {percent(success.value)} of {success.tries:,} tries, was {then}")
        return tuple(found)

    def _told(self) -> str:
        worse = "; ".join(self.worse) or "nothing became worse"
        new = f"; found only now: {'; '.join(self.only_now)}" if self.only_now else ""
        return f"{self.title}, looked at on {self.today}: {worse}{new}"

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(one) for one in self.risks]

    def json(self) -> str:
        """Everything, for scripts."""
        content = {**asdict(self), "overdue": self.overdue, "worse": list(self.worse), "only_now": list(self.only_now)}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write_review(reviewed: Reviewed, folder: Path) -> None:
    """review.json and review.html in a new folder that only its owner may read."""
    try:
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise InputError("D243", f"the review cannot be put into {folder} ({os.strerror(error.errno or 0)}).",
                         "Name a folder that does not exist yet: --out.") from None  # fmt: skip
    write_private(folder / "review.json", reviewed.json())
    write_private(folder / "review.html", review_page(reviewed))


def review_page(reviewed: Reviewed) -> str:
    """The review as a page of its own."""
    return render("review.html", review=reviewed, called=reviewed.called)
