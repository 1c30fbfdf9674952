"""Is a claim right? Judged by the truth where it is known, by the custodian where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.intruders.desk import Claim

CORRECT, PARTIAL, WRONG = "correct", "partial", "wrong"
VERDICTS = (CORRECT, PARTIAL, WRONG)

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


def judge(claim: Claim, truth: Truth | None, records: Mapping[int, Record], keys: Sequence[int]) -> str | None:
    """The verdict on a claim, or None where only the custodian can tell.

    correct: the target's own record; or, without a record, the true value of an attribute.
    partial: another record of the target's class, or the true value beside a wrong record; the true value of a decoy,
    who is not in the file; the right record with a wrong value.
    wrong: everything else that the truth decides.

    `records` holds the claimed and the true records by number, `keys` the places of the keys in them.
    """
    if truth is None:
        return None
    known = claim.attribute is not None and claim.attribute in truth.values
    value_right = known and _same(claim.value, truth.values[claim.attribute or ""])
    if claim.record is None:
        if not known and not truth.decoy:
            return None  # the truth has no such variable
        if not value_right:
            return WRONG
        return PARTIAL if truth.decoy else CORRECT
    if claim.record in truth.records:
        return PARTIAL if known and not value_right else CORRECT
    claimed = _class(records.get(claim.record), keys)
    same_class = claimed is not None and any(claimed == _class(records.get(n), keys) for n in truth.records)
    return PARTIAL if same_class or value_right else WRONG


def _class(record: Record | None, keys: Sequence[int]) -> tuple[str | None, ...] | None:
    return None if record is None else tuple(record[key] for key in keys)


def _same(claimed: str | None, true: str | None) -> bool:
    """Whether a value is meant, however it is typed."""
    one, other = (claimed or "").strip(), (true or "").strip()
    if one.casefold() == other.casefold():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False
