"""What differs between two plans, field by field. It stays inside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from incrowd.plan import Plan

#: The fields that tell one part of a list from the others, the first that is there.
_NAMES = ("name", "step", "model", "test")


@dataclass(frozen=True)
class Difference:
    """One thing that differs: in which part, what it is, and both sides; None where a side does not have it."""

    part: str
    what: str
    first: str | None
    second: str | None


def plan_differences(first: Plan, second: Plan) -> list[Difference]:
    """All that one plan says otherwise than the other."""
    one, other = (plan.model_dump(mode="json", by_alias=True, exclude_none=True) for plan in (first, second))
    return _differences(one, other)


def _differences(first: Any, second: Any, place: str = "") -> list[Difference]:
    """Field by field; the parts of lists are brought side by side by what they are called."""
    if first == second:
        return []
    if isinstance(first, dict) and isinstance(second, dict):
        keys = dict.fromkeys([*first, *second])
        return [
            each
            for key in keys
            for each in _differences(first.get(key), second.get(key), f"{place}.{key}" if place else str(key))
        ]
    if _parts(first) and _parts(second):
        return list(_list_differences(first, second, place))
    return [Difference("plan", place, _text(first), _text(second))]


def _list_differences(first: Sequence[Any], second: Sequence[Any], place: str) -> Iterator[Difference]:
    names = [_name(part) for part in first], [_name(part) for part in second]
    for kind, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        left, right = list(range(a, b)), list(range(c, d))
        both = list(zip(left, right, strict=False)) if kind in ("equal", "replace") else []
        for i, j in both:
            yield from _differences(first[i], second[j], f"{place}.{j} ({names[1][j]})")
        for i in left[len(both) :]:
            yield Difference("plan", f"{place}.{i} ({names[0][i]})", _text(first[i]), None)
        for j in right[len(both) :]:
            yield Difference("plan", f"{place}.{j} ({names[1][j]})", None, _text(second[j]))


def _parts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _name(part: Mapping[str, Any]) -> str:
    name = next((str(part[field]) for field in _NAMES if field in part), "part")
    about = part.get("variable") or part.get("sensitive")
    return f"{name} {about}" if about else name


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
