"""All use cases of a plan: what they need, and what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from incrowd.plan import Plan
from incrowd.plan import use_cases as cases
from incrowd.utility.absent_values import refuse_absent_values
from incrowd.utility.centre import centre, centre_needs, correlation, correlation_needs
from incrowd.utility.classifier import classifier, classifier_needs
from incrowd.utility.entropy import entropy_needs, entropy_ratio
from incrowd.utility.judging import judge
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Outcome
from incrowd.utility.python import python, python_needs
from incrowd.utility.regression import regression, regression_needs
from incrowd.utility.shares import proportion, share_needs, top_overlap
from incrowd.utility.t_test import t_needs, t_test


@dataclass(frozen=True)
class Question:
    """The use cases of a plan with what they must know around them: the keys and columns of the release."""

    plan: Plan
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    folder: Path
    subkey: bytes

    def entropy_columns(self, case: cases.EntropyRatio) -> Sequence[str]:
        """The columns whose entropy is compared."""
        return case.columns or self.columns

    def needs(self) -> list[Need]:
        """What all use cases need to know of the release, and of the original brought to its categories."""
        found = [need for case in self.plan.use_cases for need in self._needs(case)]
        return list(dict.fromkeys(found))

    def needs_at_start(self) -> list[Need]:
        """What they need to know of the file as it came."""
        entropies = [case for case in self.plan.use_cases if isinstance(case, cases.EntropyRatio)]
        found = [need for case in entropies for need in entropy_needs(self.entropy_columns(case), self.keys)]
        return list(dict.fromkeys(found))

    def evaluate(self, original: Fetched, released: Fetched, at_start: Fetched) -> tuple[Outcome, ...]:
        """The verdict on each use case. One that speaks of nobody in the original is refused: it could only pass. One
        that names a variable with one value cannot be judged.
        """
        for case in self.plan.use_cases:
            refuse_absent_values(case, original, self._needs(case))
        return tuple(
            judge(self._outcome(case, original, released, at_start), case, self._needs(case), original, released)
            for case in self.plan.use_cases
        )

    def _needs(self, case: cases.AnyUseCase) -> list[Need]:
        match case:
            case cases.TopOverlap() | cases.Proportion():
                return share_needs(case)
            case cases.Centre():
                return centre_needs(case)
            case cases.TTest():
                return t_needs(case)
            case cases.Correlation():
                return correlation_needs(case)
            case cases.Regression():
                return regression_needs(case)
            case cases.EntropyRatio():
                return entropy_needs(self.entropy_columns(case), self.keys)
            case cases.Classifier():
                return classifier_needs(case)
            case cases.Python():
                return python_needs(case)
        assert_never(case)

    def _outcome(self, case: cases.AnyUseCase, original: Fetched, released: Fetched, at_start: Fetched) -> Outcome:
        match case:
            case cases.TopOverlap():
                return top_overlap(case, original, released)
            case cases.Proportion():
                return proportion(case, original, released)
            case cases.Centre():
                return centre(case, original, released)
            case cases.TTest():
                return t_test(case, original, released)
            case cases.Correlation():
                return correlation(case, original, released)
            case cases.Regression():
                return regression(case, original, released)
            case cases.EntropyRatio():
                return entropy_ratio(case, self.entropy_columns(case), self.keys, at_start, original, released)
            case cases.Classifier():
                return classifier(case, original, released, self.subkey)
            case cases.Python():
                return python(case, original, released, self.folder)
        assert_never(case)


def broken(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The use cases whose conclusion does not stay."""
    return tuple(outcome.use_case for outcome in outcomes if not outcome.passed)


def verdicts(outcomes: Sequence[Outcome]) -> Mapping[str, bool]:
    """Each use case, and whether it passes."""
    return {outcome.use_case: outcome.passed for outcome in outcomes}
