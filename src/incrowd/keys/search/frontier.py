"""The frontier: what does more protection cost, and what does suppression buy?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.errors import NotReleasable
from incrowd.keys.hierarchy import Levels
from incrowd.keys.requirements import K, Requirement
from incrowd.keys.search.counting import is_plain_k
from incrowd.keys.search.lattice import LatticeSearch, search
from incrowd.keys.table import KeyTable


@dataclass(frozen=True)
class FrontierPoint:
    """One point: the k or the share that was asked for, and what the search found; None where nothing satisfies."""

    value: float
    found: LatticeSearch | None


def frontier_k(
    base: KeyTable, levels: Sequence[Levels], requirements: Sequence[Requirement], ks: Sequence[int], **options: Any
) -> tuple[FrontierPoint, ...]:
    """How does the loss grow with k? One search for each k, which takes the place of the k that was required.

    `options` are those of `search`. Each point is an optimum of its own: between two of them the levels may change
    altogether.
    """
    others = [requirement for requirement in requirements if not is_plain_k(requirement, base)]
    return tuple(FrontierPoint(k, _found(base, levels, [K(k), *others], options)) for k in ks)


def frontier_suppression(
    base: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    shares: Sequence[float],
    **options: Any,
) -> tuple[FrontierPoint, ...]:
    """How does the loss fall with the records that may be suppressed? One search for each share."""
    return tuple(
        FrontierPoint(share, _found(base, levels, requirements, {**options, "suppression": share})) for share in shares
    )


def _found(
    base: KeyTable, levels: Sequence[Levels], requirements: Sequence[Requirement], options: dict[str, Any]
) -> LatticeSearch | None:
    try:
        return search(base, levels, requirements, **options)
    except NotReleasable:
        return None
