"""What can still be checked of a plan that has faults: the rest of it.

A plan shows all its faults at once, so a slip in one field must not hide what is wrong elsewhere. The faulty parts are
replaced by something harmless, and the rest is checked as a plan; nothing salvaged is ever run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, get_args

from pydantic import ValidationError

from incrowd.errors import Fault
from incrowd.plan.model import Plan, Role

#: What may look wrong only because a faulty step was left out.
_NEEDS_ALL_STEPS = {"P013", "P015", "P016", "P017", "P022", "P023", "P025", "P045", "P048"}
_HARMLESS = {"title": "-", "tier": "controlled", "release": {}, "steps": [], "requirements": [{"model": "k", "k": "1"}]}


@dataclass(frozen=True)
class Salvaged:
    """A plan made of the sound parts, and where its steps and requirements stood."""

    plan: Plan
    steps: tuple[int, ...]
    requirements: tuple[int, ...]
    all_steps: bool

    def trusted(self, faults: Iterable[Fault]) -> list[Fault]:
        """The faults that do not come from what was left out, at their places in the plan as written."""
        kept = [fault for fault in faults if self.all_steps or fault.code not in _NEEDS_ALL_STEPS]
        return [replace(fault, place=self._place(fault.place)) for fault in kept if fault.code != "P021"]

    def _place(self, place: str) -> str:
        head, _, rest = place.partition(".")
        if head not in ("steps", "requirements"):
            return place
        number, dot, tail = rest.partition(".")
        where = self.steps if head == "steps" else self.requirements
        return f"{head}.{where[int(number)]}{dot}{tail}"


def salvage(content: dict[str, Any], places: Iterable[tuple[str | int, ...]]) -> Salvaged | None:
    """The plan without the parts at these places; None where too little is left."""
    places = list(places)
    if () in places:  # the parts do not go together
        return None
    sound = copy.deepcopy(content)
    bad = {
        part: {p[1] for p in places if p[0] == part and len(p) > 1}
        for part in ("steps", "requirements", "variables", "attack")
    }
    for part in {p[0] for p in places if p}:
        if part == "variables" and isinstance(sound.get("variables"), dict):
            for name in bad["variables"]:
                sound["variables"][name] = _variable(sound["variables"].get(name))
        elif part == "data" and isinstance(sound.get("data"), dict):
            # Where it is only not said how they were collected, the records are read as the rest says.
            rest = sound["data"] if {p[:2] for p in places if p and p[0] == part} == {("data", "kind")} else {}
            sound["data"] = {**rest, "source": sound["data"].get("source"), "kind": "survey"}
        elif part == "attack" and bad["attack"]:  # the others keep their numbers
            sound["attack"] = [{} if i in bad["attack"] else one for i, one in enumerate(sound["attack"])]
        elif part in _HARMLESS and not bad.get(str(part)):
            sound[part] = _HARMLESS[str(part)]
        elif part not in ("steps", "requirements"):
            sound.pop(str(part), None)
    kept = {}
    for part in ("steps", "requirements"):
        items = sound.get(part) or []
        kept[part] = [i for i in range(len(items)) if i not in bad[part]]
        sound[part] = [items[i] for i in kept[part]]
    if "tier" not in sound and not sound.get("tiers"):
        sound["tier"] = _HARMLESS["tier"]
    sound["requirements"] = sound["requirements"] or _HARMLESS["requirements"]
    try:
        plan = Plan.of_content(sound)
    except ValidationError:
        return None
    lost = bool(bad["steps"]) or any(p == ("steps",) for p in places)
    return Salvaged(plan, tuple(kept["steps"]), tuple(kept["requirements"] or [0]), not lost)


def _variable(given: Any) -> dict[str, str]:
    role = given.get("role") if isinstance(given, dict) else None
    return {"role": str(role) if role in get_args(Role) else "other", "reason": "-"}
