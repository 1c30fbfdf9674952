"""Whom a requirement binds (`where`), and how an engine can test classes that are not here."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.errors import InputError
from incrowd.keys.requirements.figures import figures_of
from incrowd.keys.table import KeyTable


@dataclass(frozen=True)
class ClassTest:
    """Which classes fail: fewer than k people, fewer than l values of a variable, or too large a share of one value.

    A share of 1 or more is the strict form: only classes in which everybody has the value fail. An engine can tell
    without handing the classes out.
    """

    keys: tuple[str, ...]
    k: int | None = None
    sensitive: str | None = None
    l: int | None = None  # noqa: E741 - the literature's name
    value: str | None = None
    share: float = 1.0


def where_name(condition: str) -> str:
    """The name under which a table keeps who meets a condition: a histogram with the values '1' and '0'."""
    return f"where: {condition}"


def is_met(table: KeyTable, name: str) -> bool:
    """Does anybody meet a condition that was counted with the table?"""
    return bool(figures_of(table, name).having("1").any())


def refuse_unmet(met: bool, name: str) -> None:
    """Refuse a condition that nobody meets: a value that does not occur would make every class pass."""
    if not met:
        raise InputError(
            "D068", f"no record meets the condition {name!r}.", "Write its values exactly as they are at that step."
        )
