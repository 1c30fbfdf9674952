"""People whom an intruder knows. Their names stay on paper: here is a mark, such as "A", and whether they are in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from incrowd.intruder_test.schema import acquaintance, claim

IN, OUT = "in", "out"
#: So many for one intruder.
MOST = 20
#: What stands for somebody. Too short for a name with a surname, and without spaces.
_MARK = re.compile(r"[A-Za-z0-9]{1,3}")


@dataclass(frozen=True)
class Acquaintance:
    """Somebody whom an intruder knows, who agreed to it, and what a custodian answered."""

    id: int
    mark: str
    asked: int
    answer: str | None  # IN, OUT, or None while no custodian has answered
    claimed: bool = False  # whether a claim is about this person


def is_mark(text: str) -> bool:
    """Whether a text may stand for somebody: up to three letters or digits.

    >>> is_mark("A"), is_mark("B12"), is_mark("Kim Lee"), is_mark("")
    (True, True, False, False)
    """
    return _MARK.fullmatch(text) is not None


def people_of(connection: Connection, intruder: int) -> list[Acquaintance]:
    """Whom an intruder knows, in the order in which they were added."""
    about = select(claim.c.acquaintance).where(claim.c.intruder == intruder, claim.c.acquaintance.is_not(None))
    claimed = set(connection.execute(about).scalars())
    rows = select(acquaintance).where(acquaintance.c.intruder == intruder).order_by(acquaintance.c.id)
    return [
        Acquaintance(row.id, row.mark, row.asked, row.answer, row.id in claimed) for row in connection.execute(rows)
    ]


def add(connection: Connection, intruder: int, mark: str, now: int) -> bool:
    """Ask for somebody who agreed to it; False where there is such a mark already, or too many."""
    own = acquaintance.c.intruder == intruder
    there = connection.execute(select(func.count()).select_from(acquaintance).where(own)).scalar_one()
    same = select(acquaintance.c.id).where(own, acquaintance.c.mark == mark)
    if there >= MOST or connection.execute(same).scalar_one_or_none() is not None:
        return False
    connection.execute(insert(acquaintance).values(intruder=intruder, mark=mark, consent=True, asked=now))
    return True


def remove(connection: Connection, intruder: int, number: int) -> bool:
    """Take somebody back whom no custodian has answered for; False where it is not theirs, or too late.

    An answer stays: what was told about somebody is part of the test.
    """
    own = acquaintance.c.intruder == intruder, acquaintance.c.id == number, acquaintance.c.answer.is_(None)
    about = select(claim.c.id).where(claim.c.acquaintance == number).limit(1)
    if connection.execute(about).scalar_one_or_none() is not None:
        return False
    return connection.execute(delete(acquaintance).where(*own)).rowcount == 1
