"""What an intruder can do, and nothing else: every query of the web pages is here or in `browse`.

The desk opens the store without the truth: none of its statements names a table of the truth, and in SQLite the
connection refuses those that would.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, case, func, insert, select, update

from incrowd.intruder_test.acquaintances import Acquaintance, add, people_of, remove
from incrowd.intruder_test.browse import Found, RecordSearch, one_record, search
from incrowd.intruder_test.claims import Claim, read_claim, written
from incrowd.intruder_test.facts import Facts, Team
from incrowd.intruder_test.likeness import Look, parse_looks
from incrowd.intruder_test.schema import action, attempt, claim, dealt, intruder, session, target
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.tokens import hashed, new_token

#: So many failed sign-ins of one address, or claims of one intruder, in so many seconds.
SIGN_INS, SIGN_IN_SECONDS = 10, 900
CLAIMS, CLAIM_SECONDS = 30, 600
#: So many claims in all: nobody fills the disk.
MOST_CLAIMS = 500


class TooMany(Exception):
    """Tried too often: to be answered with 429."""


class NotTheirs(Exception):
    """A card or a person of another intruder."""


class Meanwhile(Exception):
    """The claim was changed or withdrawn since its form was opened: nothing is written over what nobody has read."""

    def __init__(self, claim: int) -> None:
        super().__init__()
        self.claim = claim


class Closed(Exception):
    """The time is up, or the rules were not accepted."""


@dataclass(frozen=True)
class Intruder:
    """Who is signed in, and how much time is left."""

    id: int
    name: str
    started: int | None
    ends: int | None  # None before the rules are accepted
    now: int
    team: Team
    area: str | None = None  # whose people are on the cards, where the test is by area

    @property
    def is_open(self) -> bool:
        """Whether the clock is running."""
        return self.ends is not None and self.now < self.ends

    @property
    def left(self) -> int:
        """Seconds that are left."""
        return 0 if self.ends is None else max(0, self.ends - self.now)


class Desk:
    """The store as the web pages see it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def facts(self) -> Facts:
        """What the test is."""
        return self._store.facts

    @property
    def now(self) -> int:
        """Seconds since 1970."""
        return self._store.now

    @property
    def erased(self) -> bool:
        """Whether everything about people was deleted."""
        return self._store.erased

    def sign_in(self, token: str, address: str) -> str | None:
        """The cookie of a new session, or None: the link was used, replaced or never made, or the test is over.

        The link comes first: many people may share one address, and nobody's wrong tries lock out who was invited.
        Wrong tries are limited, so that they do not fill the disk; a link has 256 random bits and is not guessed.
        """
        with self._store.writing() as connection:
            query = select(intruder.c.id).where(intruder.c.link == hashed(token)).with_for_update()
            found = connection.execute(query).scalar_one_or_none()
            if found is None or self.now >= self.facts.expires:
                self._limit(connection, "sign-in", address, SIGN_INS, SIGN_IN_SECONDS)
                connection.execute(insert(attempt).values(kind="sign-in", who=address, at=self.now))
                self._log(connection, None, address, "sign-in refused")
                return None
            connection.execute(update(intruder).where(intruder.c.id == found).values(link=None))
            cookie = new_token()
            connection.execute(insert(session).values(hash=hashed(cookie), intruder=found, made=self.now))
            self._log(connection, found, address, "sign-in")
            return cookie

    def who(self, cookie: str) -> Intruder | None:
        """Whose session this is."""
        query = select(intruder).join(session)
        with self._store.reading() as connection:
            row = connection.execute(query.where(session.c.hash == hashed(cookie))).one_or_none()
        if row is None:
            return None
        ends = None if row.started is None else min(row.started + int(self.facts.hours * 3600), self.facts.expires)
        return Intruder(row.id, row.name, row.started, ends, self.now, self.facts.teams[row.team], row.area)

    def sign_out(self, who: Intruder, cookie: str, address: str) -> None:
        """End a session."""
        with self._store.writing() as connection:
            connection.execute(session.delete().where(session.c.hash == hashed(cookie)))
            self._log(connection, who.id, address, "sign-out")

    def accept(self, who: Intruder, address: str) -> None:
        """Accept the rules: the clock starts, once."""
        with self._store.writing() as connection:
            rows = update(intruder).where(intruder.c.id == who.id, intruder.c.started.is_(None))
            if connection.execute(rows.values(started=self.now)).rowcount:
                self._log(connection, who.id, address, "rules accepted")

    def note(self, who: Intruder | None, address: str, what: str, detail: str = "") -> None:
        """Write an action to the log."""
        with self._store.writing() as connection:
            self._log(connection, who.id if who else None, address, what, detail)

    def search(self, who: Intruder, wanted: RecordSearch, looks: Sequence[Look] = ()) -> Found:
        """Look through the release; with `looks` among the records that could be the person of a card."""
        self._need_open(who)
        with self._store.reading() as connection:
            return search(connection, self._store.records, self.facts, wanted, looks)

    def looks(self, who: Intruder, card: int) -> tuple[Look, ...] | None:
        """What the person of a card could look like in the release; None for a card that is not the intruder's."""
        self._need_open(who)
        own = select(target.c.looks).join(dealt).where(dealt.c.intruder == who.id, target.c.id == card)
        with self._store.reading() as connection:
            found = connection.execute(own).scalar_one_or_none()
        return None if found is None else parse_looks(found)

    def record(self, who: Intruder, number: int) -> tuple[str | None, ...] | None:
        """One released record."""
        self._need_open(who)
        with self._store.reading() as connection:
            return one_record(connection, self._store.records, self.facts, number)

    def cards(self, who: Intruder) -> Mapping[int, Sequence[tuple[str, str | None]]]:
        """The intruder's own target cards."""
        self._need_open(who)
        own = select(target.c.id, target.c.shown).join(dealt).where(dealt.c.intruder == who.id)
        with self._store.reading() as connection:
            rows = connection.execute(own.order_by(target.c.id)).all()
        return {row.id: [(name, value) for name, value in json.loads(row.shown)] for row in rows}

    def people(self, who: Intruder) -> list[Acquaintance]:
        """Whom the intruder knows."""
        with self._store.reading() as connection:
            return people_of(connection, who.id)

    def add_person(self, who: Intruder, mark: str, address: str) -> bool:
        """Ask whether somebody whom the intruder knows, and who agreed to it, is in the file; False where nothing was
        stored: the test does not have it, or the mark is there already, or there are too many.
        """
        self._need_open(who)
        with self._store.writing() as connection:
            done = self.facts.acquaintances and add(connection, who.id, mark, self.now)
            if done:
                self._log(connection, who.id, address, "person added", f"mark {mark}")
            return done

    def remove_person(self, who: Intruder, number: int, address: str) -> bool:
        """Take somebody back before there is an answer; False where it is not theirs, or too late."""
        self._need_open(who)
        with self._store.writing() as connection:
            done = remove(connection, who.id, number)
            if done:
                self._log(connection, who.id, address, "person removed", f"person {number}")
            return done

    def claims(self, who: Intruder) -> list[Claim]:
        """The intruder's own claims, oldest first."""
        with self._store.reading() as connection:
            rows = connection.execute(select(claim).where(claim.c.intruder == who.id).order_by(claim.c.id)).all()
        return [read_claim(row._asdict()) for row in rows]

    def claim(self, who: Intruder, number: int) -> Claim | None:
        """One of the intruder's own claims; somebody else's is as if it were not there."""
        return next((each for each in self.claims(who) if each.id == number), None)

    def file(self, who: Intruder, nonce: str, new: Claim, address: str) -> int:
        """File a claim; once, however often its form is sent. It is on the disk when this returns.

        A form that says something else when it is sent again corrects its claim: whoever went back has seen nothing of
        the first time.
        """
        self._need_open(who)
        with self._store.writing() as connection:
            # One intruder's claims come one after the other: two copies of a form cannot pass each other.
            connection.execute(select(intruder.c.id).where(intruder.c.id == who.id).with_for_update())
            self._need_theirs(connection, who, new)
            sent = select(claim).where(claim.c.intruder == who.id, claim.c.nonce == nonce)
            if (known := connection.execute(sent).one_or_none()) is not None:
                self._correct(connection, who, read_claim(known._asdict()), new, address)
                return int(known.id)
            self._limit(connection, "claim", str(who.id), CLAIMS, CLAIM_SECONDS)
            many = select(func.count()).select_from(claim).where(claim.c.intruder == who.id)
            if connection.execute(many).scalar_one() >= MOST_CLAIMS:
                raise TooMany
            connection.execute(insert(attempt).values(kind="claim", who=str(who.id), at=self.now))
            values = {**written(new), "intruder": who.id, "nonce": nonce, "filed": self.now, "changed": self.now}
            done = connection.execute(insert(claim).values(**values, withdrawn=False))
            number = int((done.inserted_primary_key or (0,))[0])
            self._log(connection, who.id, address, "claim filed", f"claim {number}")
            return number

    def change(self, who: Intruder, number: int, new: Claim, seen: int, address: str) -> bool:
        """Write a claim anew; False when it is not the intruder's. `seen` is when the claim that its form showed was
        written: what was written later is not lost to somebody who has not read it.
        """
        self._need_open(who)
        with self._store.writing() as connection:
            self._need_theirs(connection, who, new)
            rows = select(claim.c.changed).where(claim.c.id == number, claim.c.intruder == who.id)
            there = connection.execute(rows.with_for_update()).scalar_one_or_none()
            if there is not None and there != seen:
                raise Meanwhile(number)
            return self._write(connection, who, number, address, "claim changed", **written(new), withdrawn=False)

    def withdraw(self, who: Intruder, number: int, address: str) -> bool:
        """Take a claim back; False when it is not the intruder's."""
        self._need_open(who)
        with self._store.writing() as connection:
            return self._write(connection, who, number, address, "claim withdrawn", withdrawn=True)

    def _correct(self, connection: Connection, who: Intruder, there: Claim, new: Claim, address: str) -> None:
        """Write over a claim what its own form says when it is sent again, unless another page has changed it since."""
        if written(there) == written(new) and not there.withdrawn:
            return
        if there.changed != there.filed:
            raise Meanwhile(there.id)
        self._write(connection, who, there.id, address, "claim changed", **written(new))

    def _write(
        self, connection: Connection, who: Intruder, number: int, address: str, what: str, /, **values: object
    ) -> bool:
        self._limit(connection, "change", str(who.id), 4 * CLAIMS, CLAIM_SECONDS)
        connection.execute(insert(attempt).values(kind="change", who=str(who.id), at=self.now))
        rows = update(claim).where(claim.c.id == number, claim.c.intruder == who.id)
        # Each state has a time of its own: judges judge the one that they read, and no later one of that second.
        later = case((claim.c.changed >= self.now, claim.c.changed + 1), else_=self.now)
        done = connection.execute(rows.values(**values, changed=later)).rowcount == 1
        if done:
            self._log(connection, who.id, address, what, f"claim {number}")
        return done

    def _need_open(self, who: Intruder) -> None:
        if not who.is_open:
            raise Closed

    def _need_theirs(self, connection: Connection, who: Intruder, new: Claim) -> None:
        """A claim is about a card, or somebody known, of one's own. The form says so in words; this is the lock."""
        if new.target is not None:
            own = select(dealt.c.target).where(dealt.c.intruder == who.id, dealt.c.target == new.target)
            if connection.execute(own).scalar_one_or_none() is None:
                raise NotTheirs
        known = {one.id for one in people_of(connection, who.id)}
        if new.acquaintance is not None and new.acquaintance not in known:
            raise NotTheirs

    def _limit(self, connection: Connection, kind: str, who: str, most: int, seconds: int) -> None:
        query = select(func.count()).select_from(attempt)
        query = query.where(attempt.c.kind == kind, attempt.c.who == who, attempt.c.at > self.now - seconds)
        if connection.execute(query).scalar_one() >= most:
            raise TooMany

    def _log(self, connection: Connection, who: int | None, address: str, what: str, detail: str = "") -> None:
        values = {"at": self.now, "intruder": who, "address": address[:100], "what": what, "detail": detail[:500]}
        connection.execute(insert(action).values(**values))
