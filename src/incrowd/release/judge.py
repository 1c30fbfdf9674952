"""Does a requirement of the plan hold in a file that was read again?

Each model's own formula registers itself (formulas.py); a requirement without one is never released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from incrowd.errors import NotReleasable
from incrowd.plan.requirements import AnyModel
from incrowd.release.recount import Combination, GateInputs, Recount

#: How often each value of a sensitive variable occurs.
Spread = Mapping[str | None, int]
#: Sums of floating-point shares may differ in the last bits from the same sums in another order.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Judgement:
    """Whether it holds, what was asked, and what the file has (None where no class is concerned)."""

    passed: bool
    limit: float
    achieved: float | None
    lower: bool = False  # of two limits the lower one was nearest


@dataclass(frozen=True)
class Case:
    """A requirement, the file to judge it in, and what else the gate was told."""

    requirement: AnyModel
    count: Recount
    all_keys: Sequence[str]
    known: GateInputs

    @cached_property
    def keys(self) -> list[str]:
        """The keys that it looks at."""
        return self.requirement.keys or list(self.all_keys)

    @cached_property
    def concerned(self) -> set[Combination] | None:
        """The classes that its condition picks; None where it has none."""
        where = self.requirement.where
        return None if where is None else set(self.count.where(where).people(self.keys))

    def bound(self, classes: Iterable[Combination]) -> list[Combination]:
        """Those of the classes that the condition picks."""
        return [c for c in classes if self.concerned is None or c in self.concerned]

    def figures(self, sensitive: str, figure: Callable[[int, Spread], float]) -> list[float]:
        """One figure for each class, of its people and its spread, class by class: they are never all here."""
        return [figure(n, q) for c, n, q in self.count.spread(self.keys, sensitive) if self.bound([c])]

    def whole(self, sensitive: str) -> Spread:
        """How a variable was spread in the file before suppression."""
        return self.known.spread.get(sensitive, {})

    def population(self) -> dict[Combination, int]:
        """The people of the population in each class."""
        if self.known.population is None:
            raise NotReleasable("R007", "a requirement needs a population and the gate has none.")
        at = [list(self.all_keys).index(key) for key in self.keys]
        result: dict[Combination, int] = {}
        for combination, people in self.known.population.items():
            part = tuple(combination[i] for i in at)
            result[part] = result.get(part, 0) + people
        return result


F = TypeVar("F", bound=Callable[[Any, Case], Judgement])

#: The formula of each kind of requirement.
FORMULAS: dict[type[AnyModel], Callable[[Any, Case], Judgement]] = {}


def judges(*kinds: type[AnyModel]) -> Callable[[F], F]:
    """Register the gate's formula of requirements: (requirement, case) -> judgement."""

    def register(formula: F) -> F:
        for kind in kinds:
            if kind in FORMULAS:
                raise TypeError(f"{kind.__name__} has a formula already: {FORMULAS[kind].__name__}")
            FORMULAS[kind] = formula
        return formula

    return register


def judge(count: Recount, all_keys: Sequence[str], requirement: AnyModel, known: GateInputs) -> Judgement:
    """Measure one requirement on the classes it is about."""
    case = Case(requirement, count, all_keys, known)
    sensitive = getattr(requirement, "sensitive", None)
    counted = [*case.keys, *(requirement.where or {}), *([sensitive] if sensitive else [])]
    if not count.one_text(counted):
        raise NotReleasable("R015", "a column that is counted can be read as different texts in the written file.")
    return FORMULAS[type(requirement)](requirement, case)


def least(limit: float, figures: Sequence[float | None]) -> Judgement:
    """No figure may be below the limit."""
    found = [figure for figure in figures if figure is not None]
    smallest = min(found) if found else None
    return Judgement(smallest is None or smallest >= limit * (1 - TOLERANCE), limit, smallest)


def most(limit: float, figures: Sequence[float], strict: bool = False) -> Judgement:
    """No figure may be above the limit; strictly, none may reach it."""
    largest = max(figures) if figures else None
    if largest is None:
        return Judgement(True, limit, None)
    passed = largest < limit - TOLERANCE if strict else largest <= limit + TOLERANCE
    return Judgement(passed, limit, largest)
