"""A candidate: all that a proposal decides, as a value. From it follows the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

#: What is done to classes that still fail once the keys are coarsened.
#: recode: none may fail. cells: single cells are blanked. records: their records are dropped. local: a recoding for
#: each class.
Ending = Literal["recode", "cells", "records", "local"]

#: Which variables the recoding spares: all alike, or those that use cases name, so many times more. With "detail" it is
#: not the variables that count alike but their bits: a long one such as age is spared, at the cost of short ones.
Favour = Literal["alike", "users a little", "users", "users most", "detail"]
FAVOURS: Mapping[Favour, float] = {
    "alike": 1.0, "users a little": 2.0, "users": 4.0, "users most": 16.0, "detail": 4.0,
}  # fmt: skip

#: The crowds that are tried, one after the other.
CROWDS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1_000)


@dataclass(frozen=True)
class Candidate:
    """What is asked of the recoding of the keys, and how each other variable is treated.

    `values` has for each other variable the number of its treatment, `required` the requirements of sensitive variables
    that the plan did not make itself (as content of the plan), `floors` for keys the finest rung. With `levels` the
    recoding is not looked for: it is this one.
    """

    k: int
    ending: Ending = "recode"
    favour: Favour = "users"
    values: tuple[tuple[str, int], ...] = ()
    required: tuple[tuple[str, str], ...] = ()  # sensitive variable -> its requirement, as JSON
    floors: tuple[tuple[str, int], ...] = ()
    levels: tuple[tuple[str, int], ...] = ()
    without: frozenset[str] = frozenset()  # sensitive variables whose requirements are left out, to see what they cost
    remedies: tuple[str, ...] = field(default=(), compare=False)  # how it came about, for the reader

    def treated(self, name: str) -> int:
        """The number of a variable's treatment."""
        return dict(self.values).get(name, 0)

    def with_value(self, name: str, treatment: int) -> Candidate:
        """The same with another treatment of a variable."""
        return replace(self, values=_put(self.values, name, treatment))

    def with_required(self, name: str, requirement: str) -> Candidate:
        """The same with another requirement of a sensitive variable."""
        return replace(self, required=_put(self.required, name, requirement))

    def with_floor(self, name: str, rung: int) -> Candidate:
        """The same with a key that is said no finer than this."""
        return replace(self, floors=_put(self.floors, name, rung))

    def because(self, remedy: str) -> Candidate:
        """The same, with one more reason why it is tried."""
        return replace(self, remedies=(*self.remedies, remedy))


def next_crowd(k: int) -> int:
    """The next larger crowd to try."""
    return next((crowd for crowd in CROWDS if crowd > k), 2 * k)


def _put(pairs: tuple[tuple[str, Any], ...], name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted({**dict(pairs), name: value}.items()))
