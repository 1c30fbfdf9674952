"""What only the custodian can do: read the truth and the claims, decide, invite again, erase."""

from __future__ import annotations

import csv
import io
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, func, insert, select, update

from incrowd.errors import InputError
from incrowd.intruders import schema
from incrowd.intruders.desk import Claim, read_claim
from incrowd.intruders.protocol import day
from incrowd.intruders.store import Facts, Store, said
from incrowd.intruders.tokens import hashed, new_token
from incrowd.intruders.value import Scores, dump_scores, load_scores
from incrowd.intruders.verdicts import VERDICTS, Record, Truth, judge

HEADER = (
    "claim",
    "intruder",
    "who",
    "record",
    "attribute",
    "value",
    "confidence",
    "sources",
    "used",
    "reasoning",
    "verdict",
)


@dataclass(frozen=True)
class Judged:
    """A claim that stands, whose it is, and its verdict; None while nobody has decided."""

    intruder: int
    claim: Claim
    verdict: str | None


@dataclass(frozen=True)
class Material:
    """All that scoring needs."""

    facts: Facts
    invited: int
    took_part: tuple[int, ...]  # who accepted the rules
    judged: tuple[Judged, ...]
    truths: Mapping[int, Truth]
    records: Mapping[int, Record]  # the claimed and the true ones
    frequent: Mapping[str, float]  # for a claimed attribute, the share of its most frequent value in the release
    decoy_note: str


@contextmanager
def opened(place: str, clock: Callable[[], float] = time.time) -> Iterator[Store]:
    """The whole store. On its day of deletion, or after, everything about people is erased first."""
    store = Store(place, clock=clock)
    try:
        facts = store.facts
        if not store.erased and store.now >= facts.delete_on:
            erase(store)
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
        people = connection.execute(select(schema.intruder.c.id, schema.intruder.c.started)).all()
        standing = select(schema.claim).where(schema.claim.c.withdrawn.is_(False)).order_by(schema.claim.c.id)
        claims = [(int(row.intruder), read_claim(row._asdict())) for row in connection.execute(standing)]
        decided = {row.claim: (row.changed, row.verdict) for row in connection.execute(select(schema.truth_verdict))}
        numbers: dict[int, list[int]] = {}
        for row in connection.execute(select(schema.truth_record)):
            numbers.setdefault(row.target, []).append(row.record)
        values: dict[int, dict[str, str | None]] = {}
        for row in connection.execute(select(schema.truth_value)):
            values.setdefault(row.target, {})[row.name] = row.value
        note = str(values.pop(0, {}).get("decoys", ""))
        truths = {
            row.target: Truth(row.decoy, row.guess, tuple(numbers.get(row.target, ())), values.get(row.target, {}))
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
        frequent = {}
        for name in {claim.attribute for _, claim in claims if claim.attribute is not None}:
            column = store.records.c[f"c{facts.column(name)}"]
            counts = select(func.count()).select_from(store.records).group_by(column)
            most = connection.execute(counts.order_by(func.count().desc()).limit(1))
            frequent[name] = (most.scalar_one_or_none() or 0) / max(facts.records, 1)
    keys = [i for i, column in enumerate(facts.columns) if column.key]
    judged = []
    for who, claim in claims:
        found = judge(claim, truths.get(claim.target or 0), records, keys)
        if found is None and claim.id in decided and decided[claim.id][0] == claim.changed:
            found = decided[claim.id][1]
        judged.append(Judged(who, claim, found))
    took_part = tuple(sorted(row.id for row in people if row.started is not None))
    return Material(facts, len(people), took_part, tuple(judged), truths, records, frequent, note)


def undecided_csv(judged: Sequence[Judged]) -> str:
    """The claims that nobody has decided on, with an empty column for the verdict."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for each in judged:
        if each.verdict is None:
            c = each.claim
            cells = (c.id, f"intruder {each.intruder}", c.who, c.record or "", c.attribute or "", c.value or "",
                     c.confidence, c.sources, ", ".join(c.used), c.reasoning, "")  # fmt: skip
            writer.writerow([_harmless(cell) for cell in cells])
    return out.getvalue()


def _harmless(cell: object) -> object:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def decide(store: Store, path: Path, judged: Sequence[Judged]) -> int:
    """Take over the verdicts that the custodian wrote into the file; gives how many."""
    open_ = {each.claim.id: each.claim for each in judged if each.verdict is None}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError("D223", f"{path} cannot be read as CSV in UTF-8.") from None
    found: dict[int, str] = {}
    for number, line in enumerate(lines, start=2):
        verdict = (line.get("verdict") or "").strip().lower()
        if not verdict:
            continue
        text = (line.get("claim") or "").strip()
        if verdict not in VERDICTS or not text.isdecimal() or int(text) not in open_:
            message = f"line {number} of {path} is no decision: the verdict or the claim's number does not fit."
            raise InputError(
                "D223", message, "Write correct, partial or wrong; only claims without a verdict can be decided."
            )
        found[int(text)] = verdict
    with store.writing() as connection:
        for claim, verdict in found.items():
            connection.execute(delete(schema.truth_verdict).where(schema.truth_verdict.c.claim == claim))
            row = insert(schema.truth_verdict).values(claim=claim, changed=open_[claim].changed, verdict=verdict)
            connection.execute(row)
    return len(found)


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


def erase(store: Store) -> Counter[str]:
    """Delete truth, claims, cards, names and the log; gives how many rows of each. Stored scores stay."""
    gone: Counter[str] = Counter()
    with store.writing() as connection:
        for table in schema.ERASED:
            gone[table.name] = connection.execute(delete(table)).rowcount
        connection.execute(delete(store.records))
        facts = Facts(**{**vars(store.facts), "columns": ()})
        connection.execute(update(schema.test).values(erased=store.now, facts=facts.dump()))
    store.tidy()
    return gone
