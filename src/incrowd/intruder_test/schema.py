"""The tables of an intruder test.

What an intruder may ever see is in tables without a schema. Everything that tells the truth, and all that custodians
do, is in the schema `truth`: in PostgreSQL a schema of its own, in SQLite tables whose names begin with `truth_`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

FORMAT = 3
TRUTH = "truth"

meta = MetaData()

#: One row: what the test is, as JSON.
test = Table(
    "test", meta,
    Column("format", Integer, primary_key=True, autoincrement=False),
    Column("facts", Text, nullable=False),
    Column("erased", BigInteger),  # when; below 0 while the rows are gone and the file still holds their bytes
)  # fmt: skip

intruder = Table(
    "intruder", meta,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("link", String(64), unique=True),  # hash of the one-time link; NULL once it was used
    Column("started", BigInteger),  # when the rules were accepted
    Column("team", Integer, nullable=False),  # its place in the facts' teams
    Column("area", Text),  # whose people this one gets, where the test is by area
)  # fmt: skip

session = Table(
    "session", meta,
    Column("hash", String(64), primary_key=True),
    Column("intruder", ForeignKey("intruder.id"), nullable=False),
    Column("made", BigInteger, nullable=False),
)  # fmt: skip

target = Table(
    "target", meta,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("shown", Text, nullable=False),  # JSON: [[column, value], ...]
    Column("looks", Text, nullable=False),  # JSON: what it could be in here, see likeness.dump_looks
)  # fmt: skip

#: Which cards an intruder gets.
dealt = Table(
    "dealt", meta,
    Column("intruder", ForeignKey("intruder.id"), primary_key=True),
    Column("target", ForeignKey("target.id"), primary_key=True),
)  # fmt: skip

#: People whom an intruder knows. Who they are is on paper; here is a mark, such as "A", and whether they are in it.
acquaintance = Table(
    "acquaintance", meta,
    Column("id", Integer, primary_key=True),
    Column("intruder", ForeignKey("intruder.id"), nullable=False),
    Column("mark", String(40), nullable=False),
    Column("consent", Boolean, nullable=False),  # the intruder says that this person agreed to it
    Column("asked", BigInteger, nullable=False),
    Column("answer", String(3)),  # "in", "out", or NULL while no custodian has answered
    Column("answered", BigInteger),
    UniqueConstraint("intruder", "mark"),
)  # fmt: skip

claim = Table(
    "claim", meta,
    Column("id", Integer, primary_key=True),
    Column("intruder", ForeignKey("intruder.id"), nullable=False),
    Column("nonce", String(64), nullable=False),
    Column("filed", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("target", ForeignKey("target.id")),
    Column("acquaintance", ForeignKey("acquaintance.id")),
    Column("who", Text, nullable=False),
    Column("record", Integer),
    Column("attribute", Text),
    Column("value", Text),
    Column("confidence", Integer, nullable=False),
    Column("kinds", Text, nullable=False),  # JSON: kinds of sources, of a list
    Column("sources", Text, nullable=False),  # the same in the intruder's own words
    Column("link", Text, nullable=False),  # where it can be seen again: an address, or a note
    Column("minutes", Integer),  # how long it took, as the intruder says
    Column("used", Text, nullable=False),  # JSON: names of columns
    Column("reasoning", Text, nullable=False),
    UniqueConstraint("intruder", "nonce"),  # a form that is sent twice is one claim
)  # fmt: skip

#: What is limited per address or session: failed sign-ins, claims.
attempt = Table(
    "attempt", meta,
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("who", String(100), nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_attempt", "kind", "who", "at"),
)  # fmt: skip

action = Table(
    "action", meta,
    Column("id", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("intruder", Integer),
    Column("address", String(100), nullable=False),
    Column("what", String(40), nullable=False),
    Column("detail", String(500), nullable=False),
)  # fmt: skip

truth_target = Table(
    "truth_target", meta,
    Column("target", Integer, primary_key=True, autoincrement=False),
    Column("decoy", String(20), nullable=False),  # empty for a person in the release
    Column("guess", Float, nullable=False),  # how often a guess among the records that fit the card is right
    Column("fits", Integer, nullable=False),  # how many released records fit the card
    Column("seen", Text, nullable=False),  # JSON: [[key, value], ...], the card at the release's categories
    Column("stratum", String(20), nullable=False),  # how rare the person is: see cards.STRATA
    schema=TRUTH,
)  # fmt: skip

truth_record = Table(
    "truth_record", meta,
    Column("target", Integer, primary_key=True, autoincrement=False),
    Column("record", Integer, primary_key=True, autoincrement=False),
    schema=TRUTH,
)  # fmt: skip

truth_value = Table(
    "truth_value", meta,
    Column("target", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("value", Text),
    schema=TRUTH,
)  # fmt: skip

#: Those who run the test, and what each may do: see accounts.ROLES.
truth_account = Table(
    "truth_account", meta,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("link", String(64), unique=True),  # hash of the one-time link; NULL once it was used
    schema=TRUTH,
)  # fmt: skip

truth_session = Table(
    "truth_session", meta,
    Column("hash", String(64), primary_key=True),
    Column("account", Integer, nullable=False),
    Column("made", BigInteger, nullable=False),
    schema=TRUTH,
)  # fmt: skip

#: What each judge says of a claim.
truth_judgment = Table(
    "truth_judgment", meta,
    Column("claim", Integer, primary_key=True, autoincrement=False),
    Column("judge", String(80), primary_key=True),  # the account's name
    Column("changed", BigInteger, nullable=False),  # of the claim, when it was judged: a changed claim is judged anew
    Column("judgment", String(20), nullable=False),  # see verdicts.JUDGMENTS
    Column("note", Text, nullable=False),  # what it teaches, in words that name nobody: it goes into the report
    Column("at", BigInteger, nullable=False),
    schema=TRUTH,
)  # fmt: skip

#: What was done in the office, by whom.
truth_action = Table(
    "truth_action", meta,
    Column("id", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("account", String(80), nullable=False),
    Column("address", String(100), nullable=False),
    Column("what", String(40), nullable=False),
    Column("detail", String(500), nullable=False),
    schema=TRUTH,
)  # fmt: skip

#: What was erased, and when: it stays when the rest is erased.
truth_certificate = Table(
    "truth_certificate", meta,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("certificate", Text, nullable=False),
    schema=TRUTH,
)  # fmt: skip

#: Files beside the test with names or claims in them: deleted with it.
truth_file = Table("truth_file", meta, Column("path", Text, primary_key=True), schema=TRUTH)

#: The last scores, counts only: they stay when the rest is erased.
truth_score = Table(
    "truth_score", meta,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("scores", Text, nullable=False),
    schema=TRUTH,
)  # fmt: skip

#: In the order in which they can be emptied.
ERASED = (
    claim, acquaintance, dealt, session, attempt, action, intruder, target, truth_target, truth_record, truth_value,
    truth_judgment, truth_session, truth_account, truth_action, truth_file,
)  # fmt: skip


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of the release, and how it can be looked through."""

    name: str
    kind: str  # "choice": few values; "number"; "text"
    key: bool
    values: tuple[tuple[str | None, int], ...] = ()  # of a choice: each value and its count
    title: str | None = None  # what the column means
    words: Mapping[str, str] = field(default_factory=dict)  # released value -> what it stands for
    coarse: Mapping[str, Sequence[str]] = field(default_factory=dict)  # a coarser value -> the released ones it can be

    def said(self, value: str | None, most: int | None = None) -> str:
        """A released value as an intruder reads it, with the value as it is written; long words may be cut."""
        if value is None or value not in self.words:
            return "(empty)" if value is None else value
        word = self.words[value]
        return f"{word if most is None or len(word) <= most else f'{word[:most].rstrip()}…'} ({value})"

    def meant(self, text: str) -> tuple[str, ...]:
        """The values that somebody means who writes a value, or what it stands for; as it is written where none is."""
        said = text.strip().casefold()
        by_word = tuple(value for value, word in self.words.items() if word.strip().casefold() == said)
        whole = tuple(value for value in self.words if self.said(value).casefold() == said)
        return (text,) if text in self.words else whole or by_word or (text,)


def record_table(columns: Sequence[ReleasedColumn]) -> Table:
    """The released records. Column i is `c<i>`, and `n<i>` too where it holds numbers: no name of the data is SQL."""
    parts: list[Column[object]] = [Column("number", Integer, primary_key=True, autoincrement=False)]
    for i, column in enumerate(columns):
        parts.append(Column(f"c{i}", Text))
        if column.kind == "number":
            parts.append(Column(f"n{i}", Float))
    indexes = [Index(f"ix_record_c{i}", f"c{i}") for i, column in enumerate(columns) if column.key]
    return Table("record", MetaData(), *parts, *indexes)
