"""Labels that were made class by class: how far is what is known of somebody from what a label can stand for?

`30-39` is no farther from 31 than from 38, and `*` is near to everybody. The middle of a range would say otherwise,
and outweigh what the release says exactly: a credit score that is off by one counts a thousandth, an age that is off
by five years a twentieth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from incrowd.attack.knowledge import believed
from incrowd.attack.learning.features import Floats
from incrowd.attack.matching.fitting import fits_of
from incrowd.attack.matching.spans import span
from incrowd.attack.situation import Int64, Situation, coded

#: With more labels and values a key is compared by the middles of its labels.
MOST_LABELS = 2_000
#: Of two labels that both can be it, the one that fewer people could have is the nearer; nothing else weighs as little.
FINER = 1e-6


@dataclass(frozen=True)
class Coarse:
    """Keys of records and of targets as numbers, and for those with labels of their own the distances between codes."""

    keys: Floats
    believes: Floats
    apart: tuple[Floats, ...]  # for each key; empty where numbers are compared as they are


def apart_of(situation: Situation, people: Int64, keys: Floats, believes: Floats) -> Coarse:
    """From the keys as numbers (see features.py), of the released records and of these people as believed."""
    names, none = situation.scenario.keys, np.zeros((0, 0))
    if not situation.loose & set(names):
        return Coarse(keys, believes, ())
    keys, believes, apart = keys.copy(), believes.copy(), []
    tables = [situation.released.select(names), believed(situation, people), situation.known.select(names)]
    for i, name in enumerate(names):
        (released, mine, true), values = coded(tables, name)
        labels = values.to_pylist()
        if name not in situation.loose or len(labels) > MOST_LABELS:
            apart.append(none)
            continue
        keys[:, i], believes[:, i] = released, mine
        apart.append(_apart(labels, released, true, situation.lines))
    return Coarse(keys, believes, tuple(apart))


def _apart(labels: list[str | None], released: Int64, true: Int64, lines: Int64) -> Floats:
    """The distance of each label to each value: none where the label can stand for it; else, of numbers, the gap
    between them as a share of all that people have; else 1.
    """
    number = len(labels)
    ends = np.array([span(label) or (inf, -inf) for label in labels], float)
    numeric = ends[:, 0] <= ends[:, 1]
    finite = ends[np.isfinite(ends).all(axis=1)]
    width = float(np.ptp(finite)) if len(finite) else 0.0
    with np.errstate(invalid="ignore"):
        gaps = np.maximum(ends[:, None, 0] - ends[None, :, 1], ends[None, :, 0] - ends[:, None, 1])
    both = numeric[:, None] & numeric[None, :]
    found = np.where(both, np.clip(gaps / (width or 1.0), 0.0, 1.0), 1.0)
    found[np.eye(number, dtype=bool)] = 0.0
    shares = np.bincount(true, minlength=number) / max(len(true), 1)
    for label, fitting in fits_of(labels, released, true, lines).items():
        found[label, fitting] = FINER * shares[fitting].sum()
    return found
