"""Is a claim right? Judged by the truth where it is known, by the custodian where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.intruder_test.desk import Claim

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
