"""The test as those see it who run it. Every question and every act names an account, and its rights are checked here.

Four eyes: nobody who can still judge a claim sees what others say of it: all is then as if they had not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, func, insert, select, update

from incrowd.intruder_test import accounts, acquaintances, custodian, schema
from incrowd.intruder_test.accounts import Account
from incrowd.intruder_test.certificate import Certificate
from incrowd.intruder_test.custodian import Judged, Material, material
from incrowd.intruder_test.desk import SIGN_IN_SECONDS, SIGN_INS, TooMany
from incrowd.intruder_test.erasing import erase
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.reading import ToldClaim, read_claims
from incrowd.intruder_test.schema import acquaintance, attempt, truth_account, truth_action, truth_session
from incrowd.intruder_test.scoring import score
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.tokens import hashed, new_token
from incrowd.intruder_test.value import Scores
from incrowd.intruder_test.verdicts import JUDGMENTS, Judgment, judges, open_to, settle
from incrowd.intruder_test.watching import Watch, watch

#: So many judges make a judgment that others may rely on.
EYES = 2
#: How long a session lasts, in seconds, and how many acts an account may do in how many seconds.
SESSION_SECONDS = 7 * 86400
ACTS, ACT_SECONDS = 300, 600
NOTE = 1000
#: Lines on a page of the log.
LINES = 200


class NotAllowed(Exception):
    """The role has no right to it: to be answered with 403."""


class Refused(Exception):
    """It cannot be done, for a reason that the person may read."""


@dataclass(frozen=True)
class ShownClaim:
    """A claim as one account sees it."""

    told: ToldClaim
    name: str  # whose it is: the name for custodians only
    judged_by: int  # how many judges have judged it as it stands
    mine: Judgment | None
    may_judge: bool
    again: bool  # it was changed after this account had judged it
    hidden: bool  # others have judged it, and this account may not see it yet
    truth_closed: bool  # the truth is not shown before the test is over


@dataclass(frozen=True)
class Known:
    """Somebody whom an intruder knows, and what a custodian answered."""

    id: int
    intruder: str
    mark: str
    consent: bool
    asked: int
    answer: str | None
    answered: int | None


@dataclass(frozen=True)
class LogLine:
    """One action, by whom."""

    at: int
    who: str
    address: str
    what: str
    detail: str


class Office:
    """The whole store, as the office's pages see it."""

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
        """Whether there is nothing left to see."""
        return self._store.erased

    def sign_in(self, token: str, address: str) -> str | None:
        """The cookie of a new session, or None: the link was used, replaced or never made."""
        with self._store.writing() as connection:
            query = select(truth_account).where(truth_account.c.link == hashed(token)).with_for_update()
            found = connection.execute(query).one_or_none()
            if found is None:
                self._limit(connection, "office", address, SIGN_INS, SIGN_IN_SECONDS)
                connection.execute(insert(attempt).values(kind="office", who=address[:100], at=self.now))
                self._log(connection, "", address, "sign-in refused")
                return None
            connection.execute(update(truth_account).where(truth_account.c.id == found.id).values(link=None))
            cookie = new_token()
            connection.execute(insert(truth_session).values(hash=hashed(cookie), account=found.id, made=self.now))
            self._log(connection, found.name, address, "sign-in")
            return cookie

    def who(self, cookie: str) -> Account | None:
        """Whose session this is."""
        query = select(truth_account).join(truth_session, truth_session.c.account == truth_account.c.id)
        query = query.where(truth_session.c.hash == hashed(cookie), truth_session.c.made > self.now - SESSION_SECONDS)
        with self._store.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Account(row.id, row.name, row.role)

    def sign_out(self, account: Account, cookie: str, address: str) -> None:
        """End a session."""
        with self._store.writing() as connection:
            connection.execute(delete(truth_session).where(truth_session.c.hash == hashed(cookie)))
            self._log(connection, account.name, address, "sign-out")

    def note(self, account: Account, address: str, what: str, detail: str = "") -> None:
        """Write to the log what somebody reads."""
        with self._store.writing() as connection:
            self._log(connection, account.name, address, what, detail)

    def progress(self, account: Account) -> Watch:
        """Who has come, how long they have left, how much was claimed; names for custodians only."""
        found = watch(self._store)
        if account.may(accounts.NAMES):
            return found
        people = (replace(one, name=f"intruder {n}") for n, one in enumerate(found.intruders, start=1))
        return replace(found, intruders=tuple(people))

    def over(self) -> bool:
        """Whether no intruder can still learn from somebody who has seen the truth."""
        found = watch(self._store)
        return found.over or all(one.started is not None and not one.left for one in found.intruders)

    def claims(self, account: Account) -> tuple[ShownClaim, ...]:
        """Every claim that stands, as this account may see it."""
        found = material(self._store)
        closed = not self._sees_truth(account)
        told = read_claims(self._store, replace(found, judged=tuple(_masked(one, account) for one in found.judged)))
        names = self._names() if account.may(accounts.NAMES) else {}
        shown = []
        for full, one in zip(found.judged, told, strict=True):
            mine = next((each for each in full.judgments if each.judge == account.name), None)
            shown.append(
                ShownClaim(
                    _without_truth(one) if closed else one,
                    f"{names[one.intruder]} ({one.said})" if one.intruder in names else one.said,
                    len(full.judgments), mine, _may_judge(full, account), account.name in one.outdated,
                    len(one.judgments) < len(full.judgments), closed,
                )
            )  # fmt: skip
        return tuple(shown)

    def judge(self, account: Account, number: int, changed: int, said: Judgment, address: str) -> None:
        """Store what a judge says of a claim as they saw it."""
        self._need(account, accounts.JUDGES)
        one = next((each for each in material(self._store).judged if each.claim.id == number), None)
        if one is None or one.claim.changed != changed:
            raise Refused("The claim was changed or withdrawn meanwhile. Please read it again.")
        if said.judgment not in JUDGMENTS:
            raise Refused("Choose what you say of the claim.")
        if said.judgment not in open_to(one.known, one.claim.record is None):
            raise Refused("The truth says otherwise: choose one of the answers that are offered.")
        if len(said.note) > NOTE:
            raise Refused(f"The note is too long: at most {NOTE:,} characters.")
        with self._store.writing() as connection:
            self._act(connection, account)
            # Two judges come one after the other, and the claim cannot change in between.
            query = select(schema.claim.c.changed, schema.claim.c.withdrawn).where(schema.claim.c.id == number)
            row = connection.execute(query.with_for_update()).one_or_none()
            if row is None or row.withdrawn or row.changed != changed:
                raise Refused("The claim was changed or withdrawn meanwhile. Please read it again.")
            there = schema.truth_judgment
            now = connection.execute(select(there).where(there.c.claim == number, there.c.changed == changed)).all()
            given = tuple(Judgment(each.judge, each.judgment, each.note) for each in now)
            if not _may_judge(replace(one, judgments=given), account):
                raise Refused("Another judge has judged this claim, too: what each of you said stands.")
            mine = replace(said, judge=account.name)
            custodian.put_judgment(connection, number, changed, mine, self.now)
            # Not how: who reads the log may be a judge of the same claim.
            self._log(connection, account.name, address, "claim judged", f"claim {number}")

    def people(self, account: Account) -> tuple[Known, ...]:
        """Those whom intruders say they know."""
        names = self._names() if account.may(accounts.NAMES) else {}
        with self._store.reading() as connection:
            rows = connection.execute(select(acquaintance).order_by(acquaintance.c.id)).all()
        return tuple(
            Known(row.id, names.get(row.intruder, f"intruder {row.intruder}"), row.mark, row.consent, row.asked,
                  row.answer, row.answered)
            for row in rows
        )  # fmt: skip

    def answer(self, account: Account, number: int, answer: str, address: str) -> None:
        """Say whether somebody whom an intruder knows is in the file; only where that person agreed."""
        self._need(account, accounts.ANSWERS)
        if answer not in (acquaintances.IN, acquaintances.OUT):
            raise Refused("Choose whether the person is in the file.")
        with self._store.writing() as connection:
            self._act(connection, account)
            rows = update(acquaintance).where(acquaintance.c.id == number, acquaintance.c.consent.is_(True))
            if connection.execute(rows.values(answer=answer, answered=self.now)).rowcount != 1:
                raise Refused("Nothing is said of a person who has not agreed to it.")
            self._log(connection, account.name, address, "acquaintance answered", f"number {number}")

    def results(self, account: Account) -> tuple[Scores, int] | None:
        """The claims counted, and how many judgments were left out since this account may not see them yet.

        None while the test is open and the account may not see the truth.
        """
        if not self._sees_truth(account):
            return None
        found = material(self._store)
        masked = tuple(_masked(one, account) for one in found.judged)
        left_out = sum(len(full.judgments) - len(one.judgments) for full, one in zip(found.judged, masked, strict=True))
        return self._score(replace(found, judged=masked)), left_out

    def keep(self, account: Account, address: str) -> None:
        """Count all that judges said, and store the scores: they stay when the rest is erased."""
        self._need(account, accounts.KEEPS)
        custodian.keep_scores(self._store, self._score(material(self._store)))
        self.note(account, address, "scores kept")

    def has_scores(self) -> bool:
        """Whether something would stay if the test were erased now."""
        return custodian.kept_scores(self._store) is not None

    def invite(self, account: Account, name: str, address: str) -> str:
        """The token of a new link for an intruder."""
        self._need(account, accounts.INVITES)
        token = custodian.invite(self._store, name)
        self.note(account, address, "invited again", name)
        return token

    def erase(self, account: Account) -> Certificate:
        """Erase the test, now."""
        self._need(account, accounts.ERASES)
        return erase(self._store, account.name).certificate

    def log(self, account: Account, page: int = 1) -> tuple[Sequence[LogLine], bool]:
        """What was done, newest first, and whether there is more; without names and addresses except for custodians."""
        self._need(account, accounts.LOG)
        full, last = account.may(accounts.NAMES), page * LINES
        names = self._names() if full else {}
        with self._store.reading() as connection:
            theirs = connection.execute(
                select(schema.action).order_by(schema.action.c.at.desc(), schema.action.c.id.desc()).limit(last + 1)
            ).all()
            ours = connection.execute(
                select(truth_action).order_by(truth_action.c.at.desc(), truth_action.c.id.desc()).limit(last + 1)
            ).all()
        lines = [
            (row.at, 0, row.id, LogLine(row.at, _whose(row.intruder, names), row.address, row.what, row.detail))
            for row in theirs
        ]
        lines += [(row.at, 1, row.id, LogLine(*row[1:])) for row in ours]
        lines.sort(key=lambda each: each[:3], reverse=True)
        page_lines = [line for *_, line in lines[last - LINES : last]]
        if not full:
            page_lines = [replace(line, address="", detail="" if "invited" in line.what else line.detail)
                          for line in page_lines]  # fmt: skip
        return page_lines, len(lines) > last

    def _sees_truth(self, account: Account) -> bool:
        return account.may(accounts.JUDGES) or self.over()

    def _score(self, found: Material) -> Scores:
        return score(found, self.now)

    def _names(self) -> dict[int, str]:
        with self._store.reading() as connection:
            return {row.id: row.name for row in connection.execute(select(schema.intruder))}

    def _need(self, account: Account, right: str) -> None:
        if not account.may(right):
            raise NotAllowed

    def _act(self, connection: Connection, account: Account) -> None:
        """Count what an account does: no session that was stolen fills the disk."""
        who = str(account.id)
        self._limit(connection, "act", who, ACTS, ACT_SECONDS)
        connection.execute(insert(attempt).values(kind="act", who=who, at=self.now))

    def _limit(self, connection: Connection, kind: str, who: str, most: int, seconds: int) -> None:
        query = select(func.count()).select_from(attempt)
        query = query.where(attempt.c.kind == kind, attempt.c.who == who[:100], attempt.c.at > self.now - seconds)
        if connection.execute(query).scalar_one() >= most:
            raise TooMany

    def _log(self, connection: Connection, who: str, address: str, what: str, detail: str = "") -> None:
        values = {"at": self.now, "account": who, "address": address[:100], "what": what, "detail": detail[:500]}
        connection.execute(insert(truth_action).values(**values))


