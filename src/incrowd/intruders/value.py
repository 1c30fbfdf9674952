"""What a human intruder test found: counts, shares with their bounds, and words. It names nobody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from incrowd.attack.value import Rate
from incrowd.errors import InputError

#: A chance below this is not luck.
LUCK = 0.05
#: Confidence is put into five bands: from, up to and including (the first begins with 0).
BANDS = ((0, 20), (20, 40), (40, 60), (60, 80), (80, 100))


@dataclass(frozen=True)
class Line:
    """Some of the claims, and how they were judged."""

    label: str
    claims: int
    correct: int
    partial: int
    wrong: int
    stated: float | None = None  # mean confidence, 0 to 1
    low: float = 0.0
    high: float = 1.0

    @staticmethod
    def of(label: str, verdicts: list[str], confidences: list[int]) -> Line:
        """Count the judged claims of a group."""
        counted = {word: verdicts.count(word) for word in ("correct", "partial", "wrong")}
        rate = Rate(counted["correct"], len(verdicts))
        stated = sum(confidences) / len(confidences) / 100 if confidences else None
        return Line(label, len(verdicts), **counted, stated=stated, low=rate.low, high=rate.high)


@dataclass(frozen=True)
class Used:
    """How often the judged claims that were right, and the others, relied on a variable."""

    variable: str
    correct: int
    others: int
    sure: int  # of the claims with a confidence above 60


@dataclass(frozen=True)
class Scores:
    """A human intruder test, counted. Intruders are numbered, not named; no claim and no target is in it."""

    title: str
    release_sha256: str
    records: int
    scenario: str
    judged_on: str  # a date
    intruders: int  # invited
    took_part: int  # accepted the rules
    hours: float
    targets: int  # cards of people in the release
    decoys: int  # cards of people who are not
    decoy_note: str
    claims: int
    undecided: int
    total: Line  # all judged claims
    worst_case: float  # the upper bound if every undecided claim were right
    by_chance: float | None  # how often a blind guess would have been right
    by_fit: float | None  # how often a guess among the records that fit the card would have been right
    luck: float | None  # the chance that such guesses are right at least as often as the claims were
    brier: float | None
    brier_reference: float | None  # of somebody who always states the share that is right
    targets_identified: int  # by at least one intruder
    target_pairs: tuple[int, int]  # (intruder, target in the release) with a claim on a record; all such pairs
    decoy_pairs: tuple[int, int]  # (intruder, decoy) with a claim on a record; all such pairs
    decoy_attributes: tuple[int, int]  # claims on attributes of decoys: right, all
    by_kind: tuple[Line, ...]  # claims of a record, claims of a value only
    bands: tuple[Line, ...]
    by_intruder: tuple[Line, ...]
    by: str  # the key that by_region is about
    by_region: tuple[Line, ...]
    by_variable: tuple[Used, ...]
    advice: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def beyond_luck(self) -> bool:
        """Whether more claims were right than guessing explains."""
        return self.luck is not None and self.luck < LUCK

    @property
    def upper(self) -> float:
        """The upper end of the interval of the share that is right, undecided claims counted as right."""
        return max(self.total.high, self.worst_case) if self.claims else 1.0

    @property
    def public(self) -> str:
        """The one sentence that may be said in public."""
        who = f"{self.took_part} {'person' if self.took_part == 1 else 'people'}"
        if not self.claims:
            return f"{who} tried to find somebody in this file and claimed nothing, which bounds no risk."
        right = f"{self.total.correct} of {self.claims} claims {'was' if self.total.correct == 1 else 'were'} right"
        open_ = f" and {self.undecided} could not be decided" if self.undecided else ""
        return (
            f"{who} tried to find somebody in this file: {right}{open_}; at 95% confidence at most "
            f"{self.upper:.1%} of such claims are."
        )


@dataclass(frozen=True)
class Tested:
    """A test that a plan names, and whether it was made on the release that was written."""

    scores: Scores
    same_release: bool


@dataclass(frozen=True)
class Compared:
    """Two tests of one release, one after the other."""

    before: Scores
    after: Scores
    chance: float | None  # that shares at least as different come from the same intruders' luck (Fisher's exact test)
    sentences: tuple[str, ...] = field(default_factory=tuple)


def dump_scores(scores: Scores, more: Mapping[str, object] | None = None) -> str:
    """As JSON."""
    return json.dumps({**asdict(scores), **(more or {})}, indent=1)


def load_scores(text: str, place: str) -> Scores:
    """From JSON; `place` is named when it is not what `score --json` writes."""
    try:
        return TypeAdapter(Scores).validate_json(text)
    except ValidationError:
        hint = "Make it with: incrowd intruder-test score test.db --json > scores.json"
        raise InputError("D224", f"{place} does not hold the scores of an intruder test.", hint) from None


def read_tested(path: Path, sha256: str) -> Tested:
    """The scores that a plan names, beside the hash of the release that was just written."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError("D224", f"{path.name} does not hold the scores of an intruder test.") from None
    scores = load_scores(text, path.name)
    return Tested(scores, scores.release_sha256 == sha256)
