"""What the scores of a human intruder test are made of: counts, shares with their bounds, words. They name nobody."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from incrowd.attack.value import Rate
from incrowd.intruder_test.interval import interval

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
    luck: Luck | None = None  # of a band, a team, a stratum

    @staticmethod
    def of(
        label: str, verdicts: Sequence[str], confidences: Sequence[int], who: Sequence[Hashable] | None = None
    ) -> ScoreLine:
        """Count the judged claims of a group. `who` made each of them; left out, they count as independent."""
        correct, partial, wrong = (verdicts.count(word) for word in ("correct", "partial", "wrong"))
        rate = Rate(correct, len(verdicts))
        ends = (rate.low, rate.high)
        if who is not None and verdicts:
            ends = interval([verdict == "correct" for verdict in verdicts], who)
        stated = sum(confidences) / len(confidences) / 100 if confidences else None
        return ScoreLine(label, len(verdicts), correct, partial, wrong, stated, *ends)


@dataclass(frozen=True)
class TakenBack:
    """Claims that were withdrawn, by the truth alone. They are in no share, but what the file told stays told."""

    claims: int = 0
    sure: int = 0  # what would be a sure find if it stood
    unsure: int = 0  # right all the same
    others: int = 0  # not right, or about somebody whom the truth does not know

    @property
    def right(self) -> int:
        """Those that are right."""
        return self.sure + self.unsure

    @property
    def words(self) -> str:
        """In words."""
        return f"Claims that were taken back: {self.claims}, of them right {self.right}, right and sure {self.sure}."


@dataclass(frozen=True)
class Used:
    """How often the judged claims that were right, and the others, relied on a variable or on a kind of source."""

    name: str
    correct: int
    others: int
    sure: int  # of the claims with a confidence above SURE


@dataclass(frozen=True)
class TeamScore:
    """What the intruders of one team found: those who are told the same."""

    name: str
    scenario: str
    all_in_file: bool  # they know that everybody on their cards is in the file: response knowledge
    took_part: int
    line: ScoreLine
    sure_finds: int


@dataclass(frozen=True)
class Effort:
    """What claims took, in minutes and searches. A median is None where nothing is known to take it of."""

    timed: int  # claims of people who accepted the rules: those whose time is known
    to_claim: float | None  # median, from the rules being accepted until the claim was written as it stands
    to_right: float | None  # until the first right claim, of whoever was quickest
    said: int  # claims whose intruder says how long they took
    minutes: float | None  # median of what they say
    searches: float | None  # median, of the intruder since their claim before


@dataclass(frozen=True)
class Judging:
    """How the claims were judged by people, beside the truth."""

    by_two: int  # claims that two different people judged
    by_one: int
    by_nobody: int
    agreed: int  # of those by two
    disputed: int
    wrong_reason: int  # right claims of which all who judged them say that the reason is wrong
    learned: int  # claims of which a judge says that something true was learned without finding the record
    set_aside: int  # right and sure claims that are no finding, for two people say that their reason is wrong


@dataclass(frozen=True)
class FoundClaim:
    """A claim that a board should hear of, without whom it is about or who made it."""

    verdict: str
    confidence: int
    sure: bool  # a sure find
    by_truth: bool  # the truth decides; otherwise people did
    judges: int  # different people who judged it
    judged: tuple[str, ...]  # what they said, in words
    disputed: bool
    notes: tuple[str, ...]  # of the judges
    used: tuple[str, ...]
    sources: tuple[str, ...]  # their kinds
    of_record: bool = True  # it names the right record; a sure find that does not is of a value that alone is left
    given_away: bool = False  # one record fits, or one value is left: whoever has the file need not guess
