"""Is it luck? What somebody without the file would have got right, beside what the intruders did.

Who has the file and takes the only record that fits is always right. That is no luck, it is what the file gives away.
So luck is a guess *without* the file: any record for a person, the most frequent value for a variable. What the classes
give, a guess among the records that fit the card, stands beside it and excuses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.score_parts import Luck
from incrowd.intruder_test.verdicts import CORRECT, Truth, judges, plain, right_record, true_value


@dataclass(frozen=True)
class Try:
    """One thing that was claimed, by one guess or by several different ones, and whether one of them is true.

    What somebody says twice is said once, and so is a value that several people give: without the file all of them
    name the most frequent one, and are right together or wrong together.
    """

    right: bool
    blind: float  # how likely a guess without the file is right
    fitting: float  # how likely a guess among the records that fit the card is


def luck_of(done: Sequence[Judged], material: Material) -> Luck | None:
    """How many different things were right, and how likely that is by guessing; None without a claim."""
    if not done:
        return None
    tries = list(_tries(done, material))
    right = sum(each.right for each in tries)
    blind, fitting = [each.blind for each in tries], [each.fitting for each in tries]
    return Luck(len(tries), right, sum(blind), at_least(right, blind), at_least(right, fitting))


def at_least(right: int, chances: Sequence[float]) -> float:
    """How likely are so many successes in independent tries with these chances? (Poisson binomial, exactly.)

    >>> at_least(1, [0.5, 0.5]), at_least(0, [0.1]), round(at_least(2, [1 / 9, 1 / 9]), 4)
    (0.75, 1.0, 0.0123)
    """
    shares = [1.0] + [0.0] * len(chances)  # of so many successes so far
    for chance in chances:
        for many in range(len(chances), 0, -1):
            shares[many] = shares[many] * (1 - chance) + shares[many - 1] * chance
        shares[0] *= 1 - chance
    return min(1.0, sum(shares[right:]))


def blind(each: Judged, material: Material) -> float:
    """How often a claim like this is right without the file."""
    truth = material.truths.get(each.claim.target or 0)
    if truth is not None and truth.decoy:
        return 0.0
    if each.claim.record is None:
        return _best(material, 0, each.claim.attribute, 1)
    return (1 if truth is None else len(truth.records)) / max(material.facts.records, 1)


def fitting(each: Judged, material: Material) -> float:
    """How often a claim like this is right for somebody who takes any record that fits the card."""
    truth = material.truths.get(each.claim.target or 0)
    if truth is None or truth.decoy:
        return blind(each, material)
    if each.claim.record is None:
        return _best(material, each.claim.target or 0, each.claim.attribute, 1)
    return truth.guess


def _tries(done: Sequence[Judged], material: Material) -> Iterator[Try]:
    """What the claims say: whose a record is, and what value somebody has. A claim may say both.

    A decoy is in no record, so a claim about one is never right, with the file or without it.
    """
    records: dict[tuple[int, int], set[int]] = {}
    values: dict[tuple[int, str], set[str | None]] = {}
    for each in done:
        claim, truth = each.claim, material.truths.get(each.claim.target or 0)
        if truth is None or (claim.record is None and claim.attribute not in truth.values):
            if truth is None or not truth.decoy:  # the custodian judged it, as a whole
                yield Try(each.verdict == CORRECT, blind(each, material), fitting(each, material))
            continue
        if truth.decoy:
            continue
        if claim.record is not None:
            records.setdefault((each.intruder, claim.target or 0), set()).add(claim.record)
        if claim.attribute is not None and claim.attribute in truth.values:
            values.setdefault((claim.target or 0, claim.attribute), set()).add(plain(claim.value))
    for (_, target), guesses in records.items():
        truth, many = material.truths[target], len(guesses)
        chance = many * len(truth.records) / max(material.facts.records, 1)
        right = any(number in truth.records for number in guesses)
        yield Try(right, min(chance, 1.0), min(many * truth.guess, 1.0))
    for (target, name), said in values.items():
        right = plain(material.truths[target].values[name]) in said
        yield Try(right, _best(material, 0, name, len(said)), _best(material, target, name, len(said)))


def _best(material: Material, card: int, name: str | None, many: int) -> float:
    """How likely one of so many values is true, when the most frequent ones are named."""
    return min(sum(material.shares.get((card, name or ""), ())[:many]), 1.0)


def sure_find(each: Judged, material: Material, sure: int) -> bool:
    """Whether somebody in the file was found, or a value of theirs of which the file leaves no doubt, by somebody who
    was sure of it and had a reason that holds.

    Where the truth is not known, the verdict of the judges on a claim of a record says so. A reason holds until two
    people say that it does not, and nobody says that it does: one person alone cannot take a finding away.
    """
    return _right_and_sure(each, material, sure) and not set_aside(each, material, sure)


def set_aside(each: Judged, material: Material, sure: int) -> bool:
    """Whether a right and sure claim is no finding by itself, for two people say that its reason is wrong."""
    wrong = each.reasoned is False and judges(each.judgments) > 1
    return wrong and _right_and_sure(each, material, sure)


def _right_and_sure(each: Judged, material: Material, sure: int) -> bool:
    return each.claim.confidence > sure and (finds_record(each, material) or only_value(each, material))


def finds_record(each: Judged, material: Material) -> bool:
    """Whether a claim names the own record of somebody in the file."""
    claim, truth = each.claim, material.truths.get(each.claim.target or 0)
    if claim.record is None:
        return False
    return each.verdict == CORRECT if truth is None else right_record(claim, truth)


def only_value(each: Judged, material: Material) -> bool:
    """Whether a claim gives a true value that all records have that fit the card: the file says it of the person, and
    nobody need know which record is theirs. What the card tells is no claim.
    """
    claim, card = each.claim, each.claim.target or 0
    there = (card, claim.attribute or "")
    return (
        learned(each, material.truths.get(card))
        and there in material.left
        and plain(claim.value) == plain(material.left[there])
    )


def given_away(each: Judged, material: Material) -> bool:
    """Whether whoever has the file need not guess what a right claim says: one record fits, or one value is left."""
    truth = material.truths.get(each.claim.target or 0)
    found = truth is not None and truth.guess >= 1 and finds_record(each, material)
    return found or only_value(each, material)


def learned(each: Judged, truth: Truth | None) -> bool:
    """Whether a claim gives a true value of somebody in the file, with whatever record beside it."""
    return truth is not None and not truth.decoy and true_value(each.claim, truth)
