"""All use cases of a plan: what they need, and what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.plan import Plan
from incrowd.plan.use_cases import UseCase
from incrowd.utility.absent_values import refuse_absent_values
from incrowd.utility.judging import judge
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Outcome
from incrowd.utility.registry import Around, Sides
from incrowd.utility.use_cases import USE_CASES


@dataclass(frozen=True)
class Question:
    """The use cases of a plan with what they must know around them: the keys and columns of the release."""

    plan: Plan
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    folder: Path
    subkey: bytes

    def needs(self) -> list[Need]:
        """What all use cases need to know of the release, and of the original brought to its categories."""
        found = [need for case in self.plan.use_cases for need in self._needs(case)]
        return list(dict.fromkeys(found))

    def needs_at_start(self) -> list[Need]:
        """What they need to know of the file as it came."""
        asking = [case for case in self.plan.use_cases if USE_CASES[type(case)].at_start]
        return list(dict.fromkeys(need for case in asking for need in self._needs(case)))

    def evaluate(self, original: Fetched, released: Fetched, at_start: Fetched) -> tuple[Outcome, ...]:
        """The verdict on each use case. One that speaks of nobody in the original is refused: it could only pass. One
        that names a variable with one value cannot be judged.
        """
        for case in self.plan.use_cases:
            refuse_absent_values(case, original, self._needs(case))
        sides = Sides(original, released, at_start, self._around)
        return tuple(self._outcome(case, sides) for case in self.plan.use_cases)

    @property
    def _around(self) -> Around:
        return Around(self.keys, self.columns, self.folder, self.subkey)

    def _needs(self, case: UseCase) -> list[Need]:
        return USE_CASES[type(case)].needs(case, self._around)

    def _outcome(self, case: UseCase, sides: Sides) -> Outcome:
        kind = USE_CASES[type(case)]
        outcome = replace(kind.compare(case, sides), by=getattr(case, "by", None) or "")
        if kind.judges_itself:
            return outcome
        return judge(outcome, case, self._needs(case), sides.original, sides.released)


def rule_of(case: UseCase) -> str:
    """When does a use case pass, in words? Known before anything is treated."""
    return USE_CASES[type(case)].rule(case)


def broken(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The use cases whose conclusion does not stay."""
    return tuple(outcome.use_case for outcome in outcomes if not outcome.passed)


def verdicts(outcomes: Sequence[Outcome]) -> Mapping[str, bool]:
    """Each use case, and whether it passes."""
    return {outcome.use_case: outcome.passed for outcome in outcomes}
