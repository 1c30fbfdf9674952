"""Drop the classes that fail until none fails: what suppress_records does, on the KeyTable alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.keys.requirements import Requirement
from incrowd.keys.table import KeyTable, Mask


@dataclass(frozen=True, eq=False)
class Dropped:
    """What is left, how many records went for which requirement (in words), and which classes of which table went."""

    table: KeyTable
    removed_for: dict[str, int]
    gone: tuple[tuple[KeyTable, Mask], ...]

    @property
    def removed(self) -> int:
        """Records that went."""
        return sum(self.removed_for.values())


def drop_failing_classes(table: KeyTable, requirements: Sequence[Requirement]) -> Dropped:
    """Drop what fails until nothing fails.

    With one record per person and one set of keys one round is enough, because dropping a class leaves the others as
    they are. Where people have several records, or requirements look at different keys, other classes shrink, and it
    goes round again: the fixpoint exists since every round drops somebody.
    """
    removed_for = dict.fromkeys((requirement.describe() for requirement in requirements), 0)
    gone: list[tuple[KeyTable, Mask]] = []
    dropped = True
    while dropped:
        dropped = False
        for requirement in requirements:
            failing = requirement.failing(table) & (table.records > 0)
            if not failing.any():
                continue
            gone.append((table, failing))
            left = table.suppress(failing)
            removed_for[requirement.describe()] += int(table.records.sum() - left.records.sum())
            table, dropped = left, True
    return Dropped(table, removed_for, tuple(gone))
