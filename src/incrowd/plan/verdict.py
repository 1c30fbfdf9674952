"""What became of a requirement: the one verdict that gate, attacks, reports and reviews share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """What the gate found for one requirement, counted again in the written file."""

    requirement: str  # in words
    model: str
    passed: bool
    asked: float
    achieved: float | None  # None when the released file has no class
    sensitive: str | None = None  # the variable that it speaks of
    lower: bool = False  # of a model with two bounds: the one that was asked here is the lower
