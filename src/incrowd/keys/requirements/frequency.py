"""Requirements on how frequent one value of a sensitive variable is in a class: one-sided, (alpha,k).

Where people have several records, a person with two values counts for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.requirements.base import MOST, Numbers, Requirement, within
from incrowd.keys.requirements.conditions import ClassTest
from incrowd.keys.requirements.convex import Convex
from incrowd.keys.requirements.figures import figures_of
from incrowd.keys.requirements.form import Form
from incrowd.keys.table import Int64, KeyTable, Mask


@dataclass(frozen=True)
class OneSided(Requirement):
    """One-sided diversity: can nobody learn that somebody has the stigmatising value?

    A class fails when the share of the stigmatising value in it is above alpha; with alpha = 1, the strict form,
    when everybody in it has the value. The other direction (nobody has it) is not protected, on purpose.
    Misleads where being dropped itself tells the value: the gaps speak (study 2, section 7.2).
    """

    sensitive: str
    value: str
    alpha: float = 1.0
    model: ClassVar[str] = "one_sided"
    forms: ClassVar[Mapping[str, Form]] = {
        "one_sided": Form("A:VALUE:[ALPHA]", lambda f, _: OneSided(f[0], f[1], *map(float, f[2:])))
    }
    measured: ClassVar[str] = "largest share of the value in any class"
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Homogeneity"

    def __post_init__(self) -> None:
        within(self, "alpha", 0, 1)

    @classmethod
    def is_strict(cls, limit: float) -> bool:
        """Where everybody may not have it, a share of 1 fails; else the share may be met."""
        return limit >= 1

    @property
    def strict(self) -> bool:
        """Whether only classes in which everybody has the value fail."""
        return self.is_strict(self.alpha)

    @property
    def survives_growth(self) -> bool:
        """Somebody without the value stays somebody without the value; a share may rise."""
        return self.strict

    def bind(self, table: KeyTable) -> Self:
        """Refuse a value nobody in the original file has: a value that does not occur would make every class pass."""
        self.refuse_absent(lambda name, value: bool(figures_of(table, name).having(value).any()))
        return self

    def refuse_absent(self, occurs: Callable[[str, str], bool]) -> None:
        """Raise unless somebody has the value."""
        if not occurs(self.sensitive, self.value):
            raise InputError(
                "D046",
                f"nobody has the value that {self.model} names of {self.sensitive!r}.",
                "Write it exactly as it is in the file.",
            )

    def measure(self, table: KeyTable) -> Numbers:
        """The share of people with the value."""
        return _share(self._figures(table).having(self.value), table)

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """A share of a class is the mean of the shares of its parts."""
        return [Convex(self.measure(table), self.alpha, 1.0)]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """All of them (strict), or more than alpha."""
        return figures >= 1 if self.strict else figures > self.alpha

    def class_test(self, keys: tuple[str, ...]) -> ClassTest:
        """The share of the value."""
        return ClassTest(keys, sensitive=self.sensitive, value=self.value, share=self.alpha)

    def words(self) -> str:
        """In words."""
        if self.strict:
            return f"in no class does everybody have {self.sensitive} = {self.value}"
        return f"in no class do more than {self.alpha:.4g} have {self.sensitive} = {self.value}"


@dataclass(frozen=True)
class AlphaK(Requirement):
    """(alpha,k): k people in every class, and no value held by more than the share alpha of them?

    The figure is the largest share; the k part is that of `K`. Misleads where alpha is below the share a value has
    in the whole file: then no recoding can satisfy it. Reference: Wong, Li, Fu and Wang 2006. A class 3:1 has 0.75.
    """

    sensitive: str
    alpha: float
    k: int
    model: ClassVar[str] = "alpha_k"
    forms: ClassVar[Mapping[str, Form]] = {
        "alpha_k": Form("A:ALPHA:K", lambda f, _: AlphaK(f[0], float(f[1]), int(f[2])))
    }
    measured: ClassVar[str] = "largest share of a value in any class"
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Homogeneity"

    def __post_init__(self) -> None:
        within(self, "alpha", 0, 1, open_low=True)
        within(self, "k", 1, MOST)

    @property
    def fewest_people(self) -> int:
        """As many as it asks for."""
        return self.k

    def measure(self, table: KeyTable) -> Numbers:
        """The share of the most frequent value."""
        return _share(self._figures(table).largest, table)

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """The largest share; of a class of fewer than k people all parts have fewer."""
        return [Convex(self.measure(table), self.alpha, 1.0), Convex((table.sizes < self.k).astype(float), 0.0, 1.0)]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """A share above alpha, or fewer than k people."""
        return (figures > self.alpha) | (table.sizes < self.k)

    def words(self) -> str:
        """In words."""
        return (
            f"every class has at least {self.k} people, and no value of {self.sensitive} is held by more than "
            f"{self.alpha:.4g} of them"
        )


def _share(number: Int64, table: KeyTable) -> Numbers:
    sizes = table.sizes
    share = np.zeros(len(sizes))
    np.divide(number, sizes, out=share, where=sizes > 0)
    return share
