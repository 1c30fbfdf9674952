"""Those who run a test: custodians, judges and observers, each with a link that works once and their own rights."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from incrowd.errors import InputError, did_you_mean
from incrowd.intruder_test.custodian import need_alive
from incrowd.intruder_test.schema import intruder, truth_account, truth_action, truth_session
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.tokens import hashed, new_token
from incrowd.intruder_test.verdicts import BY_FILE

CUSTODIAN, JUDGE, OBSERVER = "custodian", "judge", "observer"
#: What somebody may do besides reading.
NAMES, INVITES, ANSWERS, JUDGES, KEEPS, ERASES, LOG = "names", "invite", "answer", "judge", "keep", "erase", "log"
ROLES = {
    CUSTODIAN: frozenset({NAMES, INVITES, ANSWERS, JUDGES, KEEPS, ERASES, LOG}),
    JUDGE: frozenset({JUDGES}),
    OBSERVER: frozenset({LOG}),
}
#: Where the office is found when nothing is said.
ADDRESS = "http://127.0.0.1:8766"
LONGEST = 80


@dataclass(frozen=True)
class Account:
    """Somebody who runs the test."""

    id: int
    name: str
    role: str

    def may(self, right: str) -> bool:
        """Whether the role has this right."""
        return right in ROLES[self.role]


def put_account(store: Store, name: str, role: str) -> str:
    """The token of a new link for an account, which is made where there is none. Its old link and sessions end.

    Two spellings of a name are one person: nobody judges twice. Who takes part as an intruder has no account.
    """
    need_alive(store)
    name = " ".join(name.split())
    if role not in ROLES:
        hint = did_you_mean(role, ROLES) or f"There are: {', '.join(ROLES)}."
        raise InputError("D490", f"there is no role {role!r}.", hint)
    if not name or len(name) > LONGEST or not name.isprintable() or folded(name) == folded(BY_FILE):
        raise InputError("D491", "this is no name for an account.", f"Use up to {LONGEST} letters.")
    token = new_token()
    with store.writing() as connection:
        if any(folded(each) == folded(name) for each in connection.execute(select(intruder.c.name)).scalars()):
            message = "an intruder of this name takes part, and nobody may judge their own claims."
            raise InputError("D491", message, "Name somebody else.")
        there = connection.execute(select(truth_account)).all()
        found = next((row for row in there if folded(row.name) == folded(name)), None)
        if found is None:
            connection.execute(insert(truth_account).values(name=name, role=role, link=hashed(token)))
        elif found.role != role:
            message = f"there is an account of this name already, with the role {found.role}."
            raise InputError("D491", message, "Whoever should do both has the role custodian; name somebody else.")
        else:
            connection.execute(update(truth_account).where(truth_account.c.id == found.id).values(link=hashed(token)))
            connection.execute(delete(truth_session).where(truth_session.c.account == found.id))
        values = {"at": store.now, "account": "the custodian", "address": "this machine", "what": "link made"}
        connection.execute(insert(truth_action).values(**values, detail=f"{name}, {role}"))
    return token


def folded(name: str) -> str:
    """A name as it is compared: however it is written, it is one person."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
