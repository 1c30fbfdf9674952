"""What a human intruder test found: counts, shares with their bounds, and words. It names nobody."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from incrowd.errors import Fault, InputError, PlanError
from incrowd.intruder_test.adding_up import not_adding_up
from incrowd.intruder_test.score_parts import (
    LUCK,
    Effort,
    FoundClaim,
    Judging,
    Luck,
    ScoreLine,
    TakenBack,
    TeamScore,
    Used,
)
from incrowd.machine.paths import must_be_file


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
    sure_finds: int  # right, reasoned claims above SURE, of a record or of the only value left: each is a finding
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
    taken_back: TakenBack = field(default_factory=TakenBack)  # in no share, and a finding where right and sure
    by_team: tuple[TeamScore, ...] = ()
    by_stratum: tuple[ScoreLine, ...] = ()  # how rare those on the cards are in the original
    by_source: tuple[Used, ...] = ()
    effort: Effort | None = None
    judging: Judging | None = None
    findings: tuple[FoundClaim, ...] = ()  # the claims to read of, the gravest first
    round: int = 1
    earlier: str = ""  # the SHA-256 of the release of the round before
    dry_run: bool = False  # played, to practise: it tells nothing about a release

    @property
    def finding(self) -> bool:
        """Whether the file let somebody be found, or something be learned: by more than luck, or by one sure find.

        A find that was taken back is one: nobody knows less of a person for having been asked to withdraw.
        """
        return self.sure_finds > 0 or self.taken_back.sure > 0 or self.beyond_luck

    @property
    def sure_values(self) -> int:
        """How many of the sure finds are of a value, without the right record."""
        return sum(each.sure and not each.of_record for each in self.findings)

    @property
    def given_away(self) -> int:
        """How many right claims need no guess with the file: one record fits, or one value is left."""
        return sum(each.given_away for each in self.findings)

    @property
    def beyond_luck(self) -> bool:
        """Whether more was right than somebody without the file explains: of all claims, or in a band of confidence."""
        return self.beyond is not None

    @property
    def beyond(self) -> ScoreLine | None:
        """The claims that luck explains least, all or those of a band or a team, if it does not explain them.

        Wild guesses beside them do not make sure hits luck.
        """
        teams = tuple(team.line for team in self.by_team)
        return beyond((replace(self.total, luck=self.luck), *self.bands, *teams))

    @property
    def beyond_where(self) -> str:
        """Whose claims these are, in words; empty where it is all of them."""
        line = self.beyond
        if line is None or line.luck == self.luck:
            return ""
        of_team = line in [team.line for team in self.by_team]
        return f"of team {line.label}" if of_team else f"with a confidence of {line.label}"

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
        if self.dry_run:
            return "A dry run was held, to practise, which says nothing about this file."
        back = self.taken_back
        if not self.claims:
            did = f"withdrew all {back.claims} claims, {back.right} of them right" if back.claims else "claimed nothing"
            return f"{who} tried to find somebody in this file and {did}, which bounds no risk."
        right = f"{self.total.correct} of {self.claims} claims {'was' if self.total.correct == 1 else 'were'} right"
        open_ = f" and {self.undecided} could not be decided" if self.undecided else ""
        gone = f", beside {back.right} right of {back.claims} that were withdrawn" if back.right else ""
        return (
            f"{who} tried to find somebody in this file: {right}{open_}{gone}; at 95% confidence at most "
            f"{self.upper:.1%} of such claims are."
        )


@dataclass(frozen=True)
class Tested:
    """A test that a plan names, whether it was made on the release that was written, and the rounds before it."""

    scores: Scores
    same_release: bool
    before: tuple[Scores, ...] = ()


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
    """From JSON; `place` is named when it is not what `score --json` writes, or does not add up."""
    try:
        scores = TypeAdapter(Scores).validate_json(text)
    except ValueError:  # pydantic's is one
        hint = "Make it with: incrowd intruder-test score test.db --json > scores.json"
        raise InputError("D224", f"{place} does not hold the scores of an intruder test.", hint) from None
    if fault := not_adding_up(scores):
        message = f"the scores in {place} do not add up: {fault}."
        raise InputError("D224", message, "They were changed, or are of another version: score the test again.")
    return scores


def read_tested(paths: Sequence[Path], sha256: str) -> Tested:
    """The scores that a plan names, round by round, beside the hash of the release that was just written.

    The last round is the one that counts. Scores of a dry run never do.
    """
    rounds = [_read(path) for path in paths]
    last = rounds[-1]
    return Tested(last, last.release_sha256 == sha256, tuple(rounds[:-1]))


def _read(path: Path) -> Scores:
    must_be_file(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError("D224", f"{path.name} does not hold the scores of an intruder test.") from None
    scores = load_scores(text, path.name)
    if scores.dry_run:
        message = f"{path.name} holds the scores of a dry run, which was played to practise."
        hint = "Name the scores of a test of this release, or none."
        raise PlanError([Fault("P121", "intruder_test", message, hint)])
    return scores
