"""What a judge must see of a claim, in words: the claim, its card, its record, the truth, and what judges say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from incrowd.intruder_test import schema
from incrowd.intruder_test.cards import WORDS
from incrowd.intruder_test.custodian import Judged, Material, material
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.sources import KINDS
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.verdicts import Judgment, Record, open_to

#: (what it is, what it says), both in words.
Told = tuple[str, str]


@dataclass(frozen=True)
class TrueRecord:
    """A record of the release that is the target's own."""

    number: int
    values: tuple[Told, ...]


@dataclass(frozen=True)
class ToldTruth:
    """What the truth says of the target of a claim."""

    decoy: str  # where the decoy comes from, in words; empty for somebody in the release
    stratum: str  # how rare the person is: see cards.STRATA
    records: tuple[TrueRecord, ...]
    value: str | None  # the true value of the claimed variable, in words; None where none is claimed or known


@dataclass(frozen=True)
class ToldClaim:
    """A claim that stands. Whose it is, is a number: names are for custodians, and not here."""

    number: int
    intruder: int
    team: str
    about: str  # "target 3", "A, whom the intruder knows", or the intruder's own words
    target: int | None
    card: tuple[Told, ...]  # as it was shown
    known_to_be: str  # of somebody the intruder knows: "in" or "out" as a custodian answered; otherwise empty
    record: int | None
    released: tuple[Told, ...]  # the claimed record as it is released
    attribute: str | None
    value: str | None  # the claimed value, in words
    confidence: int
    kinds: tuple[str, ...]
    sources: str
    link: str
    minutes: int | None  # as the intruder says
    used: tuple[str, ...]
    reasoning: str
    filed: int
    changed: int
    after: int | None  # seconds from accepting the rules until it was filed
    truth: ToldTruth | None  # None where the truth does not know the person
    known: str | None  # the verdict of the truth alone; None where it does not know
    verdict: str | None  # of truth and judges together
    reasoned: bool | None
    judgments: tuple[Judgment, ...]
    disputed: bool
    choices: tuple[str, ...]  # what a judge may say of it
    outdated: tuple[str, ...]  # judges who judged it before it was changed: they must judge it anew

    @property
    def said(self) -> str:
        """Whose claim it is, without a name."""
        return f"intruder {self.intruder}"


def read_claims(store: Store, found: Material | None = None) -> tuple[ToldClaim, ...]:
    """Every claim that stands, in the order in which they were filed. What only repeats a card is no claim.

    `found` is what was read of the store already, where it was.
    """
    found = found or material(store)
    with store.reading() as connection:
        people = {row.id: row for row in connection.execute(select(schema.intruder))}
        shown = {row.id: json.loads(row.shown) for row in connection.execute(select(schema.target))}
        strata = {row.target: str(row.stratum) for row in connection.execute(select(schema.truth_target))}
        friends = {row.id: row for row in connection.execute(select(schema.acquaintance))}
        judged: dict[int, list[tuple[str, int]]] = {}
        for row in connection.execute(select(schema.truth_judgment).order_by(schema.truth_judgment.c.judge)):
            judged.setdefault(row.claim, []).append((row.judge, row.changed))
    told = []
    for one in found.judged:
        claim, who, facts = one.claim, people[one.intruder], found.facts
        friend = friends.get(claim.acquaintance or 0)
        about = claim.who if friend is None else f"{friend.mark}, whom the intruder knows"
        old = tuple(judge for judge, changed in judged.get(claim.id, ()) if changed != claim.changed)
        told.append(
            ToldClaim(
                claim.id, one.intruder, facts.teams[who.team].name,
                about if claim.target is None else f"target {claim.target}", claim.target,
                _card(facts, shown.get(claim.target or 0, ())),
                "" if friend is None else friend.answer or "",
                claim.record, _record(facts, found.records, claim.record),
                claim.attribute, value_in_words(facts, claim.attribute, claim.value), claim.confidence,
                tuple(kind_in_words(kind) for kind in claim.kinds), claim.sources, claim.link, claim.minutes,
                claim.used, claim.reasoning,
                claim.filed, claim.changed, None if who.started is None else claim.filed - who.started,
                _truth(found, one, strata), one.known, one.verdict, one.reasoned, one.judgments, one.disputed,
                open_to(one.known, claim.record is None), old,
            )
        )  # fmt: skip
    return tuple(told)


def kind_in_words(kind: str) -> str:
    """A kind of source as somebody reads it, without what the form says beside it."""
    return KINDS.get(kind, kind).partition(" (")[0]


def value_in_words(facts: Facts, name: str | None, value: str | None) -> str | None:
    """A value of the release as somebody reads it."""
    place = facts.column(name)
    return value if place is None or value is None else facts.columns[place].said(value)


def _card(facts: Facts, shown: Sequence[tuple[str, str | None]]) -> tuple[Told, ...]:
    return tuple((facts.meaning(name) or name, facts.said(name, value)) for name, value in shown)


def _record(facts: Facts, records: Mapping[int, Record], number: int | None) -> tuple[Told, ...]:
    values = records.get(number or 0, ())
    return tuple(
        (facts.meaning(column.name) or column.name, column.said(value))
        for column, value in zip(facts.columns, values, strict=bool(values))
    )


def _truth(found: Material, one: Judged, strata: Mapping[int, str]) -> ToldTruth | None:
    target, facts = one.claim.target or 0, found.facts
    truth = found.truths.get(target)
    if truth is None:
        return None
    name = one.claim.attribute
    known = name is not None and name in truth.values
    value = value_in_words(facts, name, truth.values[name]) or "(empty)" if known and name is not None else None
    records = tuple(TrueRecord(number, _record(facts, found.records, number)) for number in truth.records)
    return ToldTruth(WORDS.get(truth.decoy, truth.decoy), strata.get(target, ""), records, value)
