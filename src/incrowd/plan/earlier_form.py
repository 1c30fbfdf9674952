"""Plans as they were written before: what has moved since is put where it belongs, and its author is told.

Attacks were steps once. A plan, or the plan of an audit, that has them there still loads, and makes the same release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Present:
    """A plan's content as it would be written now, and where the parts that have moved stood: new place to old."""

    content: Any = None
    moved: Mapping[Place, Place] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def written(self, place: Place) -> Place:
        """Where in the plan as it was written this place is."""
        for length in range(len(place), 0, -1):
            if (old := self.moved.get(place[:length])) is not None:
                return (*old, *place[length:])
        return place


def in_present_form(content: Any) -> Present:
    """A plan's content with its attacks in a block of their own, in the plan and in each of its tiers."""
    if not isinstance(content, dict):
        return Present(content)
    whole = _apart(content, (), [])
    if not isinstance(tiers := content.get("tiers"), list):
        return whole
    parts = [_apart(tier, ("tiers", i), _steps(content)) for i, tier in enumerate(tiers)]
    return Present(
        {**whole.content, "tiers": [part.content for part in parts]},
        {new: old for part in (whole, *parts) for new, old in part.moved.items()},
        tuple(note for part in (whole, *parts) for note in part.notes),
    )


def _apart(part: Any, at: Place, before: list[Any]) -> Present:
    """The plan, or the tier at this place, with attacks apart from steps. `before` are the steps before its own."""
    if not any(map(_is_attack, [*before, *_steps(part)])):
        return Present(part)
    found = [i for i, step in enumerate(_steps(part)) if _is_attack(step)]
    steps: list[Any] = []
    attacks: list[Any] = list(part["attack"]) if isinstance(part.get("attack"), list) else []
    block = attacks if isinstance(part.get("attack", []), list) else part["attack"]  # a fault, which must not go unseen
    moved: dict[Place, Place] = {}
    for i, step in enumerate(_steps(part)):
        name, kept = ("attack", attacks) if i in found else ("steps", steps)
        moved[*at, name, len(kept)] = (*at, "steps", i)
        kept.append(_as_entry(step) if i in found else _numbered(step, [*before, *part["steps"][:i]]))
    changed = {**part, "steps": steps, "attack": block} if found else {**part, **({"steps": steps} if steps else {})}
    return Present(changed, moved, (_note(part, at, found),) if found else ())


def _steps(part: Any) -> list[Any]:
    steps = part.get("steps") if isinstance(part, dict) else None
    return steps if isinstance(steps, list) else []


def _is_attack(step: Any) -> bool:
    return isinstance(step, dict) and step.get("step") == "attack"


def _as_entry(step: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name != "step"}


def _numbered(step: Any, before: list[Any]) -> Any:
    """A step that stood behind attacks: people keep the pseudonyms that its number among the steps gave them."""
    if isinstance(step, dict) and step.get("step") == "pseudonymise" and any(map(_is_attack, before)):
        return {"number": str(len(before) + 1), **step}
    return step


def _note(part: dict[str, Any], at: Place, found: list[int]) -> str:
    """How to write it now, on one line."""
    places = " and ".join(".".join(map(str, (*at, "steps", i))) for i in found)
    block = {"attack": [_as_entry(part["steps"][i]) for i in found]}
    written = yaml.safe_dump(block, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf"))
    inside = " inside the tier" if at else ""
    return f"attacks are no steps any more ({places}): write them beside the steps{inside}, as {written.strip()[1:-1]}"
