"""Make a test: the released records, the cards, the truth, the invitations, all in one go."""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from sqlalchemy import Connection, insert

from incrowd.errors import InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test.cards import Card
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.store import Facts, new_store
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
    intruders: tuple[str, ...]
    hours: float
    expires: int
    delete_on: int
    prize: str
    sources: str
    confidentiality: str


@dataclass(frozen=True)
class Reading:
    """How intruders read values: of the file as it came (on cards), of the release, and what those in it are called."""

    before: Codebook = field(default_factory=Codebook)
    after: Codebook = field(default_factory=Codebook)
    called: UnitName = PEOPLE

    def of_cards(self, cards: Sequence[Card]) -> dict[str, dict[str, str]]:
        """What the values on cards stand for, and no others."""
        words: dict[str, dict[str, str]] = {}
        for name, value in (pair for card in cards for pair in card.shown):
            if value is not None and (word := self.before.word(name, value)) != value:
                words.setdefault(name, {})[value] = word
        return words


def make(
    place: str,
    rules: Rules,
    released: pa.Table,
    keys: Sequence[str],
    cards: Sequence[Card],
    decoy_note: str,
    scenario: str,
    all_in_file: bool,
    sha256: str,
    clock: Callable[[], float] = time.time,
    reading: Reading = Reading(),  # noqa: B008
) -> tuple[Facts, list[Invitation]]:
    """Write the test to its place, whole or not at all."""
    columns = tuple(
        _column(name, released[name].to_pylist(), name in keys, reading.after) for name in released.column_names
    )
    facts = Facts(
        rules.title, sha256, released.num_rows, columns, scenario, all_in_file, len(cards), rules.hours,
        rules.expires, rules.delete_on, rules.prize, rules.sources, rules.confidentiality, int(clock()),
        reading.called, reading.of_cards(cards),
    )  # fmt: skip
    invitations = [Invitation(name, new_token()) for name in rules.intruders]
    with new_store(place, clock) as store, store.writing() as connection:
        records = store.create(connection, facts)
        connection.execute(insert(schema.test).values(format=schema.FORMAT, facts=facts.dump()))
        people = [{"name": each.name, "link": hashed(each.token)} for each in invitations]
        connection.execute(insert(schema.intruder), people)
        for start in range(0, released.num_rows, PIECE):
            piece = released.slice(start, PIECE).to_pylist()
            rows = [_row(number, record, columns) for number, record in enumerate(piece, start=start + 1)]
            connection.execute(insert(records), rows)
        _deal(connection, cards, decoy_note)
    return facts, invitations


def _deal(connection: Connection, cards: Sequence[Card], note: str) -> None:
    # The note is about the truth: whether somebody is a decoy can be guessed from where decoys come from.
    connection.execute(insert(schema.truth_value).values(target=0, name="decoys", value=note))
    for number, card in enumerate(cards, start=1):
        connection.execute(insert(schema.target).values(id=number, shown=json.dumps(card.shown)))
        truth = {"decoy": card.decoy, "guess": card.guess, "fits": card.fits, "seen": json.dumps(card.seen)}
        connection.execute(insert(schema.truth_target).values(target=number, **truth))
        if card.records:
            rows = [{"target": number, "record": record} for record in card.records]
            connection.execute(insert(schema.truth_record), rows)
        if card.values:
            values = [{"target": number, "name": name, "value": value} for name, value in card.values.items()]
            connection.execute(insert(schema.truth_value), values)


def _column(name: str, values: list[str | None], key: bool, book: Codebook) -> ReleasedColumn:
    counts = Counter(values)
    numbers = [_number(value) for value in counts if value is not None]
    words = {value: word for value, word in book.codes.get(name, {}).items() if value in counts}
    title = book.titles.get(name)
    if len(counts) > CHOICES:
        kind = "number" if numbers and all(number is not None for number in numbers) else "text"
        return ReleasedColumn(name, kind, key, (), title, words)
    in_order = tuple(sorted(counts.items(), key=lambda each: natural(each[0])))
    return ReleasedColumn(name, "choice", key, in_order, title, words)


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
