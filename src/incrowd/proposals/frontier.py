"""The frontier between risk and utility: no proposal on it is beaten by another in everything."""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.proposals.trying import Tried

#: Two figures that differ by less are the same.
SAME = 1e-9


def dominates(one: Tried, other: Tried) -> bool:
    """Whether one is nowhere worse and somewhere better: less risk, more use cases, more information, more detail."""
    pairs = (
        (other.risk, one.risk), (one.cases, other.cases), (one.information, other.information),
        (one.detail, other.detail),
    )  # fmt: skip
    return all(a >= b - SAME for a, b in pairs) and any(a > b + SAME for a, b in pairs)


def frontier(tried: Sequence[Tried]) -> list[Tried]:
    """Those that none other dominates; of equals the first. The one with most risk first."""
    found: list[Tried] = []
    for one in tried:
        if any(dominates(other, one) for other in tried) or any(_same(other, one) for other in found):
            continue
        found.append(one)
    return sorted(found, key=lambda one: (-one.risk, -one.cases, -one.information))


def _same(one: Tried, other: Tried) -> bool:
    pairs = (
        (one.risk, other.risk), (one.cases, other.cases), (one.information, other.information),
        (one.detail, other.detail),
    )  # fmt: skip
    return all(abs(a - b) < SAME for a, b in pairs)


def best(tried: Sequence[Tried]) -> Tried | None:
    """The one to recommend: most use cases, then most information, then least risk."""
    return max(tried, key=lambda one: (one.cases, one.information, -one.risk), default=None)


def thinned(line: Sequence[Tried], most: int) -> list[Tried]:
    """At most so many of a frontier: the one to recommend, the safest, the one with most detail and the one with most
    risk, then where the widest gap is.
    """
    ends = [line[-1], max(line, key=lambda one: (one.detail, one.cases, one.information)), line[0]]
    chosen = list({id(one): one for one in (best(line), *ends) if one is not None}.values())[:most]
    while len(chosen) < min(most, len(line)):
        rest = [one for one in line if one not in chosen]
        chosen.append(max(rest, key=lambda one: min(_apart(one, other) for other in chosen)))
    return [one for one in line if one in chosen]


def _apart(one: Tried, other: Tried) -> float:
    return abs(one.risk - other.risk) + abs(one.information - other.information) + (one.cases != other.cases)
