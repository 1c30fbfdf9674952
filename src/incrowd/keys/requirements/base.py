"""What every requirement is: a figure for each class, a limit, and what search may conclude from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import Fault, InputError, PlanError, did_you_mean
from incrowd.keys.requirements.conditions import ClassTest, where_name
from incrowd.keys.requirements.convex import Convex
from incrowd.keys.requirements.figures import Figures, figures_of
from incrowd.keys.requirements.form import Form
from incrowd.keys.requirements.kernels import Float64
from incrowd.keys.table import Int64, KeyTable, Mask

Numbers = NDArray[Any]
#: Every privacy model by its word. A class that has one registers itself.
MODELS: dict[str, type[Requirement]] = {}
#: No file has so many people, and no count of 64 bits ends below it.
MOST = 10**15


@dataclass(frozen=True)
class Requirement:
    """A privacy model the release must satisfy: which classes fail, what the file achieves, may a search prune?

    `keys` makes it look at fewer keys than the table has. `where` makes it bind only classes that hold at least one
    record of a subset (a condition the engine evaluated, see `where_name`); counts are of the whole file.
    A class nobody of the file is in never fails (delta-presence is the exception: there absence tells something).
    """

    keys: tuple[str, ...] | None = field(default=None, kw_only=True)
    where: str | None = field(default=None, kw_only=True)

    #: The word for it in plans and reports.
    model: ClassVar[str]
    #: Its short texts for the command line, by the word they begin with: its own, and ARX's where that has one.
    forms: ClassVar[Mapping[str, Form]]
    #: What its figure is, in the words of a report; the worst class decides.
    measured: ClassVar[str]
    #: Whether the smallest figure is the worst one (sizes, diversity), or the largest (shares, distances).
    smallest_is_worst: ClassVar[bool] = False
    #: Whether its figure counts people: how small a crowd is nobody may be told.
    counts_people: ClassVar[bool] = False
    #: Whether its figure has a limit on both sides, so that a reader must be told which one is near.
    two_bounds: ClassVar[bool] = False
    #: Whether it needs the counts of a population.
    needs_population: ClassVar[bool] = False
    #: Whether it compares with the file before suppression, which the release alone does not tell.
    compares_with_file: ClassVar[bool] = False
    #: Whether it limits what a class gives away about its sensitive variable without anybody being found.
    limits_disclosure: ClassVar[bool] = False
    #: The residual risk that its figure measures, as the report lists it (report/board/residual.py).
    residual: ClassVar[str | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "model" not in vars(cls):  # what several models share
            return
        if cls.model in MODELS:
            raise TypeError(f"there is a model {cls.model!r} already: {MODELS[cls.model].__qualname__}")
        if missing := [name for name in ("forms", "measured") if name not in vars(cls)]:
            raise TypeError(f"the model {cls.model!r} does not say its {missing[0]}")
        MODELS[cls.model] = cls

    @classmethod
    def is_strict(cls, limit: float) -> bool:
        """Whether a figure that is equal to this limit fails."""
        return False

    def measure(self, table: KeyTable) -> Numbers:
        """The figure of each class of the table, whatever keys and condition the requirement has."""
        raise NotImplementedError

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Which figures are out of bounds."""
        raise NotImplementedError

    def words(self) -> str:
        """The requirement in words, without its keys and condition."""
        raise NotImplementedError

    @property
    def survives_growth(self) -> bool:
        """Whether a class that passes still passes whoever joins it."""
        return False

    @property
    def survives_merging(self) -> bool:
        """Whether two classes that pass still pass as one (p being fixed, and each person in one class only)."""
        return True

    @property
    def monotone(self) -> bool:
        """Whether coarsening a table that satisfies it gives a table that satisfies it.

        With `where` a class that is bound may be joined by one that was not, so merging is not enough.
        """
        return self.survives_merging if self.where is None else self.survives_growth

    @property
    def prunes(self) -> bool:
        """Whether coarsening never makes more records fail, so that search may prune under a suppression limit.

        Where a class survives growth, a coarse class fails only if all its parts did, and nobody new fails; with
        `where` some of the parts may have been free.
        """
        return self.survives_growth and self.where is None

    @property
    def fewest_people(self) -> int:
        """No class with fewer people can pass."""
        return 1

    @property
    def sensitive_name(self) -> str | None:
        """The sensitive variable it speaks of, if any."""
        return getattr(self, "sensitive", None)

    @property
    def needs_histograms(self) -> tuple[str, ...]:
        """The histograms a table must be counted with."""
        condition = None if self.where is None else where_name(self.where)
        return tuple(name for name in (self.sensitive_name, condition) if name is not None)

    def bind(self, table: KeyTable) -> Self:
        """Fix what the requirement compares with, from the table before suppression.

        Models that compare with the whole file return a requirement that holds its distribution p; others return
        themselves. After `recode_sensitive`, bind again.
        """
        return self

    def refuse_absent(self, occurs: Callable[[str, str], bool]) -> None:
        """Raise where it names a value of a variable that does not occur: that slip would make every class pass."""

    def class_test(self, keys: tuple[str, ...]) -> ClassTest | None:
        """The same as a test that an engine can do, on these keys and without a condition; None where it cannot."""
        return None

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """Convex figures above whose limits a class fails: by them a search may prune under a suppression limit. Only
        for tables without several records of a person, and where it looks at all keys.
        """
        return ()

    def doomed(self, table: KeyTable) -> Float64:
        """The least share of each class's records that fails however the class is divided (`convex.py`)."""
        found = self.convex(table) if self.where is None else ()
        share: Float64 = np.max([np.zeros(len(table.records)), *(one.doomed() for one in found)], axis=0)
        return share

    def failing(self, table: KeyTable) -> Mask:
        """Which classes fail; with own keys, every class inside a failing class of those keys."""
        return self._failing(table, *self._measured(table))

    def achieved(self, table: KeyTable) -> float | None:
        """The value the file reaches: its worst class (smallest k or l, largest share); None without classes."""
        _, _, bound, figures = self._measured(table)
        return self.worst(figures[bound]) if bound.any() else None

    def check(self, table: KeyTable) -> Standing:
        """Both at once, for the price of one."""
        small, to, bound, figures = self._measured(table)
        worst = self.worst(figures[bound]) if bound.any() else None
        return Standing(self, self._failing(table, small, to, bound, figures), worst)

    def worst(self, figures: Numbers) -> float:
        """The worst of some figures."""
        return float(figures.min() if self.smallest_is_worst else figures.max())

    def nearest(self, figure: float) -> str:
        """Which bound a figure is nearest to, where there are two; empty where there is one."""
        return ""

    def on_all_keys(self) -> Requirement:
        """The same of all keys of a table instead of its own."""
        return replace(self, keys=None)

    def describe(self) -> str:
        """The requirement in words a reader of the public report understands."""
        on = f", on {', '.join(self.keys)}" if self.keys is not None else ""
        whose = f", wherever somebody with {self.where} is in the class" if self.where is not None else ""
        return self.words() + on + whose

    def _measured(self, table: KeyTable) -> tuple[KeyTable, Int64 | None, Mask, Numbers]:
        """The table on the own keys, the way there, the classes that are bound, and the figures."""
        small, to = self._own(table)
        return small, to, self._bound(small), self.measure(small)

    def _failing(self, table: KeyTable, small: KeyTable, to: Int64 | None, bound: Mask, figures: Numbers) -> Mask:
        mask = bound & self.breaks(small, figures)
        return mask if to is None else mask[to] & self._concerned(table)

    def _own(self, table: KeyTable) -> tuple[KeyTable, Int64 | None]:
        """The table on the requirement's own keys, and for each class of the table its class there."""
        if self.keys is None or self.keys == table.names:
            return table, None
        return _projected(table, self.keys)

    def _concerned(self, table: KeyTable) -> Mask:
        """Classes that the model speaks of: those with somebody in them."""
        return table.sizes > 0

    def _bound(self, table: KeyTable) -> Mask:
        """Classes that the model speaks of and the condition picks."""
        concerned = self._concerned(table)
        if self.where is None:
            return concerned
        return concerned & (figures_of(table, where_name(self.where)).having("1") > 0)

    def _figures(self, table: KeyTable) -> Figures:
        assert self.sensitive_name is not None
        return figures_of(table, self.sensitive_name)


