"""What every protection step says of itself, so that a plan can be checked without knowing the methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from incrowd.plan.strict import Strict, Text


class Step(Strict):
    """What every protection step has. A method answers the questions below where its answer differs."""

    reason: Text | None = Field(None, description="Why this step. Stays in the audit.")
    off: bool = Field(False, description="Leave the step out, and keep it in the plan and in the audit.")

    #: The variables that it names must be keys.
    only_keys: ClassVar[bool] = False

    #: It says a variable more coarsely, or removes or makes columns, for all records alike: use cases compare the
    #: release with the records after such steps alone.
    only_coarsens: ClassVar[bool] = False

    #: Chance, by the secret, may decide something of what it changes. A step without this is given no key to draw by.
    chance: ClassVar[bool] = False

    #: Fields that shape its draws otherwise than by their key: of two files that differ in these alone, one is the
    #: other with more noise.
    nested: ClassVar[frozenset[str]] = frozenset()

    #: What a search finds, for a later run to pin; and the fields that only say how it is looked for, or pin it.
    finds: ClassVar[tuple[str, ...]] = ()
    searched: ClassVar[frozenset[str]] = frozenset()

    #: The files it reads may hold records about people: an audit keeps their hashes, never a copy.
    about_people: ClassVar[bool] = True

    @property
    def perturbs(self) -> bool:
        """Does it make other values of those it finds, so that two files made differently tell more together?"""
        return self.chance

    @property
    def decides_by_class(self) -> bool:
        """Does it decide about records by the classes they are in? Then nothing may change the classes later."""
        return False

    @property
    def per_record(self) -> bool:
        """Does it treat every record alone, so that people with several records, and populations, are out of reach?"""
        return False

    @property
    def samples(self) -> bool:
        """Does it take records out of every class, so that nothing decided before it holds any more?"""
        return False

    @property
    def needs_population(self) -> bool:
        """Does it count in data.population?"""
        return False

    def together(self, household: str | None) -> bool:
        """Does it treat whole households, in a plan that names this variable for them?"""
        return False

    def named(self) -> list[tuple[str, str]]:
        """The variables that it names, each with its place in the step."""
        return []

    def needs_keys(self) -> set[str]:
        """The places among them where only a key will do."""
        return {place for place, _ in self.named()} if self.only_keys else set()

    def randomises(self) -> list[str]:
        """The variables whose values it changes record by record, by chance."""
        return []

    def alters(self) -> list[str]:
        """The variables whose values it recodes or removes for all records."""
        return []

    def files(self) -> dict[str, str]:
        """The files it reads, by their place in the step."""
        return {}

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """The keys that it may change in a way that only the data decide."""
        return set()

    def after(self, there: list[str], identifiers: Sequence[str]) -> list[str]:
        """The variables that are there after it."""
        return there
