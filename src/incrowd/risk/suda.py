"""SUDA: special uniques, the people whom few keys already single out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb, factorial
from typing import Literal

import numpy as np

from incrowd.keys.minimal import minimal_uniques
from incrowd.keys.table import KeyTable
from incrowd.risk.value import Floats


@dataclass(frozen=True, eq=False)
class Suda:
    """Scores of the classes (a class of one is a record; all others have 0), and what each key contributes.

    `shares[i]` is the part of a class's score from minimal uniques with key i in them; `contributions` the same for
    the file, in percent, as sdcMicro prints it; `by_value` for each key how its contribution falls on its values.
    `dis` is the DIS-SUDA figure of each class.
    """

    scenario: str
    scores: Floats
    shares: Floats
    dis: Floats
    contributions: Mapping[str, float]
    by_value: Mapping[str, Mapping[str | None, float]]
    minimal: Mapping[int, int]  # size -> number of minimal uniques

    @property
    def special(self) -> int:
        """Records with a positive score."""
        return int(np.count_nonzero(self.scores))


def suda(
    table: KeyTable, scenario: str, fraction: float = 0.01, largest: int | None = None,
    weights: Literal["factorial", "ihsn"] = "factorial",
) -> Suda:  # fmt: skip
    """Who is singled out by few keys, by how many sets of them, and which keys do it?

    A minimal sample unique (MSU) is a set of keys on which a record is unique and on no part of which it is. With m
    keys a record's score is the sum over its MSUs of size s of (m-s)!: few keys weigh more. `largest` stops the search
    at MSUs of that size. "ihsn" takes (2^(m-s) - 1) / C(m, s) instead, sdcMicro's other weights, where an MSU of all
    keys counts nothing. DIS-SUDA spreads the file's DIS over the scores: with Q = 1 + (8-m)/20, A the sum of score^-Q
    over positive scores and P the records in exact pairs, 1 / (1 + (P (1-pi)/pi) / (score^Q A)); P = 0 gives 1.

    Misleads: the score orders records, it is no probability; it grows with the number of keys, so compare files only on
    the same keys. A missing value is part of no MSU and matches nothing, so a record with blanks can have a score
    although its class is unique only for its blank. Reference: Elliot, Manning, Ford (2002); Manning, Haglin, Keane
    (2008), SUDA2.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": ["1", "1", "2"], "sex": ["f", "m", "m"]})
    >>> suda(people, "all").scores.tolist()
    [1.0, 1.0, 1.0]
    """
    keys = len(table.domains)
    scores, parts = np.zeros(len(table.records)), np.zeros((keys, len(table.records)))
    minimal: dict[int, int] = {}
    for bits, classes in minimal_uniques(table, largest or keys):
        size = len(bits)
        weight = (
            float(factorial(keys - size)) if weights == "factorial" else (2 ** (keys - size) - 1) / comb(keys, size)
        )
        scores[classes] += weight
        for bit in bits:
            parts[bit, classes] += weight
        minimal[size] = minimal.get(size, 0) + len(classes)
    total, held = float(scores.sum()), parts.sum(axis=1)
    by_value = {}
    for i, domain in enumerate(table.domains):
        summed = np.bincount(table.codes[i], weights=parts[i], minlength=len(domain))
        percent = 100.0 * summed / held[i] if held[i] else np.zeros(len(domain))
        by_value[domain.name] = dict(zip(domain.values, percent.tolist(), strict=True))
    return Suda(
        scenario, scores, np.divide(parts, scores, out=np.zeros_like(parts), where=scores > 0),
        _dis(scores, table, fraction, keys),
        {name: 100.0 * float(held[i]) / total if total else 0.0 for i, name in enumerate(table.names)},
        by_value, minimal,
    )  # fmt: skip


def _dis(scores: Floats, table: KeyTable, fraction: float, keys: int) -> Floats:
    above = scores > 0
    power = np.zeros_like(scores)
    power[above] = scores[above] ** (1.0 + (8.0 - keys) / 20.0)
    paired = 2.0 * np.count_nonzero(table.records == 2)
    spread = float((1.0 / power[above]).sum())
    result = np.zeros_like(scores)
    result[above] = 1.0 / (1.0 + paired * (1.0 - fraction) / fraction / (power[above] * spread))
    return result