def _whose(number: int | None, names: dict[int, str]) -> str:
    return "" if number is None else names.get(number, f"intruder {number}")


def _sees(one: Judged, account: Account) -> bool:
    """Whether somebody sees what others say of a claim: with a judgment of their own, or when enough have judged and
    it is not their work to judge.
    """
    own = any(each.judge == account.name for each in one.judgments)
    return own or (account.role != accounts.JUDGE and judges(one.judgments) >= EYES)


def _may_judge(one: Judged, account: Account) -> bool:
    """Whether somebody may judge a claim, or change what they said: only while they saw nobody else's judgment."""
    others = any(each.judge != account.name for each in one.judgments)
    return account.may(accounts.JUDGES) and not (others and _sees(one, account))


def _masked(one: Judged, account: Account) -> Judged:
    """A claim without the judgments that somebody may not see, as if they had not been given."""
    if _sees(one, account):
        return one
    found = settle(one.known, (), one.claim.record is None)
    return replace(one, judgments=(), verdict=found.verdict, reasoned=found.reasoned, disputed=found.disputed)


def _without_truth(one: ToldClaim) -> ToldClaim:
    return replace(
        one, truth=None, known=None, verdict=None, reasoned=None, judgments=(), disputed=False, choices=(), outdated=()
    )
