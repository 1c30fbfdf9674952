"""Who works on records: one file for each engine.

A file says what others must know of its engine in a literal, `ENGINE = {...}`, and has a function `start`. The literal
is read and not run, so that a plan is checked quickly, and where an engine is not installed. The file's name is the
engine's name in a plan. A file without the literal helps others.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from incrowd.errors import InputError, missing_extra

if TYPE_CHECKING:
    from types import ModuleType


@dataclass(frozen=True)
class EngineKind:
    """What an engine says of itself."""

    name: str  # in a plan: engine: duckdb
    module: str  # where its `start` is: (master, spill, memory, limit) -> Engine
    words: str  # what people call it
    package: str  # the distribution whose version an audit keeps
    extra: str | None = None  # what to install for it; None where it always is
    on_this_machine: bool = False  # it can tell whose record is whose
    takes_master: bool = False  # it works at an address of its own: master
    links: bool = False  # probabilistic linkage can run on it

    def load(self) -> ModuleType:
        """The module that starts it; the error that says what to install where that is missing."""
        try:
            return import_module(self.module)
        except ImportError:
            if self.extra is None:
                raise
            raise missing_extra(self.words, self.extra) from None


def engine_kind(name: str) -> EngineKind:
    """The engine of a name; an unknown name is an error."""
    if name not in ENGINES:
        raise InputError("D319", f"there is no engine {name!r}.", f"There are: {', '.join(ENGINES)}.")
    return ENGINES[name]


def _found() -> Iterator[EngineKind]:
    for module in pkgutil.iter_modules(__path__):
        path = f"{__name__}.{module.name}"
        said = _literal(path)
        if said is not None:
            yield EngineKind(module.name, path, **said)


def _literal(module: str) -> dict[str, Any] | None:
    spec = find_spec(module)
    source = spec.loader.get_source(module) if spec is not None and spec.loader is not None else None  # type: ignore[attr-defined]
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["ENGINE"]:
            said: dict[str, Any] = ast.literal_eval(node.value)
            return said
    return None


#: Every engine that a plan can name.
ENGINES: dict[str, EngineKind] = {kind.name: kind for kind in _found()}
