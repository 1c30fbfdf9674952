"""Is a claim right? Judged by the truth where it is known, by the custodian where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.intruder_test.claims import Claim

CORRECT, PARTIAL, WRONG = "correct", "partial", "wrong"
VERDICTS = (CORRECT, PARTIAL, WRONG)  # the gravest first
#: What a judge may say of a claim. WRONG is one, too.
RIGHT, WRONG_REASON, LEARNED = "right", "wrong reason", "learned"
#: In words, and the verdict that each comes to where the truth does not know.
JUDGMENTS = {
    RIGHT: ("right, and the reasoning holds", CORRECT),
    LEARNED: ("something true was learned, without finding the record", PARTIAL),
    WRONG_REASON: ("right, but for a wrong reason", CORRECT),
    WRONG: ("wrong", WRONG),
}

#: Who judges by a file.
BY_FILE = "the custodian, by file"

Record = Sequence[str | None]


@dataclass(frozen=True)
class Truth:
    """Who a target is."""

    decoy: str  # empty for a person in the release
    guess: float
    records: tuple[int, ...]
    values: Mapping[str, str | None]
    fits: int = 1  # how many released records fit the card
    seen: Mapping[str, str | None] = field(default_factory=dict)  # the card at the release's categories
    stratum: str = ""  # how rare the person is: see cards.STRATA


@dataclass(frozen=True)
class Judgment:
    """What one judge says of a claim as it stands."""

    judge: str
    judgment: str  # of JUDGMENTS
    note: str = ""


@dataclass(frozen=True)
class Settled:
    """What the truth and the judges together make of a claim."""

    verdict: str | None  # None while nobody has decided
    reasoned: bool | None = None  # of a right claim, whether its reasoning holds; None while no judge has said
    disputed: bool = False  # the judges do not agree


def judges(said: Sequence[Judgment]) -> int:
    """How many different people judged: a name that is only written otherwise is the same person.

    Nobody knows who wrote a file, so it makes one judge and never the second.

    >>> judges([Judgment("Ann Lee", "right"), Judgment("ann  lee ", "right"), Judgment(BY_FILE, "right")])
    1
    """
    names = {" ".join(each.judge.casefold().split()) for each in said} - {BY_FILE}
    return len(names) or min(len(said), 1)


def open_to(verdict: str | None, value_only: bool = False) -> tuple[str, ...]:
    """What judges may still say: nothing against the truth. `verdict` is what it says, None where it does not know.

    Without a record a true value is a right claim, and all that can be learned.
    """
    if verdict is None:
        return tuple(JUDGMENTS)
    if verdict == CORRECT:
        return (LEARNED, WRONG_REASON) if value_only else (RIGHT, WRONG_REASON)
    return (LEARNED, WRONG) if verdict == PARTIAL else (WRONG,)


def settle(verdict: str | None, said: Sequence[Judgment], value_only: bool = False) -> Settled:
    """The truth stands above the judges. Where they do not agree, the gravest of what they say counts, and it is told.

    A claim has a wrong reason only when all who judged it say so.
    """
    found = {each.judgment for each in said}
    if not found:
        return Settled(verdict)
    if verdict is None:
        meant = {CORRECT if value_only and one == LEARNED else JUDGMENTS[one][1] for one in found}
        verdict = next(one for one in VERDICTS if one in meant)
    return Settled(verdict, found != {WRONG_REASON} if verdict == CORRECT else None, len(found) > 1)


def judge(claim: Claim, truth: Truth | None, records: Mapping[int, Record], keys: Sequence[int]) -> str | None:
    """The verdict on a claim, or None where only the custodian can tell.

    correct: the target's own record, whatever value is claimed beside it; or, without a record, the true value of an
    attribute.
    partial: another record of the target's class, or the true value beside a wrong record; the true value of a decoy,
    who is not in the file.
    wrong: everything else that the truth decides.

    `records` holds the claimed and the true records by number, `keys` the places of the keys in them.
    """
    if truth is None:
        return None
    if claim.record is None:
        if claim.attribute not in truth.values and not truth.decoy:
            return None  # the truth has no such variable
        if not true_value(claim, truth):
            return WRONG
        return PARTIAL if truth.decoy else CORRECT
    if right_record(claim, truth):
        return CORRECT
    claimed = _class(records.get(claim.record), keys)
    same_class = claimed is not None and any(claimed == _class(records.get(n), keys) for n in truth.records)
    return PARTIAL if same_class or true_value(claim, truth) else WRONG


def right_record(claim: Claim, truth: Truth) -> bool:
    """Whether the claim names the target's own record: who is found is found, even if a value beside it is wrong."""
    return claim.record in truth.records


def true_value(claim: Claim, truth: Truth) -> bool:
    """Whether the claim gives a true value of the target."""
    name = claim.attribute
    return name is not None and name in truth.values and plain(claim.value) == plain(truth.values[name])


def plain(value: str | None) -> str:
    """A value as it is meant, however it is typed: `Y` is `y`, and 1.0 is 1."""
    text = (value or "").strip().casefold()
    try:
        return f"{float(text) + 0.0:.17g}"  # minus zero is zero
    except ValueError:
        return text


def _class(record: Record | None, keys: Sequence[int]) -> tuple[str | None, ...] | None:
    return None if record is None else tuple(record[key] for key in keys)
