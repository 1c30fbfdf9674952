"""What a human intruder test found: counts, shares with their bounds, and words. It names nobody."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from incrowd.attack.value import Rate
from incrowd.errors import InputError
from incrowd.machine.paths import must_be_file

#: A chance below this is not luck.
LUCK = 0.05
#: Confidence above which somebody is sure.
SURE = 60
#: Confidence is put into five bands: from, up to and including (the first begins with 0).
BANDS = ((0, 20), (20, 40), (40, 60), (60, 80), (80, 100))


@dataclass(frozen=True)
class Luck:
    """How many different things were claimed and right, and how likely that is by guessing, in two ways.

    Luck is what somebody without the file has. A guess among the records that fit a card needs the file: it says
    whether its classes alone gave the right answers away, not whether they are harmless.
    """

    tries: int  # whose a record is, or what value somebody has
    right: int
    expected: float  # of them, without the file
    chance: float  # of at least as many without the file
    fitting: float  # of at least as many by guessing among the records that fit the card


@dataclass(frozen=True)
class ScoreLine:
    """Some of the claims, and how they were judged."""

    label: str
    claims: int
    correct: int
    partial: int
    wrong: int
    stated: float | None = None  # mean confidence, 0 to 1
    low: float = 0.0
    high: float = 1.0
    luck: Luck | None = None  # of a band

    @staticmethod
    def of(label: str, verdicts: list[str], confidences: list[int]) -> ScoreLine:
        """Count the judged claims of a group."""
        correct, partial, wrong = (verdicts.count(word) for word in ("correct", "partial", "wrong"))
        rate = Rate(correct, len(verdicts))
        stated = sum(confidences) / len(confidences) / 100 if confidences else None
        return ScoreLine(label, len(verdicts), correct, partial, wrong, stated=stated, low=rate.low, high=rate.high)


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
    total: ScoreLine  # all judged claims
    worst_case: float  # the upper bound if every undecided claim were right
    by_chance: float | None  # how often a guess without the file would have been right
    by_fit: float | None  # how often a guess among the records that fit the card would have been right
    luck: Luck | None  # of all judged claims
    sure_finds: int  # right claims on a record with a confidence above SURE: each of them is a finding
    brier: float | None
    brier_reference: float | None  # of somebody who always states the share that is right
    targets_identified: int  # by at least one intruder: a right claim on a record
    target_pairs: tuple[int, int]  # (intruder, target in the release) with a claim on a record; all such pairs
    decoy_pairs: tuple[int, int]  # (intruder, decoy that fits a record) with a claim on a record; all such pairs
    decoy_attributes: tuple[int, int]  # claims on attributes of decoys: right, all
    by_kind: tuple[ScoreLine, ...]  # claims of a record, claims of a value only
    bands: tuple[ScoreLine, ...]
    by_intruder: tuple[ScoreLine, ...]
    by: str  # the key that by_region is about
    by_region: tuple[ScoreLine, ...]
    by_variable: tuple[Used, ...]
    advice: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    most_sure: ScoreLine | None = None  # the most confident band with claims
    values_learned: int = 0  # (target in the release, variable) of true values, with or without a record
    decoys_fitting: int = 0  # decoys whose card fits a released record: only they can be taken for somebody there

    @property
    def finding(self) -> bool:
        """Whether the file let somebody be found, or something be learned: by more than luck, or by one sure find."""
        return self.sure_finds > 0 or self.beyond_luck

    @property
    def beyond_luck(self) -> bool:
        """Whether more was right than somebody without the file explains: of all claims, or in a band of confidence."""
        return self.beyond is not None

    @property
    def beyond(self) -> ScoreLine | None:
        """The claims that luck explains least, all or those of a band, if it does not explain them.

        Wild guesses beside them do not make sure hits luck.
        """
        return beyond((replace(self.total, luck=self.luck), *self.bands))

    @property
    def beyond_classes(self) -> bool:
        """Whether more was right than the classes of the file explain, in the claims that luck explains least."""
        line = self.beyond
        return line is not None and line.luck is not None and line.luck.fitting < LUCK

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


def beyond(lines: Sequence[ScoreLine]) -> ScoreLine | None:
    """Of all claims and of those in each band, the line that luck explains least; None where it explains all.

    Bonferroni: the chance counts as many times as there are different lines with claims. Where all claims are in one
    band, the two are one.
    """
    looks = {(line.claims, line.luck): line for line in reversed(lines) if line.claims and line.luck is not None}
    found = [line for line in looks.values() if line.luck and line.luck.right and line.luck.chance * len(looks) < LUCK]
    return min(found, key=lambda line: line.luck.chance if line.luck else 1.0) if found else None


def dump_scores(scores: Scores, more: Mapping[str, object] | None = None) -> str:
    """As JSON."""
    return json.dumps({**asdict(scores), **(more or {})}, indent=1)


def load_scores(text: str, place: str) -> Scores:
    """From JSON; `place` is named when it is not what `score --json` writes."""
    try:
        scores = TypeAdapter(Scores).validate_json(text)
        if not _finite(asdict(scores)):
            raise ValueError
        return scores
    except ValueError:  # pydantic's is one
        hint = "Make it with: incrowd intruder-test score test.db --json > scores.json"
        raise InputError("D224", f"{place} does not hold the scores of an intruder test.", hint) from None


def _finite(value: object) -> bool:
    """Whether no number in it is NaN or infinite: a comparison with those says nothing, or yes to everything."""
    if isinstance(value, Mapping):
        return all(_finite(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return all(_finite(each) for each in value)
    return not isinstance(value, float) or math.isfinite(value)


def read_tested(path: Path, sha256: str) -> Tested:
    """The scores that a plan names, beside the hash of the release that was just written."""
    must_be_file(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError("D224", f"{path.name} does not hold the scores of an intruder test.") from None
    scores = load_scores(text, path.name)
    return Tested(scores, scores.release_sha256 == sha256)
