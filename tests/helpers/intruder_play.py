"""Claims that are really filed at the desk of a test, and judgments that are really stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from incrowd.intruder_test import custodian
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.desk import Desk, Intruder
from incrowd.intruder_test.making import Invitation
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.verdicts import Judgment, Truth

#: From a card's number and its truth to what is claimed, as fields of a claim; None where nothing is.
Play = Callable[[int, int, Truth], Mapping[str, Any] | None]


def material_of(place: Path) -> Material:
    with custodian.opened(str(place)) as store:
        return custodian.material(store)


def play(
    place: Path,
    invitations: Sequence[Invitation],
    how: Play,
    then: Callable[[Desk, Intruder, Claim], object] | None = None,
) -> None:
    """Everybody who is invited signs in, accepts the rules and claims of each card what `how` says: it is given who
    claims (from 0), the card and the truth. `then` is done with each claim once it is filed.
    """
    truths = material_of(place).truths
    store = Store(str(place), desk=True)
    try:
        desk = Desk(store)
        for number, invited in enumerate(invitations):
            cookie = desk.sign_in(invited.token, "here")
            assert cookie is not None
            who = desk.who(cookie)
            assert who is not None
            desk.accept(who, "here")
            who = desk.who(cookie)
            assert who is not None
            for card in desk.cards(who):
                said = how(number, card, truths[card])
                if said is not None:
                    plain = Claim(card, "", None, None, None, 50, "what I know", (), "It fits, and nobody else does.")
                    claim = replace(plain, **said)
                    claim = replace(claim, id=desk.file(who, f"{number}-{card}", claim, "here"))
                    if then is not None:
                        then(desk, who, claim)
    finally:
        store.close()


def say(place: Path, what: Callable[[Judged], Sequence[Judgment]]) -> None:
    """Store what judges say of each claim as it stands."""
    with custodian.opened(str(place)) as store:
        judged = custodian.material(store).judged
        with store.writing() as connection:
            for each in judged:
                for one in what(each):
                    custodian.put_judgment(connection, each.claim.id, each.claim.changed, one, store.now)
