"""What a test is: its file, teams, times and texts. Intruders may read all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.keys.unit_name import PEOPLE, UnitName


@dataclass(frozen=True)
class Team:
    """Intruders who are told the same: what the scenario lets them know, and whether who is in the file is known."""

    name: str
    scenario: str
    all_in_file: bool  # no decoys, and the scenario says that who is in the file is known
    error: Mapping[str, float] = field(default_factory=dict)  # of a key: how often what cards tell of it is wrong
    cards: int = 0  # the most that one of its intruders gets


@dataclass(frozen=True)
class Facts:
    """What a test is. Intruders may read all of it."""

    title: str
    sha256: str
    records: int
    columns: tuple[ReleasedColumn, ...]
    teams: tuple[Team, ...]  # one at least
    cards: int  # in all: each intruder sees their own
    hours: float
    expires: int  # seconds since 1970
    delete_on: int
    prize: str
    sources: str
    confidentiality: str
    made: int
    called: UnitName = PEOPLE  # what those in the file are called
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of values on cards: what they stand for
    titles: Mapping[str, str] = field(default_factory=dict)  # what columns on cards mean
    texts: Mapping[str, str] = field(default_factory=dict)  # what participants read and accept: see texts.NAMES
    round: int = 1
    earlier: str = ""  # the SHA-256 of the release of the round before
    acquaintances: bool = False  # whether intruders may ask for people whom they know
    by_area: str = ""  # the key whose value is an intruder's area, where cards go by area
    dry_run: bool = False  # a rehearsal with played claims: its scores say nothing about any release

    @staticmethod
    def parse(text: str) -> Facts:
        """From JSON."""
        found = json.loads(text)
        columns = tuple(
            ReleasedColumn(**{**column, "values": tuple((v, n) for v, n in column["values"])})
            for column in found.pop("columns")
        )
        teams = tuple(Team(**team) for team in found.pop("teams"))
        called = UnitName(**found.pop("called", {}))
        return Facts(**found, columns=columns, teams=teams, called=called)

    def dump(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @property
    def scenario(self) -> str:
        """The scenarios of the teams, in words."""
        return ", ".join(dict.fromkeys(team.scenario for team in self.teams))

    def word(self, name: str, value: str | None) -> tuple[str, str]:
        """What a card tells, in words where there are any; and the value behind it, where it is written otherwise."""
        if value is None:
            return "(not known)", ""
        word = self.words.get(name, {}).get(value)
        return (value, "") if word is None else (word, value)

    def said(self, name: str, value: str | None) -> str:
        """What a card tells, in one line."""
        word, value = self.word(name, value)
        return f"{word} ({value})" if value else word

    def meaning(self, name: str) -> str:
        """What a column means, where somebody says it in other words than its name."""
        at = self.column(name)
        title = self.titles.get(name) if at is None else self.columns[at].title
        return title if title and title != name else ""

    def column(self, name: str | None) -> int | None:
        """Which column has this name? None when there is none."""
        return next((i for i, column in enumerate(self.columns) if column.name == name), None)