@dataclass(frozen=True, eq=False)
class Standing:
    """What a requirement says of a table: the classes that fail, and the worst figure there is."""

    requirement: Requirement
    failing: Mask
    achieved: float | None

    @property
    def holds(self) -> bool:
        """Whether no class fails."""
        return not self.failing.any()


def failing_any(table: KeyTable, requirements: Sequence[Requirement]) -> Mask:
    """Classes that fail at least one requirement."""
    mask = np.zeros(len(table.records), dtype=bool)
    for requirement in requirements:
        mask |= requirement.failing(table)
    return mask


def refuse(model: str, message: str, hint: str | None = None) -> PlanError:
    """The error for a requirement that cannot be meant like this."""
    return PlanError([Fault("P062", f"model {model}", message, hint)])


def within(requirement: Requirement, name: str, low: float, high: float = np.inf, *, open_low: bool = False) -> None:
    """Refuse a parameter outside its range (NaN is outside every range)."""
    value = getattr(requirement, name)
    if low <= value <= high and not (open_low and value == low):
        return
    least = f"above {low:g}" if open_low else f"at least {low:g}"
    most = "" if high == np.inf else f" and at most {high:g}"
    raise refuse(requirement.model, f"{name} must be {least}{most}.")


_projections: WeakKeyDictionary[KeyTable, dict[tuple[str, ...], tuple[KeyTable, Int64]]] = WeakKeyDictionary()


def _projected(table: KeyTable, keys: tuple[str, ...]) -> tuple[KeyTable, Int64]:
    """The table on fewer keys; several requirements on the same keys share it."""
    unknown = [key for key in keys if key not in table.names]
    if unknown:
        hint = did_you_mean(unknown[0], table.names) or f"The keys are: {', '.join(table.names)}."
        raise InputError("D044", f"{', '.join(map(repr, unknown))}: no key of the table.", hint)
    kept = _projections.setdefault(table, {})
    if keys not in kept:
        kept[keys] = table.project(keys)
    return kept[keys]
