"""Make a test: the released records, the cards, the truth, the invitations, all in one go."""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
from sqlalchemy import Connection, insert

from incrowd.errors import InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test.cards import Card
from incrowd.intruder_test.facts import Facts, Team
from incrowd.intruder_test.likeness import dump_looks
from incrowd.intruder_test.parts import Invited, Pool, deal_out
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.store import new_store
from incrowd.intruder_test.telling import in_words
from incrowd.intruder_test.texts import filled
from incrowd.intruder_test.tokens import hashed, new_token
from incrowd.keys.codebook import Codebook
from incrowd.keys.natural import natural
from incrowd.keys.unit_name import PEOPLE, UnitName

#: A column with more values than this is searched by typing.
CHOICES = 60
PIECE = 5000
#: Where a test is found when nothing is said.
ADDRESS = "http://127.0.0.1:8765"


@dataclass(frozen=True)
class Invitation:
    """A name and the link that signs this person in, once."""

    name: str
    token: str = field(repr=False)

    def link(self, address: str | None = None) -> str:
        """The link, to where intruders will find the test; to this machine when nothing is said."""
        return f"{(address or ADDRESS).rstrip('/')}/enter/{self.token}"


@dataclass(frozen=True)
class Rules:
    """What the custodian decides about a test."""

    title: str
    intruders: tuple[Invited, ...]
    hours: float
    expires: int
    delete_on: int
    prize: str
    sources: str
    confidentiality: str
    cards_each: int | None = None  # of the pool; all of it when left out
    acquaintances: bool = False
    by_area: str = ""
    round: int = 1
    earlier: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)  # templates of what participants read: see texts.NAMES
    dry_run: bool = False


@dataclass(frozen=True)
class Reading:
    """How intruders read values: of the file as it came (on cards), of the release, and what those in it are called."""

    before: Codebook = field(default_factory=Codebook)
    after: Codebook = field(default_factory=Codebook)
    called: UnitName = PEOPLE

    def of_cards(self, cards: Iterable[Card]) -> dict[str, dict[str, str]]:
        """What the values on cards stand for, and no others: their words; numbers and days as somebody says them."""
        words: dict[str, dict[str, str]] = {}
        for name, value in (pair for card in cards for pair in card.shown):
            if value is None:
                continue
            amount = self.before.scales.get(name) == "numeric"
            word = self.before.codes.get(name, {}).get(value) or in_words(value, amount)
            if word != value:
                words.setdefault(name, {})[value] = word
        return words


def make(
    place: str,
    rules: Rules,
    released: pa.Table,
    coarse: Mapping[str, Mapping[str, Sequence[str]]],
    pools: Sequence[Pool],
    teams: Sequence[Team],
    note: str,
    sha256: str,
    clock: Callable[[], float] = time.time,
    reading: Reading = Reading(),  # noqa: B008
) -> tuple[Facts, list[Invitation]]:
    """Write the test to its place, whole or not at all.

    `coarse` has the released keys, and of each the values that are coarser than others; `note` tells of the decoys.
    """
    cards = [card for pool in pools for card in pool.cards]
    columns = tuple(
        _column(name, released[name].to_pylist(), coarse.get(name), reading.after) for name in released.column_names
    )
    pairs = deal_out(pools, rules.intruders, rules.cards_each)
    many = Counter(who for who, _ in pairs)
    most = [max((many[n] for n, one in enumerate(rules.intruders, start=1) if one.team == team), default=0)
            for team in range(len(teams))]  # fmt: skip
    facts = Facts(
        rules.title, sha256, released.num_rows, columns,
        tuple(replace(team, cards=number) for team, number in zip(teams, most, strict=True)), len(cards), rules.hours,
        rules.expires, rules.delete_on, rules.prize, rules.sources, rules.confidentiality, int(clock()),
        reading.called, reading.of_cards(cards), dict(reading.before.titles), round=rules.round, earlier=rules.earlier,
        acquaintances=rules.acquaintances, by_area=rules.by_area, dry_run=rules.dry_run,
    )  # fmt: skip
    facts = replace(facts, texts=filled(rules.texts, facts))
    invitations = [Invitation(one.name, new_token()) for one in rules.intruders]
    with new_store(place, clock) as store, store.writing() as connection:
        records = store.create(connection, facts)
        connection.execute(insert(schema.test).values(format=schema.FORMAT, facts=facts.dump()))
        people = [
            {"id": number, "name": one.name, "link": hashed(link.token), "team": one.team, "area": one.area}
            for number, (one, link) in enumerate(zip(rules.intruders, invitations, strict=True), start=1)
        ]
        connection.execute(insert(schema.intruder), people)
        for start in range(0, released.num_rows, PIECE):
            piece = released.slice(start, PIECE).to_pylist()
            rows = [_row(number, record, columns) for number, record in enumerate(piece, start=start + 1)]
            connection.execute(insert(records), rows)
        _deal(connection, cards, note)
        if pairs:
            connection.execute(insert(schema.dealt), [{"intruder": who, "target": card} for who, card in pairs])
    return facts, invitations


def _deal(connection: Connection, cards: Sequence[Card], note: str) -> None:
    # The note is about the truth: whether somebody is a decoy can be guessed from where decoys come from.
    connection.execute(insert(schema.truth_value).values(target=0, name="decoys", value=note))
    for number, card in enumerate(cards, start=1):
        told = {"shown": json.dumps(card.shown), "looks": dump_looks(card.looks)}
        connection.execute(insert(schema.target).values(id=number, **told))
        truth = {
            "decoy": card.decoy, "guess": card.guess, "fits": card.fits, "seen": json.dumps(card.seen),
            "stratum": card.stratum,
        }  # fmt: skip
        connection.execute(insert(schema.truth_target).values(target=number, **truth))
        if card.records:
            rows = [{"target": number, "record": record} for record in card.records]
            connection.execute(insert(schema.truth_record), rows)
        if card.values:
            values = [{"target": number, "name": name, "value": value} for name, value in card.values.items()]
            connection.execute(insert(schema.truth_value), values)


def _column(
    name: str, values: list[str | None], coarse: Mapping[str, Sequence[str]] | None, book: Codebook
) -> ReleasedColumn:
    """What the pages know of a column; `coarse` is what they know of a key's coarser values, None for other columns."""
    counts = Counter(values)
    numbers = [_number(value) for value in counts if value is not None]
    words = {value: word for value, word in book.codes.get(name, {}).items() if value in counts}
    key, title, coarse = coarse is not None, book.titles.get(name), coarse or {}
    if len(counts) > CHOICES:
        kind = "number" if numbers and all(number is not None for number in numbers) else "text"
        return ReleasedColumn(name, kind, key, (), title, words, coarse)
    in_order = tuple(sorted(counts.items(), key=lambda each: natural(each[0])))
    return ReleasedColumn(name, "choice", key, in_order, title, words, coarse)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _row(number: int, record: dict[str, str | None], columns: Sequence[ReleasedColumn]) -> dict[str, object]:
    row: dict[str, object] = {"number": number}
    for i, column in enumerate(columns):
        row[f"c{i}"] = record[column.name]
        if column.kind == "number":
            row[f"n{i}"] = _number(record[column.name])
    return row


def write_private(path: Path, text: str) -> None:
    """A new file that only its owner can read."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError("D215", f"there is something at {path} already.", "Nothing is overwritten: move it.") from None
    except OSError as error:
        raise InputError("D229", f"{path} cannot be written ({error.strerror}).") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
