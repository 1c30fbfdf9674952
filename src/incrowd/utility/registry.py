"""How a use case of a plan is compared: what it needs to know of the records, and what it makes of it.

@use_case(Proportion, share_needs, share_rule)
def proportion(case: Proportion, sides: Sides) -> Outcome: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from incrowd.plan.use_cases import UseCase
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Outcome

C = TypeVar("C", bound=UseCase)


@dataclass(frozen=True)
class Around:
    """What a use case may know beside the records: keys and columns of the release, the plan's folder, a key to draw
    by.
    """

    keys: tuple[str, ...]
    columns: tuple[str, ...]
    folder: Path
    subkey: bytes


@dataclass(frozen=True)
class Sides:
    """What is compared: the original at the release's categories, the release, and the file as it came."""

    original: Fetched
    released: Fetched
    at_start: Fetched
    around: Around


@dataclass(frozen=True)
class Kind:
    """How one kind of use case is compared."""

    needs: Callable[[Any, Around], list[Need]]
    compare: Callable[[Any, Sides], Outcome]
    rule: Callable[[Any], str]  # when it passes, in words: fixed before anything is treated
    at_start: bool = False  # it needs the same of the file as it came
    judges_itself: bool = False  # it says itself when it cannot be judged: a column with one value is no reason


#: Filled by the files of `use_cases`.
USE_CASES: dict[type[UseCase], Kind] = {}


def use_case(
    kind: type[C],
    needs: Callable[[C, Around], list[Need]],
    rule: Callable[[C], str] = lambda case: "",
    *,
    at_start: bool = False,
    judges_itself: bool = False,
) -> Callable[[Callable[[C, Sides], Outcome]], Callable[[C, Sides], Outcome]]:
    """Make a function from a use case of a plan, and two sides, to an outcome the one that compares this kind."""

    def register(compare: Callable[[C, Sides], Outcome]) -> Callable[[C, Sides], Outcome]:
        if kind in USE_CASES:
            raise ValueError(f"there are two ways to compare {kind.__name__}")
        USE_CASES[kind] = Kind(needs, compare, rule, at_start, judges_itself)
        return compare

    return register
