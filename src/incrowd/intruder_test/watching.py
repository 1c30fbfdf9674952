"""How a test goes while it is open: who has come, how long they have left, how much was claimed. Nobody's claims."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from incrowd.intruder_test import schema
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.store import Store


@dataclass(frozen=True)
class Watched:
    """One intruder: whether the link was used, when the clock started, when it ends, and how many claims stand."""

    name: str
    signed_in: bool
    started: int | None
    ends: int | None
    left: int  # seconds
    claims: int

    @property
    def state(self) -> str:
        """In words."""
        if self.started is not None:
            return "at work" if self.left else "time is up"
        return "signed in, rules not accepted yet" if self.signed_in else "has not come yet"


@dataclass(frozen=True)
class Watch:
    """The whole test at one moment."""

    facts: Facts
    erased: bool
    now: int
    intruders: tuple[Watched, ...] = ()
    withdrawn: int = 0

    @property
    def claims(self) -> int:
        """How many claims stand."""
        return sum(one.claims for one in self.intruders)

    @property
    def signed_in(self) -> int:
        """How many have used their link."""
        return sum(one.signed_in for one in self.intruders)

    @property
    def started(self) -> int:
        """How many have accepted the rules."""
        return sum(one.started is not None for one in self.intruders)

    @property
    def working(self) -> int:
        """How many have time left."""
        return sum(one.left > 0 for one in self.intruders)

    @property
    def over(self) -> bool:
        """Whether the last day has passed."""
        return self.now >= self.facts.expires


def watch(store: Store) -> Watch:
    """How does the test go?"""
    facts, now = store.facts, store.now
    if store.erased:
        return Watch(facts, True, now)
    with store.reading() as connection:
        people = connection.execute(select(schema.intruder).order_by(schema.intruder.c.id)).all()
        counted = select(schema.claim.c.intruder, schema.claim.c.withdrawn, func.count().label("many"))
        rows = connection.execute(counted.group_by(schema.claim.c.intruder, schema.claim.c.withdrawn)).all()
    standing = {row.intruder: int(row.many) for row in rows if not row.withdrawn}
    return Watch(
        facts,
        False,
        now,
        tuple(_one(row.name, row.link is None, row.started, facts, now, standing.get(row.id, 0)) for row in people),
        sum(int(row.many) for row in rows if row.withdrawn),
    )


def _one(name: str, used: bool, started: int | None, facts: Facts, now: int, claims: int) -> Watched:
    ends = None if started is None else min(started + int(facts.hours * 3600), facts.expires)
    left = 0 if ends is None else max(0, ends - now)
    return Watched(name, used or started is not None, started, ends, left, claims)
