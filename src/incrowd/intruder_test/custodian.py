"""What only the custodian can do: read the truth and the claims, invite again, keep scores."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, delete, func, insert, select, update

from incrowd.errors import InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test.browse import could_be
from incrowd.intruder_test.claims import Claim, read_claim, told_by
from incrowd.intruder_test.erasing import BY_DATE, erase
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.likeness import parse_looks
from incrowd.intruder_test.protocol import day
from incrowd.intruder_test.store import Store, said
from incrowd.intruder_test.tokens import hashed, new_token
from incrowd.intruder_test.value import Scores, dump_scores, load_scores
from incrowd.intruder_test.verdicts import Judgment, Record, Truth, judge, settle

#: What an intruder's search is called in the log.
SEARCHES = ("search",)


@dataclass(frozen=True)
class Judged:
    """A claim, whose it is, and its verdict; None while nobody has decided."""

    intruder: int
    claim: Claim
    verdict: str | None
    known: str | None = None  # the verdict of the truth alone; None where it does not know
    judgments: tuple[Judgment, ...] = ()
    reasoned: bool | None = None  # of a right claim, whether its reasoning holds; None while no judge has said
    disputed: bool = False  # the judges do not agree


@dataclass(frozen=True)
class Material:
    """All that scoring needs."""

    facts: Facts
    invited: int
    took_part: tuple[int, ...]  # who accepted the rules
    judged: tuple[Judged, ...]  # the claims that stand
    truths: Mapping[int, Truth]
    records: Mapping[int, Record]  # the claimed and the true ones
    shares: Mapping[tuple[int, str], tuple[float, ...]]  # of an attribute's values, by card (0: none); largest first
    decoy_note: str
    released: Mapping[str, frozenset[str | None]] = field(default_factory=dict)  # the values of each key
    repeated: int = 0  # claims that say only what the card says: they are not judged
    taken_back: tuple[Judged, ...] = ()  # what was withdrawn: what the file told stays told
    left: Mapping[tuple[int, str], str | None] = field(default_factory=dict)  # by card, an attribute's only value
    teams: Mapping[int, int] = field(default_factory=dict)  # of each intruder, the place in the facts' teams
    started: Mapping[int, int] = field(default_factory=dict)  # of each who took part, when the rules were accepted
    searches: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # of each intruder, when they searched


@contextmanager
def opened(place: str, clock: Callable[[], float] = time.time, *, due: bool = True) -> Iterator[Store]:
    """The whole store. On its day of deletion, or after, everything about people is erased first, when `due`."""
    store = Store(place, clock=clock)
    try:
        facts = store.facts
        if due and (store.half_erased or (not store.erased and store.now >= facts.delete_on)):
            erase(store, BY_DATE)
        yield store
    finally:
        store.close()


def need_alive(store: Store) -> None:
    """Refuse what needs claims and truth once they are erased."""
    if store.erased:
        message = f"truth and claims of {said(store.place)} were erased; their day was {day(store.facts.delete_on)}."
        raise InputError("D222", message, "Scores that were stored are shown by: incrowd intruder-test score")


def material(store: Store) -> Material:
    """Read everything, and judge every claim."""
    facts = store.facts
    with store.reading() as connection:
        people = connection.execute(select(schema.intruder).order_by(schema.intruder.c.id)).all()
        searches: dict[int, list[int]] = {}
        looks = select(schema.action.c.intruder, schema.action.c.at).where(schema.action.c.what.in_(SEARCHES))
        for row in connection.execute(looks.order_by(schema.action.c.id)):
            searches.setdefault(row.intruder, []).append(row.at)
        told = {
            row.id: told_by(json.loads(row.shown))
            for row in connection.execute(select(schema.target.c.id, schema.target.c.shown))
        }
        every = connection.execute(select(schema.claim).order_by(schema.claim.c.id))
        filed = [(int(row.intruder), read_claim(row._asdict())) for row in every]
        claims = [(who, _without_card(claim, told.get(claim.target or 0, frozenset()))) for who, claim in filed]
        repeated = sum(c.record is None and c.attribute is None and not c.withdrawn for _, c in claims)
        claims = [(who, c) for who, c in claims if c.record is not None or c.attribute is not None]
        said_of: dict[tuple[int, int], list[Judgment]] = {}  # of a claim as it was at a time
        for row in connection.execute(select(schema.truth_judgment).order_by(schema.truth_judgment.c.judge)):
            said_of.setdefault((row.claim, row.changed), []).append(Judgment(row.judge, row.judgment, row.note))
        numbers: dict[int, list[int]] = {}
        for row in connection.execute(select(schema.truth_record)):
            numbers.setdefault(row.target, []).append(row.record)
        values: dict[int, dict[str, str | None]] = {}
        for row in connection.execute(select(schema.truth_value)):
            values.setdefault(row.target, {})[row.name] = row.value
        note = str(values.pop(0, {}).get("decoys", ""))
        truths = {
            row.target: Truth(
                row.decoy,
                row.guess,
                tuple(numbers.get(row.target, ())),
                values.get(row.target, {}),
                row.fits,
                dict(json.loads(row.seen)),
                row.stratum,
            )
            for row in connection.execute(select(schema.truth_target))
        }
        wanted = sorted(
            {c.record for _, c in claims if c.record is not None} | {n for t in truths.values() for n in t.records}
        )
        records: dict[int, Record] = {}
        for start in range(0, len(wanted), 500):
            query = select(store.records).where(store.records.c.number.in_(wanted[start : start + 500]))
            for row in connection.execute(query):
                records[row.number] = [row._mapping[f"c{i}"] for i in range(len(facts.columns))]
        shares: dict[tuple[int, str], tuple[float, ...]] = {}
        left: dict[tuple[int, str], str | None] = {}
        for card, name in {(c.target or 0, c.attribute) for _, c in claims if c.attribute is not None}:
            for number in (0, card):
                fits = number in truths and truths[number].fits
                counts = _values(connection, store, name, number if fits else 0)
                shares[number, name] = tuple(many / sum(counts.values()) for many in counts.values())
                if fits and len(counts) == 1:
                    left[number, name] = next(iter(counts))
        released = {
            column.name: frozenset(connection.execute(select(store.records.c[f"c{i}"]).distinct()).scalars())
            for i, column in enumerate(facts.columns) if column.key
        }  # fmt: skip
    keys = [i for i, column in enumerate(facts.columns) if column.key]
    judged = []
    for who, claim in claims:
        known = judge(claim, truths.get(claim.target or 0), records, keys)
        # Who takes a claim back ends its judging: the truth alone says what was taken back.
        judgments = () if claim.withdrawn else tuple(said_of.get((claim.id, claim.changed), ()))
        found = settle(known, judgments, claim.record is None)
        judged.append(Judged(who, claim, found.verdict, known, judgments, found.reasoned, found.disputed))
    started = {row.id: row.started for row in people if row.started is not None}
    return Material(
        facts, len(people), tuple(started), tuple(each for each in judged if not each.claim.withdrawn), truths, records,
        shares, note, released, repeated, tuple(each for each in judged if each.claim.withdrawn), left,
        {row.id: row.team for row in people}, started, {who: tuple(at) for who, at in searches.items()},
    )  # fmt: skip


def _without_card(claim: Claim, told: frozenset[str]) -> Claim:
    """A claim without what its card says: nobody learned that from the file."""
    return replace(claim, attribute=None, value=None) if claim.attribute in told else claim


def _values(connection: Connection, store: Store, name: str, card: int) -> dict[str | None, int]:
    """How often an attribute has each value among the records that could be a card's person, the commonest first; in
    the whole release without a card (0).
    """
    column = store.records.c[f"c{store.facts.column(name)}"]
    looks = connection.execute(select(schema.target.c.looks).where(schema.target.c.id == card)).scalar_one_or_none()
    query = select(column, func.count()).select_from(store.records).group_by(column)
    query = query.where(*could_be(store.records, store.facts, parse_looks(looks or "[]")))
    found = sorted(connection.execute(query).all(), key=lambda row: -int(row[1]))
    return {row[0]: int(row[1]) for row in found}


def put_judgment(connection: Connection, claim: int, changed: int, said: Judgment, now: int) -> None:
    """Store what a judge says of a claim as it was at `changed`, instead of what the same judge said before."""
    there = schema.truth_judgment
    connection.execute(delete(there).where(there.c.claim == claim, there.c.judge == said.judge))
    values = {"judge": said.judge, "judgment": said.judgment, "note": said.note}
    connection.execute(insert(there).values(claim=claim, changed=changed, at=now, **values))


def invite(store: Store, name: str) -> str:
    """A new link for an intruder. The old link and all sessions end; claims and clock stay."""
    need_alive(store)
    token = new_token()
    with store.writing() as connection:
        who = connection.execute(
            select(schema.intruder.c.id).where(schema.intruder.c.name == name)
        ).scalar_one_or_none()
        if who is None:
            names = connection.execute(select(schema.intruder.c.name).order_by(schema.intruder.c.id)).scalars()
            raise InputError("D226", "nobody of this name is invited.", f"There are: {', '.join(names)}.")
        connection.execute(update(schema.intruder).where(schema.intruder.c.id == who).values(link=hashed(token)))
        connection.execute(delete(schema.session).where(schema.session.c.intruder == who))
        values = {"at": store.now, "intruder": who, "address": "custodian", "what": "invited again", "detail": ""}
        connection.execute(insert(schema.action).values(**values))
    return token


def keep_scores(store: Store, scores: Scores) -> None:
    """Store the counts: they stay when the rest is erased."""
    with store.writing() as connection:
        connection.execute(delete(schema.truth_score))
        connection.execute(insert(schema.truth_score).values(id=1, scores=dump_scores(scores)))


def kept_scores(store: Store) -> Scores | None:
    """The counts that were stored, if any were."""
    with store.reading() as connection:
        text = connection.execute(select(schema.truth_score.c.scores)).scalar_one_or_none()
    return None if text is None else load_scores(text, said(store.place))
