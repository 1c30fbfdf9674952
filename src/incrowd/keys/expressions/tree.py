"""What an expression is made of, once it was read: constants, columns and calls. An operator is a call, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

#: What something stands for. A cell is a column as it is: a number or a text, whichever is needed of it.
Kind = Literal["number", "text", "truth", "cell"]


class ExpressionFault(Exception):
    """What is wrong with an expression, before any data was looked at."""

    def __init__(self, kind: Literal["unreadable", "function", "mismatch"], message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.hint = kind, message, hint


@dataclass(frozen=True)
class Constant:
    """A number or a text that stands in the expression itself."""

    value: Fraction | str
    kind: Kind


@dataclass(frozen=True)
class Column:
    """A column, and how its cells are read: as numbers, as texts, or as they are (`known`: a missing code is none)."""

    name: str
    read: Literal["number", "text", "known"] = "text"
    kind: Kind = "cell"


@dataclass(frozen=True)
class Call:
    """An operator or a function, and what it is given."""

    name: str
    given: tuple[Node, ...]
    kind: Kind


Node = Constant | Column | Call


@dataclass(frozen=True)
class Expression:
    """An expression that makes sense: every operator gets what it needs."""

    text: str
    tree: Node

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, each once, in their order."""
        return tuple(dict.fromkeys(_columns(self.tree)))


def _columns(node: Node) -> Iterator[str]:
    if isinstance(node, Column):
        yield node.name
    elif isinstance(node, Call):
        for each in node.given:
            yield from _columns(each)
