"""Cell-key perturbation: the same noise for the same people in every table they are counted in.

The method of ONS and the Australian Bureau of Statistics (Fraser and Wooton 2005). Each record has a key, a cell's
key is the sum of its records' keys, and a table of perturbations says for a count and a cell key what to add.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]

#: Record keys and cell keys are below this.
KEYS = 256
#: Counts up to here have a line of their own in the perturbation table; larger ones share the last ones.
LARGEST, SHARED = 750, 250


@dataclass(frozen=True, eq=False)
class Perturbations:
    """What to add to a count: `values[pcv, cell key]`, with zero for counts that the table does not name."""

    values: Int64
    name: str

    @property
    def digest(self) -> str:
        """Which table is it? A hash of what it adds."""
        return hashlib.sha3_256(self.values.astype("<i8").tobytes()).hexdigest()

    @property
    def uses_keys(self) -> bool:
        """Does any count have different perturbations for different cell keys?"""
        return bool((self.values != self.values[:, :1]).any())


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The cells of a table: what was counted, and what may be published (-1 where the cell is suppressed)."""

    counts: Int64
    cell_keys: Int64
    pcv: Int64
    added: Int64
    published: Int64

    @property
    def suppressed(self) -> int:
        """How many cells show no count?"""
        return int(np.count_nonzero(self.published < 0))


def rule_10_5() -> Perturbations:
    """The 10-5 rule: counts below 10 become 0, others are rounded to the nearest multiple of 5.

    It does not depend on the cell key, so it is rounding, and no noise.
    """
    counts = np.arange(LARGEST + 1)
    rounded = np.where(counts < 10, 0, (counts + 2) // 5 * 5)
    return Perturbations(np.repeat((rounded - counts)[:, None], KEYS, axis=1), "10-5 rule")


def perturb(counts: Int64, key_sums: Int64, table: Perturbations, threshold: int) -> Perturbed:
    """What is published for cells with these counts, whose records' keys add up to these sums?

    cell key = sum of record keys mod 256; pcv = count up to 750, above it (count - 1) mod 250 + 501;
    published = count + perturbation[pcv, cell key], and nothing where that is below the threshold.

    >>> found = perturb(np.array([12, 4]), np.array([300, 7]), rule_10_5(), 10)
    >>> found.published.tolist(), found.cell_keys.tolist()
    ([10, -1], [44, 7])
    """
    cell_keys = key_sums % KEYS
    pcv = np.where(counts <= LARGEST, counts, (counts - 1) % SHARED + LARGEST - SHARED + 1)
    added = table.values[pcv, cell_keys]
    moved = counts + added
    return Perturbed(counts, cell_keys, pcv, added, np.where(moved < max(threshold, 0), -1, moved))
