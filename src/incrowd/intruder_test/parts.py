"""Each intruder's own part: who is in which team, of which area, and which cards go to whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from incrowd.errors import InputError, did_you_mean
from incrowd.intruder_test.cards import CONTROL, STRATA, Card

MOST_INTRUDERS = 500
#: What the only team of a test is called.
TEAM = "intruders"


@dataclass(frozen=True)
class Invited:
    """Somebody who takes part."""

    name: str
    team: int = 0  # its place among the teams
    area: str | None = None  # whose people are on the cards; None: of anywhere


@dataclass(frozen=True)
class Pool:
    """Cards for the intruders of one team and one area."""

    team: int
    area: str | None
    cards: tuple[Card, ...]


def read_teams(given: Sequence[str]) -> dict[str, str]:
    """The teams as a custodian writes them, name=scenario: each name with its scenario.

    >>> read_teams(["near=neighbour", "far = stranger"])
    {'near': 'neighbour', 'far': 'stranger'}
    """
    teams: dict[str, str] = {}
    for each in given:
        name, _, scenario = (part.strip() for part in each.partition("="))
        if not name or not scenario or name in teams or len(name) > 80 or not name.isprintable():
            raise InputError("D485", "a team has no name, no scenario, or the name of another.", "Write NAME=SCENARIO.")
        teams[name] = scenario
    return teams


def read_strata(text: str) -> dict[str, int]:
    """How many targets of each stratum, as a custodian writes it.

    >>> read_strata("unique=3, safe=2")
    {'unique': 3, 'safe': 2}
    """
    found: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name not in STRATA or name == CONTROL or name in found or not (number.isascii() and number.isdigit()):
            kinds = ", ".join(name for name in STRATA if name != CONTROL)
            raise InputError("D487", "--strata is not as it should be.", f"Write unique=3,pair=2,safe=2; of {kinds}.")
        found[name] = min(int(number[:9]), 10**6)
    return found


def read_intruders(given: str, lines: Sequence[str], teams: Sequence[str], by_area: bool) -> tuple[Invited, ...]:
    """Who is invited: so many, or by the lines of a file: a name, and behind tabs the team and the area.

    Those without a team are dealt out to the teams evenly.
    """
    if given.isdecimal():
        if len(given) > 9:  # far more than anybody can invite; counted later
            raise InputError("D221", f"--intruders must be from 1 to {MOST_INTRUDERS}.")
        many = min(int(given), MOST_INTRUDERS + 1)
        return tuple(Invited(f"intruder {number}", (number - 1) % len(teams)) for number in range(1, many + 1))
    found = []
    for number, line in enumerate(lines, start=1):
        cells = [" ".join(cell.split()) for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) > 3:
            raise InputError("D485", f"line {number} of {given} has more than name, team and area.", "Divide by tabs.")
        name, team, area = [*cells, "", ""][:3]
        if area and not by_area:
            hint = "Name the key with --by-area, or leave the area out."
            raise InputError("D485", f"line {number} of {given} names an area, and the test is not by area.", hint)
        if team and team not in teams:
            hint = did_you_mean(team, list(teams)) or f"There are: {', '.join(teams)}."
            raise InputError("D485", f"line {number} of {given} names a team that there is not.", hint)
        found.append(Invited(name, teams.index(team) if team else -1, area or None))
    names = [each.name for each in found]
    if len(set(names)) < len(names) or any(not 0 < len(name) <= 80 or not name.isprintable() for name in names):
        hint = "One name of 80 letters a line."
        raise InputError("D221", f"{given} has a name twice, one that is too long, or a line without one.", hint)
    return _spread(found, len(teams))


def _spread(invited: Sequence[Invited], teams: int) -> tuple[Invited, ...]:
    """Whoever has no team yet goes to the smallest."""
    sizes = [sum(each.team == team for each in invited) for team in range(teams)]
    found = []
    for each in invited:
        team = each.team
        if team < 0:
            team = sizes.index(min(sizes))
            sizes[team] += 1
        found.append(Invited(each.name, team, each.area))
    return tuple(found)


def deal_out(pools: Sequence[Pool], invited: Sequence[Invited], each: int | None) -> list[tuple[int, int]]:
    """Which card goes to whom: pairs of an intruder and a card, both from 1 on.

    Everybody gets all cards of the pool, or so many of them, one after the other around the table: each card goes to
    as many as every other, give or take one.
    """
    pairs, before = [], 0
    for pool in pools:
        cards, members = len(pool.cards), list(_members(pool, invited))
        many = cards if each is None else min(each, cards)
        if len(members) * many < cards:
            message = f"{len(members)} intruders with {many} cards each cannot hold {cards} cards: some go to nobody."
            raise InputError("D485", message, "Raise --cards-each, or ask for fewer --targets.")
        for place, member in enumerate(members):
            pairs += [(member, before + 1 + (place * many + i) % cards) for i in range(many)]
        before += cards
    return pairs


def thinly(pairs: Sequence[tuple[int, int]]) -> int:
    """How many cards go to one intruder only: what one does not find, another might have."""
    return sum(many == 1 for many in Counter(card for _, card in pairs).values())


def _members(pool: Pool, invited: Sequence[Invited]) -> Iterator[int]:
    for number, who in enumerate(invited, start=1):
        if (who.team, who.area) == (pool.team, pool.area):
            yield number
