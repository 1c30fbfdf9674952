"""Where rows live: the only room that knows the engine. What it gives out is imported when somebody asks for it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.rows.frame import Rows
    from incrowd.rows.source import Reading, Source, columns_of, open_released, open_source, reopen

__all__ = ["Reading", "Rows", "Source", "columns_of", "open_released", "open_source", "reopen"]

_HOME = {
    "Reading": "source", "Rows": "frame", "Source": "source", "columns_of": "source", "open_released": "source",
    "open_source": "source",
    "reopen": "source",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'incrowd.rows' has no attribute {name!r}")
    return getattr(import_module(f"incrowd.rows.{_HOME[name]}"), name)
