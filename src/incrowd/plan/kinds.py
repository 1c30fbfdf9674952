"""Kinds of a part of a plan: each registers itself when its class is made, and a plan may hold any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar, Union, get_args

from pydantic import BaseModel, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T", bound=BaseModel)


class Kinds(Generic[T]):
    """All kinds of one part, by the words that its tag may have: `step: drop`.

    Beside a base class (`Annotated[Step, STEPS]`) it makes pydantic read the kind that the tag names, whichever were
    registered when the type around it is made.
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._by_name: dict[str, type[T]] = {}

    def add(self, kind: type[T]) -> None:
        """Register a kind under every word of its tag; a class without the tag is only what several kinds share."""
        if self.tag not in kind.model_fields:
            return
        for name in get_args(kind.model_fields[self.tag].annotation):
            if name in self._by_name:
                raise TypeError(f"there is a {self.tag} {name!r} already: {self._by_name[name].__qualname__}")
            self._by_name[name] = kind

    def remove(self, kind: type[T]) -> None:
        """Forget a kind."""
        self._by_name = {name: one for name, one in self._by_name.items() if one is not kind}

    def get(self, name: str) -> type[T] | None:
        """The kind with this word, if there is one."""
        return self._by_name.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The words for all kinds, in the order of lists that people read."""
        return tuple(name for kind in self.all for name, one in self._by_name.items() if one is kind)

    @property
    def all(self) -> tuple[type[T], ...]:
        """Each kind once, in the order of lists that people read."""
        return tuple(sorted(dict.fromkeys(self._by_name.values()), key=lambda kind: getattr(kind, "listed", 0)))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(Annotated[Union[self.all], Field(discriminator=self.tag)])  # noqa: UP007


class OneWord:
    """Beside `str`: one of the words that are registered when the type around it is made."""

    def __init__(self, words: Callable[[], Sequence[str]]) -> None:
        self._words = words

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self._words()))
