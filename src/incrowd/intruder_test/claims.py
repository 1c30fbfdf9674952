"""A claim as its intruder wrote it: what it says, and how it stands in its row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A claim as its intruder wrote it."""

    target: int | None
    who: str
    record: int | None
    attribute: str | None
    value: str | None
    confidence: int
    sources: str
    used: tuple[str, ...]
    reasoning: str
    kinds: tuple[str, ...] = ()  # of sources: see sources.KINDS
    link: str = ""
    minutes: int | None = None
    acquaintance: int | None = None
    id: int = 0
    filed: int = 0
    changed: int = 0
    withdrawn: bool = False


def told_by(shown: Sequence[tuple[str, str | None]]) -> frozenset[str]:
    """The variables that a card tells; what it shows as not known can still be learned."""
    return frozenset(name for name, value in shown if value is not None)


def written(new: Claim) -> dict[str, object]:
    """What a claim says, as the fields of its row."""
    return {
        "target": new.target, "who": new.who, "record": new.record, "attribute": new.attribute, "value": new.value,
        "confidence": new.confidence, "sources": new.sources, "used": json.dumps(new.used), "reasoning": new.reasoning,
        "kinds": json.dumps(new.kinds), "link": new.link, "minutes": new.minutes, "acquaintance": new.acquaintance,
    }  # fmt: skip


def read_claim(row: Mapping[str, object]) -> Claim:
    """A claim from its row."""
    plain = {name: row[name] for name in Claim.__dataclass_fields__ if name not in ("used", "kinds")}
    lists = {name: tuple(json.loads(str(row[name]))) for name in ("used", "kinds")}
    return Claim(**plain, **lists)  # type: ignore[arg-type]
