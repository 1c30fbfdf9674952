"""How a model is written as a short text: what stands between the colons, and what makes a requirement of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.keys.hierarchy import Hierarchy

if TYPE_CHECKING:
    from incrowd.keys.requirements.base import Requirement


@dataclass(frozen=True)
class Spelled:
    """What comes with the fields: the subset, and what is known of the sensitive variable."""

    keys: tuple[str, ...] | None
    where: str | None
    order: tuple[str, ...] | None
    hierarchy: Hierarchy | None


@dataclass(frozen=True)
class Form:
    """The fields of a model (optional ones in brackets, A for the sensitive variable), and what makes it of them.

    A field that should be a number and is not one raises ValueError.
    """

    fields: str
    make: Callable[[Sequence[str], Spelled], Requirement]

    @property
    def most(self) -> int:
        """How many fields there may be."""
        return len(self.fields.split(":"))

    @property
    def fewest(self) -> int:
        """How many fields there must be."""
        return self.most - self.fields.count("[")

    def spelling(self, name: str) -> str:
        """The whole text: `t:A:T[:equal|ordered]`."""
        return f"{name}:{self.fields.replace(':[', '[:')}"
