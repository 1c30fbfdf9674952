"""What would it have cost? Alternatives that were not chosen, priced in records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.keys.drop_failing import drop_failing_classes
from incrowd.keys.requirements import Requirement
from incrowd.keys.table import KeyTable


@dataclass(frozen=True)
class Price:
    """The records that would be dropped, at the release's recodings, if these requirements were met by dropping."""

    name: str
    requirements: tuple[str, ...]
    dropped: int
    records: int
    chosen: bool = False

    @property
    def share(self) -> float:
        """Of all records."""
        return self.dropped / self.records if self.records else 0.0


def price(name: str, table: KeyTable, requirements: Sequence[Requirement], chosen: bool = False) -> Price:
    """How many records do these requirements cost? `table` is the one before anything is suppressed.

    Misleads as a comparison where another recoding would be chosen for them: it is the price at this recoding.
    """
    dropped = drop_failing_classes(table, [requirement.bind(table) for requirement in requirements])
    words = tuple(requirement.describe() for requirement in requirements)
    return Price(name, words, dropped.removed, int(table.records.sum()), chosen)
