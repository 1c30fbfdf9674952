"""Hierarchies: ways to coarsen one variable, level by level, up to one top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys.table import Domain, Int32, Int64, Recode

TOP = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A table of ways to say a value: each row a leaf, then its value at level 1, 2, ... up to the top.

    >>> ages = Hierarchy("age", (("31", "30-39", "*"), ("38", "30-39", "*"), ("40", "40-49", "*")))
    >>> ages.height, [loss.tolist() for loss in ages.bind(Domain("age", ("38", "40"))).losses]
    (2, [[0.0, 0.0], [0.5, 0.0], [1.0]])
    """

    name: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def height(self) -> int:
        """The number of levels above the leaves; level 0 is the leaf itself."""
        return len(self.rows[0]) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values at level 0."""
        return tuple(row[0] for row in self.rows)

    def bind(self, domain: Domain) -> Levels:
        """Fit the hierarchy to the values that occur: a recode and a loss per code, for each level.

        A missing value is missing at every level but the top. A value outside the hierarchy is a fault that says
        how many there are, not which.
        """
        rows = self.rows_of(domain.values, domain.name)
        missing = rows < 0
        span = max(len(self.rows) - 1, 1)
        recodes, losses = [], []
        for level, (labels, label_of, leaves_under) in enumerate(self._levels):
            chosen = label_of[rows]
            # Missing comes first, as in every domain; -1 stands for it until the codes are numbered.
            chosen[missing] = label_of[0] if 0 < level == self.height else -1
            used, codes = np.unique(chosen, return_inverse=True)
            values = tuple(None if label < 0 else labels[label] for label in used.tolist())
            recodes.append(Recode(Domain(domain.name, values), codes.astype(np.int32)))
            losses.append(np.where(used < 0, 0.0, (leaves_under[used] - 1) / span))
        return Levels(domain, tuple(recodes), tuple(losses))

    def rows_of(self, values: Sequence[str | None], name: str) -> Int64:
        """The row of each value, -1 for missing; a value that is no leaf is a fault."""
        row_of = self._row_of
        outside = sum(value is not None and value not in row_of for value in values)
        if outside:
            raise InputError(
                "D030",
                f"{outside} of the {len(values)} values of {name!r} are not in its hierarchy.",
                "Add them to the hierarchy's first column, or recode the variable first.",
            )
        return np.array([-1 if value is None else row_of[value] for value in values], np.int64)

    def groups(self, level: int) -> dict[str, tuple[str, ...]]:
        """Each label of a level with the values that it stands for.

        >>> Hierarchy("age", (("31", "30-39", "*"), ("38", "30-39", "*"), ("40", "40-49", "*"))).groups(1)
        {'30-39': ('31', '38'), '40-49': ('40',)}
        """
        found: dict[str, list[str]] = {}
        for row in self.rows:
            found.setdefault(row[level], []).append(row[0])
        return {label: tuple(leaves) for label, leaves in found.items()}

    def label_numbers(self, level: int) -> Int32:
        """For each row its label at a level, as a number: equal labels, equal numbers."""
        return self._levels[level][1]

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {row[0]: number for number, row in enumerate(self.rows)}

    @cached_property
    def _levels(self) -> list[tuple[list[str], Int32, Int64]]:
        """For each level its labels in order, each row's label as a number, and the leaves under each label."""
        result = []
        for level in range(self.height + 1):
            column = [row[level] for row in self.rows]
            labels = sorted(set(column))
            number = {label: i for i, label in enumerate(labels)}
            label_of = np.array([number[label] for label in column], np.int32)
            result.append((labels, label_of, np.bincount(label_of, minlength=len(labels)).astype(np.int64)))
        return result


@dataclass(frozen=True, eq=False)
class Levels:
    """A hierarchy fitted to a domain: per level the recode of the base codes, and each new code's loss.

    Loss of a cell = (leaves under its value - 1) / (leaves in the hierarchy - 1): the leaves of the hierarchy
    file, not those that happen to occur.
    """

    domain: Domain
    recodes: tuple[Recode, ...]
    losses: tuple[NDArray[np.float64], ...]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.recodes) - 1
