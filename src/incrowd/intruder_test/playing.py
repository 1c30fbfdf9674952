"""Played intruders, for a dry run: they sit at the desk that the pages sit at, and know nothing of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from incrowd.intruder_test.browse import Found, RecordSearch
from incrowd.intruder_test.claims import Claim, told_by
from incrowd.intruder_test.desk import Desk, Intruder
from incrowd.intruder_test.making import Invitation
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.store import Store

#: From a card, what could be its person, and the columns to a claim; None where nothing is claimed.
Play = Callable[[int, Sequence[tuple[str, str | None]], Found, Sequence[ReleasedColumn]], Claim | None]
ADDRESS = "played"


def _guess(card: int, shown: Sequence[tuple[str, str | None]], found: Found, _: object) -> Claim | None:
    """Takes the first of those who fit, and knows that it is a guess."""
    if not found.count:
        return None
    why = f"{found.count} records could be it; I took the first."
    return _claim(card, shown, 100 // found.count, ("own",), why, record=found.rows[0][0])


def _overclaim(card: int, shown: Sequence[tuple[str, str | None]], found: Found, _: object) -> Claim | None:
    """Is sure where a record says just what the card says."""
    if not found.exact:
        return None
    why = "This record says everything that I know of the person."
    return _claim(card, shown, 85, ("social", "search"), why, record=found.rows[-1][0])


def _learn(
    card: int, shown: Sequence[tuple[str, str | None]], found: Found, columns: Sequence[ReleasedColumn]
) -> Claim | None:
    """Does not ask who it is: claims what all who fit have in common and the card does not tell."""
    if not found.count or found.pages > 1:
        return None
    for at, column in enumerate(columns):
        values = {values[at] for _, values in found.rows}
        if column.kind == "choice" and column.name not in told_by(shown) and len(values) == 1 and None not in values:
            why = f"All {found.count} who could be it have this value, so I need not know which one it is."
            return _claim(card, shown, 95, ("own",), why, attribute=column.name, value=values.pop())
    return None


#: Who is played, one after the other.
PLAYERS: Mapping[str, Play] = {
    "played: guesses": _guess, "played: is always sure": _overclaim, "played: learns values": _learn,
}  # fmt: skip


def play(place: str, invitations: Sequence[Invitation]) -> int:
    """Let everybody who is played sign in, accept the rules and file claims; gives how many claims there are."""
    tokens = {each.name: each.token for each in invitations}
    store = Store(place, desk=True)
    try:
        desk = Desk(store)
        return sum(_sit(desk, tokens[name], how) for name, how in PLAYERS.items())
    finally:
        store.close()


def _sit(desk: Desk, token: str, how: Play) -> int:
    who = _begin(desk, token)
    filed = 0
    for card, shown in desk.cards(who).items():
        looks = desk.looks(who, card) or ()
        claim = how(card, shown, desk.search(who, RecordSearch(like=card), looks), desk.facts.columns)
        if claim is not None:
            desk.file(who, f"card {card}", claim, ADDRESS)
            filed += 1
    return filed


def _begin(desk: Desk, token: str) -> Intruder:
    cookie = desk.sign_in(token, ADDRESS)
    assert cookie is not None
    who = desk.who(cookie)
    assert who is not None
    desk.accept(who, ADDRESS)
    began = desk.who(cookie)
    assert began is not None
    return began


def _claim(
    card: int, shown: Sequence[tuple[str, str | None]], sure: int, kinds: tuple[str, ...], why: str,
    *, record: int | None = None, attribute: str | None = None, value: str | None = None,
) -> Claim:  # fmt: skip
    used = tuple(sorted(told_by(shown)))
    return Claim(card, "", record, attribute, value, sure, "what the card says", used, why, kinds, minutes=3)
