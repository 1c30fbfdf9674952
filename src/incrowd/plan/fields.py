"""Which fields may stand at a place of a plan? Those of the very part that is there, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from incrowd.plan.kinds import Kinds
from incrowd.plan.model import Plan


def fields_at(loc: Sequence[str | int]) -> list[str]:
    """The fields beside the one at this place, as pydantic gives it: with the kind of a step or requirement in it.

    >>> fields_at(("data", "population", "cont"))
    ['count', 'source']
    """
    found = {field.alias or name for part in _parts(Plan, loc[:-1]) for name, field in part.model_fields.items()}
    return sorted(found - {str(loc[-1])})


def _parts(kind: Any, loc: Sequence[str | int]) -> Iterator[type[BaseModel]]:
    inside = get_args(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if not loc:
            yield kind
        for name, field in kind.model_fields.items():
            if loc and loc[0] in (name, field.alias):
                yield from _parts(field.annotation, loc[1:])
    elif get_origin(kind) in (list, tuple, dict):
        items = inside[1] if get_origin(kind) is dict else inside[0]
        yield from _parts(items, loc[1:])
    elif get_origin(kind) is not Literal:  # a union, or a type with something said about it
        inside = next((said.all for said in inside if isinstance(said, Kinds)), inside)
        chosen = [one for one in inside if loc and loc[0] in _tags(one)]
        for one in chosen or inside:
            yield from _parts(one, loc[1:] if chosen else loc)


def _tags(kind: Any) -> set[Any]:
    """What the first field of a part may say, where it tells its kind."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return set()
    return {tag for name in ("step", "model", "test") if name in kind.model_fields
            for tag in get_args(kind.model_fields[name].annotation)}  # fmt: skip
